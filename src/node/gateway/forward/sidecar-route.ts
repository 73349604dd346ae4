import { operations } from '../../../protocol/operations.js'
import type { OperationName } from '../../../protocol/operations.js'
import { malformed } from '../../http/refusal.js'
import type { Refusal } from '../../http/refusal.js'

/** Where a request is forwarded to. */
export interface SidecarRoute {
  readonly refusal?: undefined
  readonly operation: OperationName
  /** Path and query, as the sidecar gets them. */
  readonly path: string
}

interface Pattern {
  readonly operation: OperationName
  readonly method: string
  readonly path: RegExp
}

const ESCAPE = '%[\\da-fA-F]{2}'
/** A name as `encodeURIComponent` writes it, and what else RFC 3986 lets stand in a segment. */
const NAME = `((?:[\\w.~!$&'()*+,;=:@-]|${ESCAPE})+)`
const MASK = `updateMask(?:=(?:[\\w.~*,+-]|${ESCAPE})*)?`

const patterns: readonly Pattern[] = (Object.keys(operations) as OperationName[]).map((operation) => {
  const [method, path] = operations[operation]
  return { operation, method, path: new RegExp(`^${path.replace('{key}', () => NAME)}$`) }
})
const maskQuery = new RegExp(`^${MASK}(?:&${MASK})*$`)

const NOT_FOUND: Refusal = { status: 404, code: 5, message: 'Not Found' }
const METHOD_NOT_ALLOWED: Refusal = { status: 501, code: 12, message: 'Method Not Allowed' }

/**
 * Finds the operation that a method and a target are exactly: no other spelling of a path is forwarded, so
 * that what is denied stays denied, and the sidecar never reads a path in another way than it was read here.
 * What the sidecar would refuse is refused in its words.
 */
export function findSidecarRoute(method: string, target: string): SidecarRoute | { readonly refusal: Refusal } {
  const at = target.indexOf('?')
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
  if (/%(?![\da-f]{2})/i.test(path)) return { refusal: malformed('The path has a malformed escape') }
  const found = patterns.filter((pattern) => isPath(pattern.path.exec(path)))
  const operation = found.find((pattern) => pattern.method === method)?.operation
  if (operation === undefined) return { refusal: found.length === 0 ? NOT_FOUND : METHOD_NOT_ALLOWED }
  if (/^&*$/.test(query)) return { operation, path }
  if (method === 'PATCH' && maskQuery.test(query)) return { operation, path: `${path}?${query}` }
  return { refusal: malformed('The sidecar takes no query but updateMask, and that only with PATCH') }
}

/**
 * Whether a name in a path, if there is one, stays a name when somebody on the way reads its escapes and
 * dots.
 */
function isPath(match: RegExpExecArray | null): boolean {
  if (match?.[1] === undefined) return match !== null
  try {
    return !/^\.\.?$|[/\x00-\x1f\x7f]/.test(decodeURIComponent(match[1]))
  } catch {
    return false
  }
}
