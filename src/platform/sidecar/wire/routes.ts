import { operations, type FieldKind, type OperationName } from '../../../protocol/operations.js'
import type { Call } from '../state/events.js'

/** The fields of a request message, and the kind of each. */
export type MessageShape = Readonly<Record<string, FieldKind>>

/** The target of a request. */
export type Route =
  | { readonly type: 'watch' }
  | { readonly type: 'call'; readonly operation: Call['operation']; readonly key: RouteKey }
  /** An operation of the alpha interface, which exists but is always disabled. */
  | { readonly type: 'player-tracking'; readonly shape: MessageShape }
  | { readonly type: 'not-found' }
  | { readonly type: 'wrong-method' }

/** The name of a counter or list in a path. */
export interface RouteKey {
  readonly text: string
  /** False if the path isn't valid UTF-8; `text` then holds replacement characters. */
  readonly isUtf8: boolean
}

/** A path with its escapes resolved. */
export interface DecodedPath {
  readonly text: string
  readonly isUtf8: boolean
}

interface Pattern {
  readonly method: string
  readonly segments: readonly string[]
  readonly verb: string | undefined
  /** An operation, or the message of one of the alpha interface. */
  readonly target: OperationName | MessageShape
}

const playerTracking: readonly (readonly [method: string, path: string, shape?: MessageShape])[] = [
  ['POST', '/alpha/player/connect', { playerID: 'text' }],
  ['POST', '/alpha/player/disconnect', { playerID: 'text' }],
  ['PUT', '/alpha/player/capacity', { count: 'int64' }],
  ['GET', '/alpha/player/capacity'],
  ['GET', '/alpha/player/count'],
  ['GET', '/alpha/player/connected'],
  ['GET', '/alpha/player/connected/{key}'],
]

const patterns: readonly Pattern[] = [
  ...(Object.keys(operations) as OperationName[]).map((operation) =>
    compile(operations[operation][0], operations[operation][1], operation),
  ),
  ...playerTracking.map(([method, path, shape = {}]) => compile(method, path, shape)),
]

function compile(method: string, path: string, target: Pattern['target']): Pattern {
  const [, bare = '', verb] = /^\/(.*?)(?::(\w+))?$/.exec(path) ?? []
  return { method, segments: bare.split('/'), verb, target }
}

/** Finds the operation of a method and a path. An escaped slash counts as a plain slash. */
export function findRoute(method: string, { text, isUtf8 }: DecodedPath): Route {
  const segments = text.slice(1).split('/')
  // The real gateway doesn't know a path with a verb and no name.
  if (method === 'POST' && /^:(addValue|removeValue)$/.test(segments.at(-1)!)) return { type: 'not-found' }
  let type: 'not-found' | 'wrong-method' = 'not-found'
  for (const pattern of patterns) {
    const key = match(pattern, segments)
    if (key === undefined) continue
    if (pattern.method !== method) type = 'wrong-method'
    else if (typeof pattern.target === 'object') return { type: 'player-tracking', shape: pattern.target }
    else if (pattern.target === 'watchGameServer') return { type: 'watch' }
    else return { type: 'call', operation: pattern.target, key: { text: key, isUtf8 } }
  }
  return { type }
}

/** The name in a path that matches, '' for a pattern without one; undefined if the path doesn't match. */
function match({ segments: expected, verb }: Pattern, segments: readonly string[]): string | undefined {
  if (segments.length !== expected.length) return undefined
  const last = segments.at(-1)!
  const suffix = verb === undefined ? '' : `:${verb}`
  if (!last.endsWith(suffix)) return undefined
  const found = [...segments.slice(0, -1), last.slice(0, last.length - suffix.length)]
  if (!expected.every((segment, i) => segment === '{key}' || segment === found[i])) return undefined
  return expected.includes('{key}') ? found[expected.indexOf('{key}')] : ''
}

/** Resolves the escapes of a path; undefined if one is malformed. */
export function decodePath(path: string): DecodedPath | undefined {
  if (/%(?![\da-f]{2})/i.test(path)) return undefined
  try {
    return { text: decodeURIComponent(path), isUtf8: true }
  } catch {
    return { text: path.replace(/(?:%[\da-f]{2})+/gi, decodeEscapes), isUtf8: false }
  }
}

function decodeEscapes(escapes: string): string {
  const bytes = escapes.split('%').slice(1)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes, (hex) => parseInt(hex, 16)))
}
