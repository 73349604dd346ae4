import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Headers that an answer may have got before it turned out to be an error. */
const OF_A_FILE = [
  'Accept-Ranges',
  'Cache-Control',
  'Content-Encoding',
  'Content-Length',
  'Content-Type',
  'ETag',
  'Last-Modified',
]

/** Longest name from a request that a message repeats. */
const MAX_NAME = 200

const OTHER_STATE = 'The file is not in the state that the request asks for.'

/** Says why there is no file, as HTML if the client takes that. Cuts off an answer that has begun. */
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

/** An error of the file system, or of the library that sends files. */
interface Failure extends NodeJS.ErrnoException {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Says why a file could not be sent. */
export function answerFailure(error: unknown, message: IncomingMessage, reply: ServerResponse): void {
  const { code = '', status, headers } = error as Failure
  const say = (as: number, text: string): void => answerStaticError(message, reply, as, text)
  if (!reply.headersSent) for (const [name, value] of Object.entries(headers ?? {})) reply.setHeader(name, value)
  if (status === 412) return say(412, OTHER_STATE)
  if (status === 416) return say(416, 'The file has no such range of bytes.')
  if (code === 'EACCES' || code === 'EPERM') return say(403, 'The file may not be read by the user that serves it.')
  if (code === 'ENOENT' || status === 404) return say(404, 'The file is no longer there.')
  if (code === 'EMFILE' || code === 'ENFILE') return say(503, 'Too many files are open; try again in a moment.')
  say(500, `The file could not be read${code === '' ? '' : ` (${code})`}.`)
}

export const acceptsHtml = ({ headers }: IncomingMessage): boolean =>
  (headers.accept ?? '').toLowerCase().includes('text/html')

/** A name from a request, short enough to be read. */
export const shortened = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

const page = (status: number, text: string): string =>
  '<!doctype html><html lang="en"><meta charset="utf-8">' +
  `<title>${status} ${STATUS_CODES[status] ?? ''}</title><p>${escapeHtml(text)}</p></html>\n`

/** For text, and for attributes in double quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
