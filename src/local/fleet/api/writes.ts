import { isDeepStrictEqual } from 'node:util'
import type { FleetResult, PlatformObject, RunningFleet } from '../../../platform/fleet.js'
import { STATES } from '../../../protocol/game-server.js'
import { isObject } from '../../../protocol/is-object.js'
import { InvalidInput, readFleet } from '../../../platform/schema.js'
import { show, type ControlCommand } from '../../../platform/sidecar.js'
import { patched, readObject, type Fields } from './patch.js'
import { existing, found, scaleOf } from './reads.js'
import { apiVersionOf, refusals, type Answer, type ApiRequest } from './resources.js'

/** What the Fleet does when a client writes an object. */
interface Writer {
  replace(fleet: RunningFleet, current: PlatformObject, next: Fields): FleetResult
  remove(fleet: RunningFleet, current: PlatformObject): FleetResult
}

const writers: Readonly<Record<string, Writer>> = {
  fleets: {
    replace: replaceFleet,
    remove: () => ({ ok: false, status: 409, message: 'it lives as long as its command; end the command with Ctrl+C' }),
  },
  gameservers: {
    replace: replaceGameServer,
    // Whatever grace a client asks for, `pkg/gameservers/controller.go` takes that of the pod.
    remove: (fleet, { metadata }) => fleet.perform({ type: 'delete', server: metadata.name }),
  },
}

/** PUT and PATCH of an object or its scale. */
export function change(request: ApiRequest, text: string): Answer {
  const { type, fleet, message, name = '', subresource } = request
  const current = found(request)
  const shownOf = (object: PlatformObject): Fields => (subresource === undefined ? { ...object } : scaleOf(object))
  const next = message.method === 'PUT' ? readObject(message, text) : patched(message, text, shownOf(current))
  const { resourceVersion: version } = checked(request, next)
  if (version !== undefined && version !== '' && version !== current.metadata.resourceVersion) {
    throw refusals.conflict(type, name)
  }
  if (!isObject(next['spec'])) throw refusals.invalid(type, name, 'spec must be an object', 'spec')
  const { replicas } = next['spec']
  const wanted = subresource === undefined ? next : { ...current, spec: { ...current.spec, replicas } }
  if (isDry(request)) return { body: next }
  finish(request, name, ({ replace }) => replace(fleet, current, wanted))
  return { body: shownOf(found(request)) }
}

/** DELETE, with the preconditions of its options. */
export function remove(request: ApiRequest, text: string): Answer {
  const { type, fleet, message, name = '' } = request
  const options = text === '' ? {} : readObject(message, text)
  const current = found(request)
  const { uid, resourceVersion } = current.metadata
  const wanted = isObject(options['preconditions']) ? options['preconditions'] : {}
  if (!isDeepStrictEqual({ uid, resourceVersion, ...wanted }, { uid, resourceVersion })) {
    throw refusals.conflict(type, name, 'a precondition on UID or resourceVersion failed')
  }
  if (!isDry(request) && !Array.isArray(options['dryRun'])) {
    finish(request, name, (writer) => writer.remove(fleet, current))
  }
  const details = { name, group: type.group, kind: type.plural, uid }
  return { body: existing(request) ?? { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } }
}

const isDry = ({ query }: ApiRequest): boolean => query.has('dryRun')

/** Checks what every written object must hold, and returns its metadata. @throws StatusError */
function checked({ type, name, namespace, subresource }: ApiRequest, object: Fields): Fields {
  const [version, kind] = subresource === undefined ? [apiVersionOf(type), type.kind] : ['autoscaling/v1', 'Scale']
  if (object['apiVersion'] !== version || object['kind'] !== kind) {
    throw refusals.badRequest(`the object provided is unrecognized (must be of type ${kind}, apiVersion ${version})`)
  }
  const metadata = isObject(object['metadata']) ? object['metadata'] : {}
  if (metadata['name'] !== name || (metadata['namespace'] ?? namespace) !== namespace) {
    throw refusals.badRequest(`the object must have the name and namespace of the request, "${name}" in "${namespace}"`)
  }
  return metadata
}

/** Writes. @throws StatusError if the object is invalid or the Fleet refuses it */
function finish({ type }: ApiRequest, name: string, write: (writer: Writer) => FleetResult): void {
  try {
    const result = write(writers[type.plural]!)
    if (result.ok) return
    const refuse = { 400: refusals.invalid, 404: refusals.notFound, 409: refusals.conflict }[result.status]
    throw refuse(type, name, result.message)
  } catch (error) {
    throw error instanceof InvalidInput ? refusals.unreadable(type, name, error) : error
  }
}

/** An object as its file has it, without what only the API server writes. */
function manifestOf({ apiVersion, kind, metadata, spec }: Fields) {
  const { name, namespace, labels = {}, annotations = {} } = metadata as Fields
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec: spec as Fields }
}

function replaceFleet(fleet: RunningFleet, current: PlatformObject, next: Fields): FleetResult {
  const [before, after] = [manifestOf({ ...current }), manifestOf(next)]
  const manifest = readFleet(after)
  const { replicas } = manifest.spec
  const isScaled = isDeepStrictEqual(after, { ...before, spec: { ...before.spec, replicas } })
  if (!isScaled) return fleet.perform({ type: 'update', fleet: manifest })
  return replicas === before.spec['replicas'] ? { ok: true } : fleet.perform({ type: 'scale', replicas: replicas ?? 0 })
}

/** Parts of a GameServer that a client may change, with the command for an entry of each. */
const parts: readonly (readonly [place: string, field: string, command: (key: string, value: unknown) => object])[] = [
  ['metadata', 'labels', (key, value = null) => ({ type: 'setLabel', key, value })],
  ['metadata', 'annotations', (key, value = null) => ({ type: 'setAnnotation', key, value })],
  ['status', 'counters', (name, value) => ({ type: 'setCounter', name, ...(value as object) })],
  ['status', 'lists', (name, value) => ({ type: 'setList', name, ...(value as object) })],
]

/** Carries out on the GameServer's sidecar what differs, by one control command for each difference. */
function replaceGameServer(fleet: RunningFleet, current: PlatformObject, next: Fields): FleetResult {
  const partOf = (object: object, place: string): Fields => {
    const part = (object as Fields)[place]
    return isObject(part) ? part : {}
  }
  const commands = parts.flatMap(([place, field, command]) => {
    const [before, after] = [partOf(partOf(current, place), field), partOf(partOf(next, place), field)]
    return Object.keys({ ...before, ...after })
      .filter((key) => !isDeepStrictEqual(before[key], after[key]))
      .map((key) => command(key, after[key]))
  })
  const { state } = partOf(next, 'status')
  if (!STATES.includes(state as string)) {
    const message = `status.state must be one of ${STATES.join(', ')}; got ${show(state)}`
    throw new InvalidInput({ message, path: ['status', 'state'] })
  }
  if (state !== partOf(current, 'status')['state']) commands.push({ type: 'setState', state })
  for (const command of commands as ControlCommand[]) {
    const result = fleet.perform({ type: 'control', server: current.metadata.name, command })
    if (!result.ok) return result
  }
  return { ok: true }
}
