import { validateHeaderValue } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** What RFC 9110 (7.6.1) and its predecessors mean for one connection only. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/**
 * What the sidecar must not get: what is said anew on the way (the length, the host, how the answer may be
 * packed), a page's and its user's own affairs, and what would make another call of it.
 */
const NOT_FORWARDED = new Set([
  ...HOP_BY_HOP,
  'accept-encoding',
  'authorization',
  'content-length',
  'cookie',
  'cookie2',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'origin',
  'referer',
  'via',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
])
/** Many programs take an underscore for a hyphen, so that `content_length` would be a second length. */
const NOT_FORWARDED_KINDS = /^(sec-|x-forwarded-|x-real-ip$|access-control-)|_/

/** What isn't passed back: who may read an answer is the gateway's to say, and what it is kept for. */
const NOT_PASSED_BACK = new Set([
  ...HOP_BY_HOP,
  'cache-control',
  'cross-origin-resource-policy',
  'set-cookie',
  'x-content-type-options',
])

/**
 * The headers that go to the sidecar. Undefined where one holds what no header may, which Node's parser is
 * more lenient about than its writer.
 */
export function requestHeaders(given: IncomingHttpHeaders): Record<string, string> | undefined {
  const dropped = namedBy(given.connection)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (NOT_FORWARDED.has(name) || NOT_FORWARDED_KINDS.test(name) || dropped.includes(name)) continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value!
    if (!isValid(name, headers[name])) return undefined
  }
  return headers
}

/**
 * The headers of an upgrade that go to the sidecar: no subprotocol and no extension, of which it has none.
 */
export function upgradeHeaders(given: IncomingHttpHeaders): Record<string, string> | undefined {
  const headers = requestHeaders(given)
  if (headers === undefined) return undefined
  for (const name of ['sec-websocket-key', 'sec-websocket-version']) {
    const value = given[name]
    if (typeof value === 'string') headers[name] = value
  }
  return { ...headers, connection: 'Upgrade', upgrade: 'websocket' }
}

/** The headers of a handshake's answer that are part of it. */
export const handshakeHeaders = (given: IncomingHttpHeaders): IncomingHttpHeaders => ({
  upgrade: given.upgrade,
  connection: 'Upgrade',
  'sec-websocket-accept': given['sec-websocket-accept'],
})

/**
 * The headers of an answer that isn't the handshake's; the one that says how long it is stays for the proxy.
 */
export function refusedHandshakeHeaders({ headers, rawHeaders }: IncomingMessage): IncomingHttpHeaders {
  const flat = responseHeaders(rawHeaders, headers.connection, undefined)
  const kept: IncomingHttpHeaders = {}
  for (let i = 0; i + 1 < flat.length; i += 2) kept[flat[i]!.toLowerCase()] = flat[i + 1]!
  return { ...kept, 'transfer-encoding': headers['transfer-encoding'] }
}

/** The headers of the sidecar's answer, names and values in turn, with those that every answer has. */
export function responseHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  more: Readonly<Record<string, string>> | undefined,
): string[] {
  const dropped = namedBy(connection)
  const headers = [
    ...['Cache-Control', 'no-store'],
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Cross-Origin-Resource-Policy', 'same-origin'],
    ...Object.entries(more ?? {}).flat(),
  ]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const isOwn = NOT_PASSED_BACK.has(name) || name.startsWith('access-control-') || dropped.includes(name)
    if (!isOwn) headers.push(rawHeaders[i]!, rawHeaders[i + 1]!)
  }
  return headers
}

/** The headers that a Connection header names as meant for this connection only. */
const namedBy = (connection: string | undefined): string[] =>
  connection === undefined ? [] : connection.split(',').map((name) => name.trim().toLowerCase())

function isValid(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
