import { isEqual } from '../sidecar/state/game-server.js'
import { wholeSeconds } from '../allocation/allocate.js'
import { generatedName, uidOf } from '../sidecar/state/initial-game-server.js'
import { update } from '../sidecar/state/step.js'
import { apiVersionOf, gameServerObject, kinds } from './platform-json.js'
import type {
  AutoscalerObject,
  FleetEffect,
  FleetEntry,
  FleetObject,
  FleetState,
  ObjectChange,
  PlatformMetadata,
  PlatformObject,
  FleetServer,
  SetObject,
} from './types.js'

/** The state and the effects of one event while the model handles it. */
export interface FleetStep {
  state: FleetState
  readonly effects: FleetEffect[]
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

/** Adds a line to the timeline. */
export function addEntry(step: FleetStep, entry: Omit<FleetEntry, 'sequence' | 'at'>): void {
  const sequence = step.state.sequence + 1
  update(step, { sequence })
  step.effects.push({ type: 'entry', entry: { sequence, at: step.now, ...entry } })
}

/** A random number from 0 to below 1 (mulberry32), so that the model stays a function of its state. */
export function draw(step: FleetStep): number {
  const random = (step.state.random + 0x6d2b79f5) | 0
  update(step, { random })
  let mixed = Math.imul(random ^ (random >>> 15), random | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
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

type Plural = ObjectChange['plural']

/** A new object, to be put into the state. Its name is that of the metadata, or derives from `base`. */
export function newObject<Spec, Status>(
  step: FleetStep,
  plural: Plural,
  base: string,
  {
    metadata,
    ...content
  }: { readonly metadata: Partial<PlatformMetadata>; readonly spec: Spec; readonly status: Status },
): Required<PlatformObject<Spec, Status>> {
  const apiVersion = apiVersionOf(step.state.config, plural)
  return { apiVersion, kind: kinds[plural], metadata: newMetadata(step, base, metadata), ...content }
}

/** An object before and after a change; undefined before its creation. */
interface Change<T extends PlatformObject> {
  readonly plural: Plural
  readonly previous: T | undefined
  readonly next: T
}

/** Takes over a change of an object, with a new version. */
function write<T extends PlatformObject>(
  step: FleetStep,
  type: ObjectChange['type'],
  { plural, previous, next }: Change<T>,
  store: (object: T) => Partial<FleetState>,
): void {
  const version = step.state.version + 1
  const object = { ...next, metadata: { ...next.metadata, resourceVersion: String(version) } }
  update(step, { version, ...store(object) })
  step.effects.push({ type: 'change', change: { type, plural, object, previous } })
}

/** Writes an object if it changed, with a new generation if its spec did. */
function put<T extends PlatformObject>(
  step: FleetStep,
  change: Change<T>,
  store: (object: T) => Partial<FleetState>,
): void {
  const { previous, next } = change
  if (previous === undefined) return write(step, 'ADDED', change, store)
  if (isEqual(previous, next)) return
  const generation = next.metadata.generation + (isEqual(previous.spec, next.spec) ? 0 : 1)
  write(step, 'MODIFIED', { ...change, next: { ...next, metadata: { ...next.metadata, generation } } }, store)
}

export const putFleet = (step: FleetStep, next: FleetObject): void =>
  put(step, { plural: 'fleets', previous: step.state.fleet, next }, (fleet) => ({ fleet }))

export const putAutoscaler = (step: FleetStep, next: AutoscalerObject): void =>
  put(step, { plural: 'fleetautoscalers', previous: step.state.autoscaler, next }, (autoscaler) => ({ autoscaler }))

export function putSet(step: FleetStep, next: SetObject): void {
  const { sets } = step.state
  const previous = sets.find(({ metadata }) => metadata.name === next.metadata.name)
  put(step, { plural: 'gameserversets', previous, next }, (set) => ({ sets: withItem(sets, previous, set) }))
}

export function putServer(step: FleetStep, record: Omit<FleetServer, 'resourceVersion'>): void {
  const { servers } = step.state
  const before = servers.find(({ name }) => name === record.name)
  const previous = before && gameServerObject(step.state, before)
  const next = gameServerObject(step.state, { ...record, resourceVersion: '' })
  write(step, before ? 'MODIFIED' : 'ADDED', { plural: 'gameservers', previous, next }, ({ metadata }) => ({
    servers: withItem(servers, before, { ...record, resourceVersion: metadata.resourceVersion }),
  }))
}

/** A copy of the list with the item in the place of its previous version, or at the end. */
const withItem = <T>(items: readonly T[], previous: T | undefined, next: T): readonly T[] =>
  previous === undefined ? [...items, next] : items.map((one) => (one === previous ? next : one))

/** Changes what the platform's objects don't show. */
export function noteServer(step: FleetStep, name: string, note: Partial<FleetServer>): void {
  update(step, { servers: step.state.servers.map((one) => (one.name === name ? { ...one, ...note } : one)) })
}

/** Tells of the end of an object that the change takes out of the state. */
export const remove = (step: FleetStep, plural: Plural, last: PlatformObject, change: Partial<FleetState>): void =>
  write(step, 'DELETED', { plural, previous: last, next: last }, () => change)
