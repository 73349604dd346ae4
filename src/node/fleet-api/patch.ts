import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../protocol/is-object.js'
import { parseJson } from '../local/control-routes.js'
import { findDocument } from '../local/yaml-documents.js'
import { refusals } from './status.js'

type Fields = Readonly<Record<string, unknown>>

const APPLY = 'application/apply-patch+yaml'
const objectTypes = ['application/json', 'application/yaml']
/** How to apply a patch, by its media type. The platform's objects take no strategic merge patch either. */
const patches: Readonly<Record<string, (target: unknown, patch: unknown) => unknown>> = {
  'application/json-patch+json': jsonPatch,
  'application/merge-patch+json': mergePatch,
  // Fields that the client no longer applies stay: nobody keeps who owns which.
  [APPLY]: mergePatch,
}

/** The media type of a request. @throws StatusError unless it is one of these */
function mediaTypeOf({ method, headers }: Request, accepted: readonly string[]): string {
  // `kubectl scale` names none for its PUT. A POST without a type is a request that any page can send.
  const given = headers.get('content-type') || (method === 'POST' ? '' : objectTypes[0]!)
  const type = given.split(';')[0]!.trim().toLowerCase()
  if (!accepted.includes(type)) throw refusals.mediaType(accepted)
  return type
}

/** Whether a request creates the object if there is none. */
export const creates = ({ headers }: Request): boolean => headers.get('content-type')?.startsWith(APPLY) === true

/** A body as an object. @throws StatusError */
export async function readObject(request: Request, text: string): Promise<Fields> {
  const value = await parse(text, mediaTypeOf(request, creates(request) ? [APPLY] : objectTypes))
  if (!isObject(value)) throw refusals.badRequest('the body of the request must be an object in JSON or YAML')
  return value
}

async function parse(text: string, type: string): Promise<unknown> {
  const value = parseJson(text)
  if (value !== undefined || !type.endsWith('yaml')) return value
  try {
    return (await findDocument(text, () => true)).value
  } catch (error) {
    throw refusals.badRequest((error as Error).message)
  }
}

/** The object as the patch of a request leaves it. @throws StatusError */
export async function patched(request: Request, text: string, target: object): Promise<Fields> {
  const type = mediaTypeOf(request, Object.keys(patches))
  const result = patches[type]!(target, await parse(text, type))
  if (!isObject(result)) throw refusals.badRequest('the patch must leave an object')
  return result
}

/** RFC 7386. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}

/** RFC 6902. */
function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw refusals.badRequest('a JSON patch must be a list of operations')
  return patch.reduce<unknown>((document, operation: unknown) => {
    const { op, path, from, value } = isObject(operation) ? operation : {}
    if (op === 'add') return edit(document, keysOf(path), () => value, true)
    if (op === 'replace') return edit(document, keysOf(path), () => value)
    if (op === 'remove') return edit(document, keysOf(path), () => undefined)
    if (op === 'copy' || op === 'move') {
      const source = valueOf(document, keysOf(from))
      const rest = op === 'copy' ? document : edit(document, keysOf(from), () => undefined)
      return edit(rest, keysOf(path), () => source, true)
    }
    if (op !== 'test') throw refusals.badRequest(`a JSON patch has no operation ${JSON.stringify(op)}`)
    if (isDeepStrictEqual(valueOf(document, keysOf(path)), value)) return document
    throw refusals.badRequest(`testing value ${JSON.stringify(path)} failed`)
  }, target)
}

function keysOf(path: unknown): readonly string[] {
  if (typeof path !== 'string' || !/^(\/|$)/.test(path)) throw missing(path)
  return path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const missing = (key: unknown) =>
  refusals.badRequest(`the path of a JSON patch leads to nothing: ${JSON.stringify(key)}`)

const valueOf = (document: unknown, keys: readonly string[]): unknown =>
  keys.reduce((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) throw missing(key)
    return (value as Fields)[key]
  }, document)

/** A copy with a changed value. A change to undefined removes it. */
function edit(document: unknown, [key, ...rest]: readonly string[], change: () => unknown, mayAdd = false): unknown {
  if (key === undefined) return change()
  const adds = mayAdd && rest.length === 0
  const entries: [string, unknown][] = Object.entries(isObject(document) || Array.isArray(document) ? document : {})
  const index = Array.isArray(document) && key === '-' ? entries.length : entries.findIndex(([own]) => own === key)
  const isEnd = Array.isArray(document) && Number(key) === entries.length
  if (index === -1 && !(adds && (isObject(document) || isEnd))) throw missing(key)
  const at = index === -1 ? entries.length : index
  const value = edit(entries[at]?.[1], rest, change, mayAdd)
  const kept = entries.slice(adds && Array.isArray(document) ? at : at + 1)
  const all = [...entries.slice(0, at), ...(value === undefined ? [] : [[key, value] as const]), ...kept]
  return Array.isArray(document) ? all.map(([, item]) => item) : Object.fromEntries(all)
}
