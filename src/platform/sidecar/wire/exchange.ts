import { copyOf } from '../state/show.js'

/** The most bytes of a body that are kept. */
const excerptBytes = 16 * 1024

/** A received request. A longer body is cut, and `bodyBytes` is its full length. */
export interface RequestRecord {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bodyBytes?: number
}

/** A sent answer. */
export interface ResponseRecord {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bodyBytes?: number
}

/** A request and its answer; without an answer if the connection was cut. */
export interface Exchange {
  readonly request: RequestRecord
  readonly response?: ResponseRecord
}

/** Headers whose values aren't kept. */
const secret: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie'])
const redacted = '(redacted)'

export function recordRequest(method: string, target: string, headers: Headers, body: Uint8Array): RequestRecord {
  const kept: Record<string, string> = {}
  headers.forEach((value, name) => {
    kept[name] = secret.has(name) ? redacted : value
  })
  return { method, target: copyOf(target.slice(0, excerptBytes)), headers: kept, ...bodyOf(body) }
}

export function recordResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): ResponseRecord {
  if (body.length <= excerptBytes) return { status, headers, body }
  const bodyBytes = new TextEncoder().encode(body).length
  return { status, headers, body: copyOf(body.slice(0, excerptBytes)), bodyBytes }
}

function bodyOf(bytes: Uint8Array): Pick<RequestRecord, 'body' | 'bodyBytes'> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  if (bytes.length <= excerptBytes) return { body: decoder.decode(bytes) }
  return { body: decoder.decode(bytes.subarray(0, excerptBytes)), bodyBytes: bytes.length }
}
