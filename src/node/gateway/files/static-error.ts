import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** What an answer may have been given before it turned out to be an error. */
const OF_A_FILE = [
  'Accept-Ranges',
  'Cache-Control',
  'Content-Encoding',
  'Content-Length',
  'Content-Type',
  'ETag',
  'Last-Modified',
]

const MAX_NAME = 200

export const OTHER_STATE = 'The file is not in the state that the request asks for.'

/** Says in words why there is no file, as a page to who asked for one; cuts off an answer that has begun. */
export function answerStaticError(message: IncomingMessage, reply: ServerResponse, status: number, text: string): void {
  if (reply.headersSent) {
    reply.destroy()
    return
  }
  for (const name of OF_A_FILE) reply.removeHeader(name)
  const isPage = acceptsHtml(message)
  const body = Buffer.from(isPage ? page(status, text) : `${text}\n`)
  reply.writeHead(status, {
    'Content-Type': `text/${isPage ? 'html' : 'plain'}; charset=utf-8`,
    'Content-Length': body.byteLength,
    'Content-Security-Policy': "default-src 'none'",
    'Cache-Control': 'no-store',
  })
  reply.end(message.method === 'HEAD' ? undefined : body)
}

export const acceptsHtml = ({ headers }: IncomingMessage): boolean =>
  (headers.accept ?? '').toLowerCase().includes('text/html')

/** A name from a request, short enough to be read. */
export const shortened = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

const page = (status: number, text: string): string =>
  '<!doctype html><html lang="en"><meta charset="utf-8">' +
  `<title>${status} ${STATUS_CODES[status] ?? ''}</title><p>${escapeHtml(text)}</p></html>\n`

/** For text and for attributes in double quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
