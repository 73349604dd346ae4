import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'

/** The value of `Sec-WebSocket-Accept` for a client's key. */
export const acceptKey = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** A request as it was read from the socket. */
export interface ScriptedRequest {
  method: string
  /** The path without its query. */
  path: string
  target: string
  /** Names in lower case; of a repeated one, the last. */
  headers: Readonly<Record<string, string>>
  body: Buffer
  isUpgrade: boolean
}

/** A response whose parts may be invalid. */
export interface Answer {
  status?: number
  reason?: string
  /**
   * Added to `content-type: application/json`, the right `content-length` and `connection: close`; `undefined` takes
   * one away.
   */
  headers?: Readonly<Record<string, string | undefined>>
  body?: string | Uint8Array
}

/** The bytes of a status line and headers, with the empty line that ends them. */
export function head(status: number, headers: Answer['headers'], reason = STATUS_CODES[status] ?? 'Scripted'): Buffer {
  const lines = Object.entries(headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  )
  return Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`)
}

/** The bytes of a whole answer. */
export function encodeAnswer(answer: Answer): Buffer {
  const { status = 200, body = '{}', reason } = answer
  const bytes = Buffer.from(body)
  const defaults = {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    connection: 'close',
  }
  return Buffer.concat([head(status, { ...defaults, ...answer.headers }, reason), bytes])
}

/** One chunk of a chunked body. */
export function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

/** The chunk that ends a chunked body. */
export const lastChunk = Buffer.from('0\r\n\r\n')

/** Reads one whole request from the front of `bytes`. Undefined while the request is incomplete. */
export function takeRequest(bytes: Buffer): { request: ScriptedRequest; size: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [requestLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const [method = '', target = ''] = requestLine.split(' ')
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const bodyAt = headEnd + 4
  const length = Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding'] !== undefined) throw new Error('the scripted sidecar reads no chunked requests')
  if (bytes.length < bodyAt + length) return undefined
  const request: ScriptedRequest = {
    method,
    target,
    path: target.split('?')[0] ?? '',
    headers,
    body: Buffer.from(bytes.subarray(bodyAt, bodyAt + length)),
    isUpgrade: headers['upgrade']?.toLowerCase() === 'websocket',
  }
  return { request, size: bodyAt + length }
}
