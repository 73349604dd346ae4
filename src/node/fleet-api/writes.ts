import { isDeepStrictEqual } from 'node:util'
import type { FleetResult, PlatformObject, RunningFleet } from '../../fleet/types.js'
import { isObject } from '../../protocol/is-object.js'
import { InvalidInput, pathText } from '../../schema/check.js'
import { readAutoscaler, readFleet } from '../../schema/fleet.js'
import type { ControlCommand } from '../../sidecar/index.js'
import { json } from './answer.js'
import { creates, patched, readObject } from './patch.js'
import { existing, found, scaleOf } from './reads.js'
import type { Asked } from './reads.js'
import { apiVersionOf } from './resources.js'
import { textOf } from './selectors.js'
import { refusals } from './status.js'

type Fields = Readonly<Record<string, unknown>>

/** What the Fleet does when a client writes an object. */
interface Writer {
  create?(fleet: RunningFleet, object: Fields): FleetResult
  replace(fleet: RunningFleet, current: PlatformObject, next: Fields): FleetResult
  remove(fleet: RunningFleet, current: PlatformObject): FleetResult
}

const setAutoscaler = (fleet: RunningFleet, object: Fields): FleetResult =>
  fleet.perform({ type: 'autoscaler', manifest: readAutoscaler(manifestOf(object)) })

/** The writers by plural name. */
const writers: Readonly<Record<string, Writer>> = {
  fleets: {
    replace: replaceFleet,
    remove: () => ({ ok: false, status: 409, message: 'it lives as long as its command; end the command with Ctrl+C' }),
  },
  fleetautoscalers: {
    create: setAutoscaler,
    replace: (fleet, _current, next) => setAutoscaler(fleet, next),
    remove: (fleet) => fleet.perform({ type: 'autoscaler', manifest: null }),
  },
  gameservers: {
    replace: replaceGameServer,
    // Whatever grace a client asks for, `pkg/gameservers/controller.go` takes that of the pod.
    remove: (fleet, { metadata }) => fleet.perform({ type: 'delete', server: metadata.name }),
  },
}

/** Creates the autoscaler, the only object that a Fleet may be without. */
export function create(asked: Asked, object: Fields): Response {
  const { type, fleet, namespace } = asked
  const own = fleet.snapshot().fleet.metadata
  const name = textOf(checked(asked, object)['name'])
  if (namespace !== own.namespace) {
    throw refusals.forbidden(`this Fleet is in the namespace "${own.namespace}", not in "${namespace}"`)
  }
  const [taken] = type.kind === 'Fleet' ? [{ metadata: own }] : fleet.objects('fleetautoscalers')
  if (taken?.metadata.name === name) throw refusals.alreadyExists(type, name)
  if (taken !== undefined) {
    const message = `this command runs one ${type.kind}, "${taken.metadata.name}"; start another command for "${name}"`
    throw refusals.forbidden(message)
  }
  if (isDry(asked)) return json(object, 201)
  finish(asked, name, () => writers[type.plural]!.create!(fleet, object))
  return json(found({ ...asked, name }), 201)
}

/** PUT and PATCH of an object or its scale. */
export async function change(asked: Asked, text: string): Promise<Response> {
  const { type, fleet, request, name = '', subresource } = asked
  if (creates(request) && existing(asked) === undefined) return create(asked, await readObject(request, text))
  const current = found(asked)
  const isScale = subresource !== undefined
  const before = isScale ? scaleOf(current) : { ...current }
  const next = await (request.method === 'PUT' ? readObject(request, text) : patched(request, text, before))
  const { resourceVersion: version } = checked(asked, next)
  if (version !== undefined && version !== '' && version !== current.metadata.resourceVersion) {
    throw refusals.conflict(type, name)
  }
  if (!isObject(next['spec'])) throw refusals.invalid(type, name, 'spec must be an object', 'spec')
  const wanted = isScale ? { ...current, spec: { ...current.spec, replicas: next['spec']['replicas'] } } : next
  if (isDry(asked)) return json(next)
  finish(asked, name, () => writers[type.plural]!.replace(fleet, current, wanted))
  const after = found(asked)
  return json(isScale ? scaleOf(after) : after)
}

