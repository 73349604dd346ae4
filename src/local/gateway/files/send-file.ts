import type { Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { insertScript, pageType } from './html-insertion.js'

export interface Exchange {
  readonly message: IncomingMessage
  readonly reply: ServerResponse
}

export type Headers = Readonly<Record<string, string>>

/** Sends a file, or the part of it that was asked for. */
export const sendFile = (path: string, headers: Headers, { message, reply }: Exchange): Promise<void> =>
  withFile(path, async (file) => {
    const stat = await file.stat()
    const about = { ...headers, 'Accept-Ranges': 'bytes', ...validators(stat) }
    if (answerCondition(about, stat, { message, reply })) return
    const range = readRange(message, stat.size, about)
    const { start, end } = range ?? { start: 0, end: stat.size - 1 }
    if (start > end && range !== undefined) {
      reply.setHeader('Content-Range', `bytes */${stat.size}`)
      return answerStaticError(reply, 416, 'The file has no such range of bytes.')
    }
    const length = end - start + 1
    const part = range === undefined ? {} : { 'Content-Range': `bytes ${start}-${end}/${stat.size}` }
    reply.writeHead(range === undefined ? 200 : 206, { ...about, ...part, 'Content-Length': length })
    if (message.method === 'HEAD' || length === 0 || reply.destroyed) return void reply.end()
    const stream = file.createReadStream({ start, end })
    // A file that became shorter meanwhile must not look whole.
    stream.once('end', () => stream.bytesRead < length && reply.destroy())
    await pipeline(stream, reply)
  })

/** Sends a page with a script in front of all others. */
export const sendPage = (path: string, script: string, { message, reply }: Exchange): Promise<void> =>
  withFile(path, async (file) => {
    const stat = await file.stat()
    const source = await file.readFile()
    const page = insertScript(source, script)
    const about = { 'Content-Type': pageType(source), ...validators(stat, `-${script.length.toString(36)}`) }
    if (answerCondition(about, stat, { message, reply })) return
    reply.writeHead(200, { ...about, 'Content-Length': page.byteLength })
    reply.end(page)
  })

/** Sends the content of a compressed file to a client that can't unpack it: browsers take Brotli by https only. */
export const sendUnpacked = (
  path: string,
  encoding: string,
  headers: Headers,
  { message, reply }: Exchange,
): Promise<void> =>
  withFile(path, async (file) => {
    reply.writeHead(200, headers)
    if (message.method === 'HEAD' || reply.destroyed) return void reply.end()
    await pipeline(file.createReadStream(), encoding === 'br' ? createBrotliDecompress() : createGunzip(), reply)
  })

async function withFile(path: string, send: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path)
  try {
    await send(file)
  } finally {
    await file.close()
  }
}

type Validators = Readonly<Record<'ETag' | 'Last-Modified', string>>

const validators = ({ size, mtime }: Stats, mark = ''): Validators => ({
  ETag: `W/"${size.toString(36)}-${mtime.getTime().toString(36)}${mark}"`,
  'Last-Modified': mtime.toUTCString(),
})

/** Answers 304 if the client has the file already (RFC 9110, 13.1). Returns false, nothing sent, otherwise. */
function answerCondition(about: Validators & Headers, { mtime }: Stats, { message, reply }: Exchange): boolean {
  const { 'if-none-match': noneMatch, 'if-modified-since': since } = message.headers
  const isKnown =
    noneMatch === undefined
      ? since !== undefined && Math.floor(mtime.getTime() / 1000) * 1000 <= Date.parse(since)
      : names(noneMatch, about.ETag)
  if (isKnown) {
    const { 'Content-Type': _type, ...headers } = about
    reply.writeHead(304, headers).end()
  }
  return isKnown
}

/** Whether an If-None-Match header names an entity tag. Weak ones count too. */
const names = (header: string, etag: string): boolean =>
  header.trim() === '*' || (header.match(/"[^"]*"/g) ?? []).some((tag) => etag.endsWith(tag))

interface Range {
  readonly start: number
  /** The last byte. It is before `start` if the file has no such range. */
  readonly end: number
}

/** The range to send. Undefined for several ranges and for a file that has changed: then the whole file is sent. */
function readRange({ headers }: IncomingMessage, size: number, about: Validators): Range | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  const condition = headers['if-range'] ?? about.ETag
  if (first + last === '' || size === 0 || !Object.values(about).includes(String(condition))) return undefined
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size - 1 }
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

export function answerStaticError(reply: ServerResponse, status: number, text: string): void {
  reply.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text) + 1,
    'Cache-Control': 'no-store',
  })
  reply.end(`${text}\n`)
}

/** Says why a file could not be sent. Cuts off an answer that has begun. */
export function answerFailure(error: unknown, reply: ServerResponse): void {
  if (reply.headersSent) return void reply.destroy()
  const { code = '' } = error as NodeJS.ErrnoException
  const isGone = code === 'ENOENT'
  const text = isGone ? 'The file is no longer there.' : `The file could not be read${code && ` (${code})`}.`
  answerStaticError(reply, isGone ? 404 : 500, text)
}
