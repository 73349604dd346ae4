import type { IncomingMessage } from 'node:http'
import { operations, stablePath, type OperationName } from '../../../protocol/operations.js'
import { malformed, METHOD_NOT_ALLOWED, notFound, type Refusal } from '../../http/refusal.js'

/** Prefix of the sidecar's paths on the origin of the pages. */
export const SIDECAR_PREFIX = '/_/sidecar'

export const isForSidecar = (target: string): boolean => target.startsWith(`${SIDECAR_PREFIX}/`)

export interface SidecarRoute {
  readonly refusal?: undefined
  readonly operation: OperationName
  /** Path and query, as the sidecar gets them. */
  readonly path: string
}

/** A request as it goes to the sidecar, and its failures. */
export interface Exchange extends SidecarRoute {
  readonly message: IncomingMessage
  readonly headers: Record<string, string>
  /** Answers with a refusal, before any part of another answer was sent. */
  refuse(refusal: Refusal): void
  /** Notes why an answer was cut off. */
  note(refusal: Refusal): void
}

interface Pattern {
  readonly operation: OperationName
  readonly method: string
  readonly path: RegExp
}

const ESCAPE = '%[\\da-fA-F]{2}'
/** A name as `encodeURIComponent` writes it, and all other characters that RFC 3986 allows in a segment. */
const NAME = `(?:[\\w.~!$&'()*+,;=:@-]|${ESCAPE})+`
const MASK = `updateMask(?:=(?:[\\w.~*,+-]|${ESCAPE})*)?`

const patterns: readonly Pattern[] = (Object.keys(operations) as OperationName[]).flatMap((operation) => {
  const [method, beta] = operations[operation]
  return [beta, stablePath(beta)].map((path) => {
    return { operation, method, path: new RegExp(`^${path.replace('{key}', () => NAME)}$`) }
  })
})
const maskQuery = new RegExp(`^${MASK}(?:&${MASK})*$`)

/**
 * Finds the operation of a method and of a target behind the prefix. Other spellings of a path are refused with the
 * sidecar's own message, so that a denied operation stays denied and the sidecar reads each path as the gateway did.
 */
export function findSidecarRoute(method: string, target: string): SidecarRoute | { readonly refusal: Refusal } {
  const [path = '', ...rest] = target.slice(SIDECAR_PREFIX.length).split('?')
  const query = rest.join('?')
  if (/%(?![\da-f]{2})/i.test(path)) return { refusal: malformed('The path has a malformed escape') }
  const found = patterns.filter((pattern) => pattern.path.test(path))
  const operation = found.find((pattern) => pattern.method === method)?.operation
  if (operation === undefined) return { refusal: found.length === 0 ? notFound('Not Found') : METHOD_NOT_ALLOWED }
  if (/^&*$/.test(query)) return { operation, path }
  if (method === 'PATCH' && maskQuery.test(query)) return { operation, path: `${path}?${query}` }
  return { refusal: malformed('The sidecar takes no query but updateMask, and that only with PATCH') }
}
