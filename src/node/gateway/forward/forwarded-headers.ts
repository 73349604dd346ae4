import { validateHeaderValue } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'

/** Headers that RFC 9110 (7.6.1) and its predecessors define for one connection only. */
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
 * Headers that the sidecar must not get. The gateway says some anew: the length, the host, how the answer may be packed.
 * Some are the private affairs of a page and its user, and some would turn the call into another one.
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
/** Many programs read an underscore as a hyphen, so `content_length` would be a second length. */
const NOT_FORWARDED_KINDS = /^(sec-|x-forwarded-|x-real-ip$|access-control-)|_/

/** Headers of the sidecar that don't reach the client: the gateway itself decides who may read and keep an answer. */
const NOT_PASSED_BACK = new Set([
  ...HOP_BY_HOP,
  'cache-control',
  'cross-origin-resource-policy',
  'set-cookie',
  'x-content-type-options',
])

/**
 * The headers that go to the sidecar; undefined if a value holds a character that no header may have. Node's parser lets
 * some of those pass that its writer refuses.
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
 * The headers of an upgrade that go to the sidecar. It has neither subprotocols nor extensions, so none is asked for.
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

/** The head with which the client's handshake is accepted. It holds only the headers that are part of a handshake. */
export function handshakeHead({ upgrade, 'sec-websocket-accept': accept }: IncomingHttpHeaders): string {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade']
  if (upgrade !== undefined) lines.push(`Upgrade: ${upgrade}`)
  if (accept !== undefined) lines.push(`Sec-WebSocket-Accept: ${accept}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** The headers of an answer: those that every answer gets, then those of the sidecar. Names and values in turn. */
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
    const isDropped = NOT_PASSED_BACK.has(name) || name.startsWith('access-control-') || dropped.includes(name)
    if (!isDropped) headers.push(rawHeaders[i]!, rawHeaders[i + 1]!)
  }
  return headers
}

/** The headers that a Connection header names, which are meant for that connection only. */
const namedBy = (connection: string | undefined): string[] =>
  connection?.split(',').map((name) => name.trim().toLowerCase()) ?? []

function isValid(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
