import { wholeSeconds } from '../sidecar/allocation/allocation-answer.js'
import { nextRandom } from '../sidecar/model/state/faults.js'
import { generatedName, uidOf } from '../sidecar/model/state/generated-names.js'
import { gameServerObject } from './platform-json.js'
import type { AutoscalerObject, FleetEffect, FleetObject, FleetState, ServerRecord, SetObject } from './fleet-state.js'
import type { FleetEntry, ObjectChange, PlatformMetadata, PlatformObject } from './types.js'

/** The state and the effects of one event while `reduce()` handles it. */
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

/** A name and uid that no set or GameServer has. */
export function newIdentity(step: FleetStep, base: string): Pick<PlatformMetadata, 'name' | 'uid'> {
  const { sets, servers } = step.state
  for (;;) {
    draw(step)
    const seed = String(step.state.random)
    const name = generatedName(base, seed)
    const isTaken = sets.some(({ metadata }) => metadata.name === name) || servers.some((one) => one.name === name)
    if (!isTaken) return { name, uid: uidOf(`${name} ${seed}`) }
  }
}

/** The metadata of a new object. */
export const newMetadata = (
  { state, now }: FleetStep,
  metadata: Pick<PlatformMetadata, 'name' | 'uid'> & Partial<PlatformMetadata>,
): PlatformMetadata => ({
  namespace: state.config.namespace,
  resourceVersion: '0',
  generation: 1,
  creationTimestamp: wholeSeconds(now),
  ...metadata,
})

/** The object with a new version, and a new generation if its spec changed; the same object if nothing changed. */
function versioned<T extends PlatformObject>(step: FleetStep, previous: T | undefined, next: T): T {
  if (previous !== undefined && isEqual(previous, next)) return previous
  const version = step.state.version + 1
  update(step, { version })
  const isNewSpec = previous !== undefined && !isEqual(previous.spec, next.spec)
  const generation = next.metadata.generation + (isNewSpec ? 1 : 0)
  return { ...next, metadata: { ...next.metadata, resourceVersion: String(version), generation } }
}

function change(
  step: FleetStep,
  plural: ObjectChange['plural'],
  object: PlatformObject,
  previous: object | undefined,
): void {
  step.effects.push({
    type: 'change',
    change: { type: previous === undefined ? 'ADDED' : 'MODIFIED', plural, object },
  })
}

export function putFleet(step: FleetStep, next: FleetObject): void {
  const { fleet } = step.state
  const written = versioned(step, fleet, next)
  if (written === fleet) return
  update(step, { fleet: written })
  change(step, 'fleets', written, fleet)
}

export function putAutoscaler(step: FleetStep, next: AutoscalerObject): void {
  const { autoscaler } = step.state
  const written = versioned(step, autoscaler, next)
  if (written === autoscaler) return
  update(step, { autoscaler: written })
  change(step, 'fleetautoscalers', written, autoscaler)
}

/** Writes a set, new ones after the others. */
export function putSet(step: FleetStep, next: SetObject): void {
  const { sets } = step.state
  const previous = sets.find(({ metadata }) => metadata.name === next.metadata.name)
  const written = versioned(step, previous, next)
  if (written === previous) return
  update(step, {
    sets: previous === undefined ? [...sets, written] : sets.map((one) => (one === previous ? written : one)),
  })
  change(step, 'gameserversets', written, previous)
}

/** Writes a GameServer with a new version, new ones after the others. */
export function putServer(step: FleetStep, next: Omit<ServerRecord, 'resourceVersion'>): void {
  const { servers } = step.state
  const previous = servers.find(({ name }) => name === next.name)
  const version = step.state.version + 1
  const written: ServerRecord = { ...next, resourceVersion: String(version) }
  update(step, {
    version,
    servers: previous === undefined ? [...servers, written] : servers.map((one) => (one === previous ? written : one)),
  })
  change(step, 'gameservers', gameServerObject(step.state, written), previous)
}

/** Changes what the platform's objects don't show. */
export function noteServer(step: FleetStep, name: string, note: Partial<ServerRecord>): void {
  update(step, { servers: step.state.servers.map((one) => (one.name === name ? { ...one, ...note } : one)) })
}

export function remove(step: FleetStep, plural: ObjectChange['plural'], object: PlatformObject): void {
  const version = step.state.version + 1
  const { name } = object.metadata
  const { sets, servers, autoscaler } = step.state
  update(step, {
    version,
    sets: plural === 'gameserversets' ? sets.filter(({ metadata }) => metadata.name !== name) : sets,
    servers: plural === 'gameservers' ? servers.filter((one) => one.name !== name) : servers,
    autoscaler: plural === 'fleetautoscalers' ? undefined : autoscaler,
  })
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
