import { ServerResponse, STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { SIDECAR_FORM } from './refusal.js'
import type { Refusal, RefusalForm } from './refusal.js'

/** Headers that keep an answer from being stored, taken for something else, or shown inside another page. */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Answers on a connection without a ServerResponse (a refused upgrade, a request that can't be parsed) and ends it. */
export function answerRaw(
  socket: Duplex,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' },
): void {
  if (socket.destroyed || !socket.writable) return
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head =
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n`
  socket.once('error', () => socket.destroy())
  socket.end(head + body, () => socket.destroy())
}

export const refuseRaw = (
  socket: Duplex,
  refusal: Refusal,
  headers?: Readonly<Record<string, string>>,
  form = SIDECAR_FORM,
): void => {
  answerRaw(socket, refusal.status, form.body(refusal), headersOf(form, headers))
}

const headersOf = (form: RefusalForm, headers?: Readonly<Record<string, string>>): Record<string, string> => ({
  'content-type': form.contentType,
  ...SAFE_HEADERS,
  ...headers,
})

/** A plain answer, the last on its connection, to a request that asked for an upgrade. */
export function createReply(message: IncomingMessage, socket: Socket): ServerResponse {
  const reply = new ServerResponse(message)
  reply.shouldKeepAlive = false
  reply.assignSocket(socket)
  reply.once('finish', () => socket.end())
  // After an upgrade Node tells nobody that there is room again.
  socket.on('drain', () => reply.emit('drain'))
  return reply
}

/** Answers a plain request with a refusal; the connection stays. */
export const answerRefusal = (
  reply: ServerResponse,
  refusal: Refusal,
  headers?: Readonly<Record<string, string>>,
  form = SIDECAR_FORM,
): void => {
  const body = form.body(refusal)
  reply.writeHead(refusal.status, { ...headersOf(form, headers), 'content-length': Buffer.byteLength(body) })
  reply.end(body)
}

/** Whether nobody waits for an answer any more. Over HTTP/2 only its stream tells. */
export const hasClosed = (reply: ServerResponse & { readonly stream?: { readonly destroyed: boolean } }): boolean =>
  reply.destroyed || reply.stream?.destroyed === true
