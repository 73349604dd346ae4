import { wholeSeconds } from '../sidecar/allocation/allocation-answer.js'
import { nextRandom } from '../sidecar/model/state/faults.js'
import { generatedName, uidOf } from '../sidecar/model/state/generated-names.js'
import { gameServerObject } from './platform-json.js'
import type { AutoscalerObject, FleetEffect, FleetObject, FleetState, ServerRecord, SetObject } from './fleet-state.js'
import type { FleetEntry, ObjectChange, PlatformMetadata, PlatformObject } from './types.js'

/** The state and the effects of one event while the model handles it. */
export interface FleetStep {
  state: FleetState
  readonly effects: FleetEffect[]
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

export function update(step: FleetStep, change: Partial<FleetState>): void {
  step.state = { ...step.state, ...change }
}

/** Adds a line to the timeline. */
export function tell(step: FleetStep, entry: Omit<FleetEntry, 'sequence' | 'at'>): void {
  const sequence = step.state.sequence + 1
  update(step, { sequence })
  step.effects.push({ type: 'entry', entry: { sequence, at: step.now, ...entry } })
}

/** A random number from 0 to below 1. */
export function draw(step: FleetStep): number {
  const { state, value } = nextRandom(step.state.random)
  update(step, { random: state })
  return value
}

/** The metadata of a new object: with a name that no set or GameServer has, unless `given` has one. */
export function newMetadata(step: FleetStep, base: string, given: Partial<PlatformMetadata> = {}): PlatformMetadata {
  const { sets, servers, config } = step.state
  for (;;) {
    draw(step)
    const seed = String(step.state.random)
    const name = generatedName(base, seed)
    if (sets.some(({ metadata }) => metadata.name === name) || servers.some((one) => one.name === name)) continue
    const uid = uidOf(`${name} ${seed}`)
    const created = { resourceVersion: '0', generation: 1, creationTimestamp: wholeSeconds(step.now) }
    return { name, namespace: config.namespace, uid, ...created, ...given }
  }
}

/** Writes an object that changed, with a new version, and a new generation if its spec changed. */
function put<T extends PlatformObject>(
  step: FleetStep,
  plural: ObjectChange['plural'],
  previous: T | undefined,
  next: T,
  store: (object: T) => Partial<FleetState>,
): void {
  if (previous !== undefined && isEqual(previous, next)) return
  const version = step.state.version + 1
  const isNewSpec = previous !== undefined && !isEqual(previous.spec, next.spec)
  const generation = next.metadata.generation + (isNewSpec ? 1 : 0)
  const object = { ...next, metadata: { ...next.metadata, resourceVersion: String(version), generation } }
  update(step, { version, ...store(object) })
  step.effects.push({ type: 'change', change: { type: previous ? 'MODIFIED' : 'ADDED', plural, object } })
}

export const putFleet = (step: FleetStep, next: FleetObject): void =>
  put(step, 'fleets', step.state.fleet, next, (fleet) => ({ fleet }))

export const putAutoscaler = (step: FleetStep, next: AutoscalerObject): void =>
  put(step, 'fleetautoscalers', step.state.autoscaler, next, (autoscaler) => ({ autoscaler }))

export function putSet(step: FleetStep, next: SetObject): void {
  const { sets } = step.state
  const previous = sets.find(({ metadata }) => metadata.name === next.metadata.name)
  put(step, 'gameserversets', previous, next, (set) => ({ sets: withItem(sets, previous, set) }))
}

export function putServer(step: FleetStep, next: Omit<ServerRecord, 'resourceVersion'>): void {
  const { servers } = step.state
  const previous = servers.find(({ name }) => name === next.name)
  const version = step.state.version + 1
  const written: ServerRecord = { ...next, resourceVersion: String(version) }
  update(step, { version, servers: withItem(servers, previous, written) })
  const object = gameServerObject(step.state, written)
  step.effects.push({
    type: 'change',
    change: { type: previous ? 'MODIFIED' : 'ADDED', plural: 'gameservers', object },
  })
}

/** A copy of the list with the item in the place of its previous version, or at the end. */
const withItem = <T>(items: readonly T[], previous: T | undefined, next: T): readonly T[] =>
  previous === undefined ? [...items, next] : items.map((one) => (one === previous ? next : one))

/** Changes what the platform's objects don't show. */
export function noteServer(step: FleetStep, name: string, note: Partial<ServerRecord>): void {
  update(step, { servers: step.state.servers.map((one) => (one.name === name ? { ...one, ...note } : one)) })
}

/** Tells of the end of an object that the change takes out of the state. */
export function remove(
  step: FleetStep,
  plural: ObjectChange['plural'],
  object: PlatformObject,
  change: Partial<FleetState>,
): void {
  const version = step.state.version + 1
  update(step, { version, ...change })
  const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }
  step.effects.push({ type: 'change', change: { type: 'DELETED', plural, object: last } })
}

type Fields = Readonly<Record<string, unknown>>

/** Whether two values of JSON are equal. Most parts of a changed object are the same as before, so they cost nothing. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const keys = Object.keys(a)
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual((a as Fields)[key], (b as Fields)[key]))
}
