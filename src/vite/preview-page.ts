import type { IncomingMessage, ServerResponse } from 'node:http'
import { findInsertion } from '../node/gateway/files/html-insertion.js'

/** Headers for which Vite would answer with something other than the whole page. */
const ASKING_FOR_LESS = ['accept-encoding', 'if-modified-since', 'if-none-match', 'range']
/** Headers of Vite's answer that are wrong for the changed page. */
const OF_THE_OLD_PAGE = ['Accept-Ranges', 'Content-Length', 'ETag', 'Last-Modified']

/**
 * Puts a tag into a built page that Vite's preview is about to send. The files of a build don't have the tag, since they
 * may be served from anywhere.
 */
export function insertIntoPreview(message: IncomingMessage, reply: ServerResponse, tag: string): void {
  if (message.method !== 'GET' || !(message.headers.accept ?? '').includes('text/html')) return
  for (const name of ASKING_FOR_LESS) delete message.headers[name]
  const { writeHead, write, end } = reply
  let page: Buffer[] | undefined
  let decided = false

  const decide = (): void => {
    if (decided) return
    decided = true
    if (/^text\/html/i.test(String(reply.getHeader('Content-Type')))) page = []
    else Object.assign(reply, { writeHead, write, end })
  }
  Object.assign(reply, {
    writeHead(status: number, ...rest: readonly unknown[]) {
      reply.statusCode = status
      const headers = rest.find((item) => typeof item === 'object' && item !== null) ?? {}
      for (const [name, value] of Object.entries(headers)) reply.setHeader(name, value as string)
      decide()
      return page === undefined ? writeHead.call(reply, status) : reply
    },
    write(chunk: string | Uint8Array, ...rest: readonly unknown[]) {
      decide()
      if (page === undefined) return (write as (...args: unknown[]) => boolean).call(reply, chunk, ...rest)
      page.push(Buffer.from(chunk as string))
      return true
    },
    end(chunk?: string | Uint8Array, ...rest: readonly unknown[]) {
      decide()
      if (page === undefined) return (end as (...args: unknown[]) => unknown).call(reply, chunk, ...rest)
      if (chunk !== undefined) page.push(Buffer.from(chunk as string))
      const body = withTag(Buffer.concat(page), tag)
      for (const name of OF_THE_OLD_PAGE) reply.removeHeader(name)
      reply.setHeader('Cache-Control', 'no-cache')
      reply.setHeader('Content-Length', body.byteLength)
      Object.assign(reply, { writeHead, write, end })
      return reply.end(body)
    },
  })
}

function withTag(page: Buffer, tag: string): Buffer {
  const insertion = findInsertion(page)
  if (insertion === undefined) return page
  return Buffer.concat([page.subarray(0, insertion.at), Buffer.from(tag), page.subarray(insertion.at)])
}
