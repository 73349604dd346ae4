import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Longest name from a request that a message repeats. */
const MAX_NAME = 200

/** Says why there is no file, as HTML if the client takes that. */
export function answerStaticError(message: IncomingMessage, reply: ServerResponse, status: number, text: string): void {
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

/** Says why a file could not be sent. Cuts off an answer that has begun. */
export function answerFailure(error: unknown, message: IncomingMessage, reply: ServerResponse): void {
  if (reply.headersSent) return void reply.destroy()
  const { code = '' } = error as NodeJS.ErrnoException
  const say = (status: number, text: string): void => answerStaticError(message, reply, status, text)
  if (code === 'EACCES' || code === 'EPERM') return say(403, 'The file may not be read by the user that serves it.')
  if (code === 'ENOENT') return say(404, 'The file is no longer there.')
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

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
