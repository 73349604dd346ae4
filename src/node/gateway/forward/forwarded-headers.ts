import type { IncomingHttpHeaders } from 'node:http'
import { SAFE_HEADERS } from '../../http/raw-response.js'

/**
 * The headers of a request that the sidecar gets. All others concern the connection, are the private affairs of a page
 * and its user, or could turn the call into another one: its method, its path, its deadline.
 */
const FORWARDED = ['accept', 'content-type', 'user-agent']

/** The headers of an answer that the client gets. All others could speak for the gateway, to the whole origin. */
const PASSED_BACK = ['content-type', 'content-encoding', 'content-length', 'retry-after']

/** Headers of every answer behind the sidecar's prefix. */
export const OWN_HEADERS = { ...SAFE_HEADERS, 'cross-origin-resource-policy': 'same-origin' } as const

/** The headers that go to the sidecar. */
export function requestHeaders(given: IncomingHttpHeaders): Record<string, string> {
  return pick(given, FORWARDED)
}

/** The headers of an answer: those that every answer gets, then those of the sidecar. */
export const responseHeaders = (
  given: IncomingHttpHeaders,
  more: Readonly<Record<string, string>> | undefined,
): Record<string, string> => ({ ...OWN_HEADERS, ...more, ...pick(given, PASSED_BACK) })

function pick(given: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])))
}