/** DELETE, with the preconditions of its options. */
export async function remove(asked: Asked, text: string): Promise<Response> {
  const { type, fleet, request, name = '' } = asked
  const options = text === '' ? {} : await readObject(request, text)
  const current = found(asked)
  const { uid, resourceVersion } = current.metadata
  const wanted = { uid, resourceVersion, ...(isObject(options['preconditions']) ? options['preconditions'] : {}) }
  if (wanted.uid !== uid || wanted.resourceVersion !== resourceVersion) {
    throw refusals.conflict(type, name, 'a precondition on UID or resourceVersion failed')
  }
  if (!isDry(asked) && !Array.isArray(options['dryRun']))
    finish(asked, name, () => writers[type.plural]!.remove(fleet, current))
  const details = { name, group: type.group, kind: type.plural, uid }
  return json(existing(asked) ?? { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details })
}

const isDry = ({ query }: Asked): boolean => query.has('dryRun')

/** Checks what every written object must hold, and returns its metadata. @throws StatusError */
function checked({ type, name, namespace, subresource }: Asked, object: Fields): Fields {
  const [version, kind] = subresource === undefined ? [apiVersionOf(type), type.kind] : ['autoscaling/v1', 'Scale']
  if (object['apiVersion'] !== version || object['kind'] !== kind) {
    throw refusals.badRequest(`the object provided is unrecognized (must be of type ${kind}, apiVersion ${version})`)
  }
  const metadata = isObject(object['metadata']) ? object['metadata'] : {}
  if (name !== undefined && metadata['name'] !== name) {
    const given = textOf(metadata['name'])
    throw refusals.badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`)
  }
  if ((metadata['namespace'] ?? namespace) !== namespace) {
    throw refusals.badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  return metadata
}

/** Writes. @throws StatusError if the object is invalid or the Fleet refuses it */
function finish({ type }: Asked, name: string, write: () => FleetResult): void {
  try {
    const result = write()
    if (result.ok) return
    const refuse = { 400: refusals.invalid, 404: refusals.notFound, 409: refusals.conflict }[result.status]
    throw refuse(type, name, result.message)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw refusals.invalid(type, name, error.message, pathText(error.path))
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

/** Carries out on the GameServer's sidecar what differs, by one control command for each difference. */
function replaceGameServer(fleet: RunningFleet, current: PlatformObject, next: Fields): FleetResult {
  const changed = (place: string, field: string): [string, unknown][] => {
    const [before, after] = [current as unknown as Fields, next].map((one) => {
      const outer = one[place]
      return new Map(Object.entries((isObject(outer) && isObject(outer[field]) && outer[field]) || {}))
    }) as [Map<string, unknown>, Map<string, unknown>]
    return [...new Map([...before, ...after]).keys()]
      .map((key): [string, unknown] => [key, after.get(key)])
      .filter(([key, value]) => !isDeepStrictEqual(value, before.get(key)))
  }
  const state = isObject(next['status']) ? next['status']['state'] : undefined
  const commands = [
    ...changed('metadata', 'labels').map(([key, value]) => ({ type: 'setLabel', key, value: value ?? null })),
    ...changed('metadata', 'annotations').map(([key, value]) => ({ type: 'setAnnotation', key, value: value ?? null })),
    ...changed('status', 'counters').map(([name, value]) => ({ type: 'setCounter', name, ...(value as object) })),
    ...changed('status', 'lists').map(([name, value]) => ({ type: 'setList', name, ...(value as object) })),
    ...(state === (current.status as Fields | undefined)?.['state'] ? [] : [{ type: 'setState', state }]),
  ] as ControlCommand[]
  for (const command of commands) {
    const result = fleet.perform({ type: 'control', server: current.metadata.name, command })
    if (!result.ok) return result
  }
  return { ok: true }
}
