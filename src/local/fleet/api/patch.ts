import { isDeepStrictEqual } from 'node:util'
import type { IncomingMessage } from 'node:http'
import { isObject } from '../../../protocol/is-object.js'
import { parseJson } from '../../sidecar/control-routes.js'
import { MAX_BYTES } from '../../files/read-text-file.js'
import { findDocument } from '../../files/yaml-documents.js'
import { refusals } from './resources.js'

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
export function mediaTypeOf({ method, headers }: IncomingMessage, accepted: readonly string[]): string {
  // `kubectl scale` sends its PUT without a content type. A POST needs one: any page can send a POST without it.
  const given = headers['content-type'] || (method === 'POST' ? '' : objectTypes[0]!)
  const type = given.split(';')[0]!.trim().toLowerCase()
  if (accepted.includes(type)) return type
  const message = 'the body of the request was in an unknown format - accepted media types include: '
  throw refusals.mediaType(message + accepted.join(', '))
}

/** Whether a request creates the object if there is none. */
export const creates = ({ headers }: IncomingMessage): boolean => headers['content-type']?.startsWith(APPLY) === true

/** A body as an object. @throws StatusError */
export async function readObject(message: IncomingMessage, text: string): Promise<Fields> {
  const value = await parse(text, mediaTypeOf(message, creates(message) ? [APPLY] : objectTypes))
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
export async function patched(message: IncomingMessage, text: string, target: object): Promise<Fields> {
  const type = mediaTypeOf(message, Object.keys(patches))
  const result = patches[type]!(target, await parse(text, type))
  if (!isObject(result)) throw refusals.badRequest('the patch must leave an object')
  if (JSON.stringify(result).length > MAX_BYTES)
    throw refusals.tooLarge('The patch leaves an object of more than 1.5 MiB')
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

/** Limits of the platform's API server: operations of a JSON patch, and bytes that its copies add. */
const MOST_OPERATIONS = 10_000
const MOST_COPIED = 3 * 1024 * 1024

/** A value's place: what holds it, and its key there. */
type Place = readonly [holder: Record<string, unknown>, key: string]

/** RFC 6902. */
function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw refusals.badRequest('a JSON patch must be a list of operations')
  if (patch.length > MOST_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.length}`
    throw refusals.tooLarge(message)
  }
  let copied = 0
  const root: Record<string, unknown> = { '': structuredClone(target) }
  const valueAt = ([holder, key]: Place): unknown => {
    if (Object.hasOwn(holder, key) && !(Array.isArray(holder) && key === 'length')) return holder[key]
    throw refusals.badRequest(`the path of a JSON patch leads to nothing: ${JSON.stringify(key)}`)
  }
  const placeOf = (path: unknown): Place => {
    if (typeof path !== 'string' || !/^(\/|$)/.test(path)) throw refusals.badRequest('a JSON patch needs a path')
    const keys = path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const key = keys.pop()!
    const holder = keys.reduce<unknown>((value, key) => valueAt([value as Place[0], key]), root)
    if (typeof holder === 'object' && holder !== null) return [holder as Place[0], key]
    throw refusals.badRequest(`the path of a JSON patch leads to nothing: ${JSON.stringify(path)}`)
  }
  const put = ([holder, key]: Place, value: unknown): void => {
    if (!Array.isArray(holder))
      return void Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true })
    if (key !== '-' && key !== String(holder.length)) valueAt([holder, key])
    holder.splice(key === '-' ? holder.length : Number(key), 0, value)
  }
  const take = (place: Place): unknown => {
    const [holder, key] = place
    const value = valueAt(place)
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else delete holder[key]
    return value
  }
  const operations: Readonly<Record<string, (operation: Fields) => void>> = {
    add: ({ path, value }) => put(placeOf(path), value),
    remove: ({ path }) => take(placeOf(path)),
    replace({ path, value }) {
      const [holder, key] = placeOf(path)
      valueAt([holder, key])
      holder[key] = value
    },
    copy({ from, path }) {
      const text = JSON.stringify(valueAt(placeOf(from)))
      copied += text.length
      if (copied > MOST_COPIED)
        throw refusals.tooCostly(`the copies of a JSON patch add more than ${MOST_COPIED} bytes`)
      put(placeOf(path), JSON.parse(text))
    },
    move({ from, path }) {
      const value = take(placeOf(from))
      put(placeOf(path), value)
    },
    test({ path, value }) {
      if (!isDeepStrictEqual(valueAt(placeOf(path)), value))
        throw refusals.badRequest(`testing ${JSON.stringify(path)} failed`)
    },
  }
  for (const operation of patch as unknown[]) {
    const { op } = isObject(operation) ? operation : {}
    if (typeof op !== 'string' || !Object.hasOwn(operations, op))
      throw refusals.badRequest(`a JSON patch has no operation ${JSON.stringify(op)}`)
    operations[op]!(operation as Fields)
  }
  return root['']
}
