import { operations } from '../../protocol/operations.js'
import type { OperationName } from '../../protocol/operations.js'

/** Where a request leads. */
export type Route =
  | { readonly type: 'operation'; readonly operation: OperationName; readonly key: Uint8Array }
  /** An operation of the alpha interface, which is there and always switched off. */
  | { readonly type: 'player-tracking'; readonly field: 'playerID' | 'count' | undefined }
  /** The bare server refuses a malformed escape before anything else looks at it. */
  | { readonly type: 'bad-escape' }
  | { readonly type: 'not-found' }
  | { readonly type: 'wrong-method' }

interface Pattern {
  readonly method: string
  readonly segments: readonly string[]
  readonly verb: string | undefined
  readonly target: { readonly operation: OperationName } | { readonly field: 'playerID' | 'count' | undefined }
}

const alpha: readonly (readonly [method: string, path: string, field?: 'playerID' | 'count'])[] = [
  ['POST', '/alpha/player/connect', 'playerID'],
  ['POST', '/alpha/player/disconnect', 'playerID'],
  ['PUT', '/alpha/player/capacity', 'count'],
  ['GET', '/alpha/player/capacity'],
  ['GET', '/alpha/player/count'],
  ['GET', '/alpha/player/connected'],
  ['GET', '/alpha/player/connected/{key}'],
]

const patterns: readonly Pattern[] = [
  ...(Object.keys(operations) as OperationName[]).map((operation) =>
    compile(operations[operation][0], operations[operation][1], { operation }),
  ),
  ...alpha.map(([method, path, field]) => compile(method, path, { field })),
]

function compile(method: string, path: string, target: Pattern['target']): Pattern {
  const [, bare, verb] = /^\/(.*?)(?::(\w+))?$/.exec(path)!
  return { method, segments: bare!.split('/'), verb, target }
}

/**
 * Finds the operation of a path as it came, escapes and all. A form post may also lead to a GET, as the real
 * gateway allows for the sake of overlong queries.
 */
export function findRoute(method: string, path: string, form: boolean): Route {
  const bytes = unescapePath(path)
  if (!bytes) return { type: 'bad-escape' }
  const components = splitPath(bytes)
  const verbAlone = method === 'POST' && /^:(addValue|removeValue)$/.test(latin1(components[components.length - 1]!))
  if (verbAlone) return { type: 'not-found' }
  for (const pattern of patterns) {
    if (pattern.method !== method) continue
    const route = match(pattern, components)
    if (route) return route
  }
  const others = patterns.filter((pattern) => pattern.method !== method && match(pattern, components))
  if (others.length === 0) return { type: 'not-found' }
  const fallback = form && method === 'POST' ? others.find((pattern) => pattern.method === 'GET') : undefined
  return (fallback && match(fallback, components)) ?? { type: 'wrong-method' }
}

function match(pattern: Pattern, components: readonly Uint8Array[]): Route | undefined {
  if (components.length !== pattern.segments.length) return undefined
  let key: Uint8Array = new Uint8Array(0)
  for (const [i, segment] of pattern.segments.entries()) {
    let component = components[i]!
    if (pattern.verb !== undefined && i === pattern.segments.length - 1) {
      const tail = `:${pattern.verb}`
      if (!latin1(component).endsWith(tail)) return undefined
      component = component.subarray(0, component.length - tail.length)
    }
    if (segment === '{key}') key = component
    else if (latin1(component) !== segment) return undefined
  }
  return 'operation' in pattern.target
    ? { type: 'operation', operation: pattern.target.operation, key }
    : { type: 'player-tracking', field: pattern.target.field }
}

/** The bytes of a path with its escapes resolved, undefined where one is malformed. */
export function unescapePath(path: string): Uint8Array | undefined {
  const bytes: number[] = []
  for (let at = 0; at < path.length; at++) {
    if (path[at] !== '%') {
      const code = path.codePointAt(at)!
      if (code < 0x80) bytes.push(code)
      else {
        bytes.push(...new TextEncoder().encode(String.fromCodePoint(code)))
        if (code > 0xffff) at++
      }
      continue
    }
    const digits = path.slice(at + 1, at + 3)
    if (!/^[\da-f]{2}$/i.test(digits)) return undefined
    bytes.push(parseInt(digits, 16))
    at += 2
  }
  return Uint8Array.from(bytes)
}

/** Segments behind the first slash; an escaped slash separates as a plain one does. */
function splitPath(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  let start = 1
  for (let at = 1; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== 0x2f) continue
    parts.push(bytes.subarray(start, at))
    start = at + 1
  }
  return parts.length > 0 ? parts : [bytes]
}

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
