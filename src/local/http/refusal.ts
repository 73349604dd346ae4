import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { asciiText } from '../../protocol/plain-text.js'

/** Why a request isn't served, in the shape of the sidecar's own errors. */
export interface Refusal {
  readonly status: number
  /** gRPC status code, as the sidecar's bodies carry it. */
  readonly code: number
  readonly message: string
}

export const malformed = (message: string): Refusal => ({ status: 400, code: 3, message })

export const forbidden = (message: string): Refusal => ({ status: 403, code: 7, message })

export const notFound = (message: string): Refusal => ({ status: 404, code: 5, message })

export const unavailable = (message: string): Refusal => ({ status: 503, code: 14, message })

export const METHOD_NOT_ALLOWED: Refusal = { status: 501, code: 12, message: 'Method Not Allowed' }

/** The body of an error, as the sidecar writes it. */
export const refusalBody = ({ code, message }: Pick<Refusal, 'code' | 'message'>): string =>
  JSON.stringify({ code, message, details: [] })

export interface RefusalForm {
  readonly contentType: string
  body(refusal: Refusal): string
}

export const SIDECAR_FORM: RefusalForm = { contentType: 'application/json', body: refusalBody }

export const TEXT_FORM: RefusalForm = {
  contentType: 'text/plain; charset=utf-8',
  body: ({ message }) => `${message}\n`,
}

/** Headers that keep an answer from being stored, taken for another type, or framed by another page. */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Headers that isolate a page from other origins. Every answer has both: the script of a worker needs the first one too. */
export const ISOLATING_HEADERS = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** Answers on a connection without a ServerResponse (a refused upgrade, a request that can't be parsed) and ends it. */
export function answerRaw(
  socket: Duplex,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (socket.destroyed || !socket.writable) return
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head =
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n`
  socket.once('error', () => socket.destroy())
  socket.end(head + body, () => socket.destroy())
}

/** A plain answer to a request that asked for an upgrade. Its connection ends with it. */
export function createReply(message: IncomingMessage, socket: Socket): ServerResponse {
  const reply = new ServerResponse(message)
  reply.shouldKeepAlive = false
  reply.assignSocket(socket)
  reply.once('finish', () => socket.end())
  // After an upgrade Node no longer hands the socket's `drain` on.
  socket.on('drain', () => reply.emit('drain'))
  return reply
}

/** Answers with a refusal: a request, whose connection stays, or an upgrade or unreadable bytes, whose connection ends. */
export function answerRefusal(
  to: ServerResponse | Socket,
  refusal: Refusal,
  headers?: Readonly<Record<string, string>>,
  form: RefusalForm = SIDECAR_FORM,
): void {
  const body = form.body(refusal)
  const all = { 'content-type': form.contentType, ...SAFE_HEADERS, ...headers }
  if (!('writeHead' in to)) return answerRaw(to, refusal.status, body, all)
  to.writeHead(refusal.status, { ...all, 'content-length': Buffer.byteLength(body) })
  to.end(body)
}

/** Most lines in a window. Further lines are only counted. */
const LINES = 20
const WINDOW_MS = 10_000
const MAX_LENGTH = 300

export type LineLog = (line: string) => void

/** Writes lines of plain text, without control characters, and no more of them than a person could read. */
export function createLineLog(write: LineLog | undefined): LineLog {
  if (write === undefined) return () => undefined
  let windowStart = -Infinity
  let written = 0
  let left = 0
  return (line) => {
    const time = performance.now()
    if (time - windowStart >= WINDOW_MS) {
      if (left > 0) write(`${left} more were not written`)
      windowStart = time
      written = left = 0
    }
    if (written === LINES) {
      left += 1
      return
    }
    written += 1
    write(asciiText(line, MAX_LENGTH))
  }
}

/** The line about a refused request. The query is left out, since it may hold a token. */
export const refusalLine = ({ method, url = '' }: IncomingMessage, { status, message }: Refusal): string =>
  `${status} ${method} ${url.split('?')[0]}: ${message}`
