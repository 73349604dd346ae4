import { isDeepStrictEqual } from 'node:util'
import type { IncomingMessage } from 'node:http'
import { isObject } from '../../../protocol/is-object.js'
import { MAX_BYTES } from '../../files/read-text-file.js'
import { parseJson } from '../../http/read-body.js'
import { refusals } from './resources.js'

export type Fields = Readonly<Record<string, unknown>>

/** The media type of a request. @throws StatusError unless it is one of these */
export function mediaTypeOf({ method, headers }: IncomingMessage, accepted: readonly string[]): string {
  // `kubectl scale` sends its PUT without a content type. A POST needs one: any page can send a POST without it.
  const given = headers['content-type'] || (method === 'POST' ? '' : accepted[0]!)
  const type = given.split(';')[0]!.trim().toLowerCase()
  if (accepted.includes(type)) return type
  const message = 'the body of the request was in an unknown format - accepted media types include: '
  throw refusals.mediaType(message + accepted.join(', '))
}

/** A body as an object. @throws StatusError */
export function readObject(message: IncomingMessage, text: string): Fields {
  mediaTypeOf(message, ['application/json'])
  const value = parseJson(text)
  if (!isObject(value)) throw refusals.badRequest('the body of the request must be a JSON object')
  return value
}

/** How to apply a patch, by its media type: what kubectl sends for these objects, and what client-node sends. */
const patches: Readonly<Record<string, (target: unknown, patch: unknown) => unknown>> = {
  'application/merge-patch+json': mergePatch,
  'application/json-patch+json': jsonPatch,
}

/** The object as the patch of a request leaves it. @throws StatusError */
export function patched(message: IncomingMessage, text: string, target: object): Fields {
  const result = patches[mediaTypeOf(message, Object.keys(patches))]!(target, parseJson(text))
  if (!isObject(result)) throw refusals.badRequest('the patch must leave an object')
  if (JSON.stringify(result).length > MAX_BYTES) {
    throw refusals.tooLarge('The patch leaves an object of more than 1.5 MiB')
  }
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

/** RFC 6902, without `move` and `copy`. */
function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw refusals.badRequest('a JSON patch must be a list of operations')
  const root = { '': structuredClone(target) }
  for (const operation of patch as unknown[]) apply(root, isObject(operation) ? operation : {})
  return root['']
}

function apply(root: object, { op, path, value }: Fields): void {
  const refuse = (problem: string): never => {
    throw refusals.badRequest(`a JSON patch can't ${String(op)} ${JSON.stringify(path)}: ${problem}`)
  }
  const valueAt = (holder: unknown, key: string): unknown => {
    const isThere = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
    if (!isThere || (Array.isArray(holder) && key === 'length')) return refuse('the path leads to nothing')
    return (holder as Fields)[key]
  }
  if (typeof path !== 'string' || !/^(\/|$)/.test(path)) return refuse('a path begins with "/"')
  const keys = path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const key = keys.pop()!
  const holder = keys.reduce<unknown>(valueAt, root)
  if (typeof holder !== 'object' || holder === null) return refuse('the path leads to nothing')
  const isNew = op === 'add' && (!Array.isArray(holder) || key === '-' || key === String(holder.length))
  const before = isNew ? undefined : valueAt(holder, key)
  const index = key === '-' && Array.isArray(holder) ? holder.length : Number(key)
  const define = (): unknown =>
    Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true })
  switch (op) {
    case 'add':
      return void (Array.isArray(holder) ? holder.splice(index, 0, value) : define())
    case 'remove':
      return void (Array.isArray(holder) ? holder.splice(index, 1) : delete (holder as Record<string, unknown>)[key])
    case 'replace':
      return void define()
    case 'test':
      return isDeepStrictEqual(before, value) ? undefined : refuse('the value is another')
    default:
      return refuse('there is no such operation')
  }
}
