import { describeChange, isAllocationTime, type Change } from '../sidecar.js'
import type { GameServer } from '../../protocol/game-server.js'
import { lastAllocatedAnnotation } from '../../protocol/names.js'
import { diffGameServers, isBeingDeleted, isEqual, isMarked, own } from '../sidecar/state/game-server.js'
import { update } from '../sidecar/state/step.js'
import { autoscale } from './autoscale.js'
import { newObject, noteServer, putAutoscaler, putFleet, putServer } from './fleet-step.js'
import { remove, addEntry } from './fleet-step.js'
import type { FleetStep } from './fleet-step.js'
import type { AutoscalerManifest, FleetEvent, FleetManifest, FleetState, FleetServer } from './types.js'
import { autoscalerSpec, fleetSpec, gameServerObject, statusOfFleet } from './platform-json.js'
import { markOverflow, syncFleet, syncSet } from './reconcile.js'

/** A GameServer that ends by itself earlier than this, and never Allocated, has failed at once. */
const EARLY_MS = 10_000
/** Delays after GameServers that failed at once. The first replacement comes at once, as a container's first restart. */
const DELAYS_MS = [0, 1_000, 2_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000]
/** The most changes that a sentence lists. */
const MOST_CHANGES = 4
/** More passes than any Fleet needs until nothing changes. */
const MOST_PASSES = 100

/** Returned for an event that is none of the controllers' business. */
const NOTHING_TO_SETTLE = Symbol('nothing to settle')
type Settling = typeof NOTHING_TO_SETTLE | undefined

/** Handles one type of event. Any other result is ignored. */
type Handler<Event> = (step: FleetStep, event: Event) => unknown

const handlers: {
  readonly [Type in FleetEvent['type']]: Handler<Extract<FleetEvent, { readonly type: Type }>>
} = {
  start(step, { fleet, autoscaler }) {
    apply(step, fleet)
    if (autoscaler !== undefined) setAutoscaler(step, autoscaler)
  },
  update: (step, { fleet }) => (fleet === undefined ? restart(step) : apply(step, fleet)),
  autoscaler: (step, { manifest }) => (manifest === null ? removeAutoscaler(step) : setAutoscaler(step, manifest)),
  scale: (step, { replicas }) => scale(step, replicas),
  observed: (step, { server, gameServer }) => observe(step, server, gameServer),
  process: (step, { server, process }) => noteServer(step, server, { process }),
  gone: (step, { server }) => forget(step, server),
  note(step, { entry }) {
    addEntry(step, entry)
    return NOTHING_TO_SETTLE
  },
  reviewed(step, { webhook, answer }) {
    const { asked, answers } = step.state
    if (asked !== webhook) return NOTHING_TO_SETTLE
    return update(step, { asked: undefined, answers: new Map(answers).set(webhook, answer), autoscalesAt: step.now })
  },
  time: () => undefined,
}

/**
 * The whole Fleet as one function: takes the step to the next state, with its effects. After the event, the controllers of
 * the Fleet, of its sets and of its autoscaler do what is due, until nothing changes. It reads no clock, starts no timer
 * and leaves the former state as it is.
 */
export function reduce(step: FleetStep, event: FleetEvent): void {
  const handle = handlers[event.type] as Handler<FleetEvent>
  if (handle(step, event) !== NOTHING_TO_SETTLE) settle(step)
  const at = nextTime(step)
  if (at < Infinity) step.effects.push({ type: 'wake', at })
}

function settle(step: FleetStep): void {
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = step.state
    autoscale(step)
    syncFleet(step)
    for (const set of step.state.sets) syncSet(step, set)
    if (step.state === before) break
  }
  for (const set of step.state.sets) markOverflow(step, set)
}

/** When something is due without an event; Infinity for never. */
function nextTime(step: FleetStep): number {
  const { autoscaler, autoscalesAt, failures } = step.state
  return Math.min(
    autoscaler === undefined ? Infinity : autoscalesAt,
    failures.until > step.now ? failures.until : Infinity,
  )
}

/** The state of a Fleet before `start`. */
export function initialState(fleet: FleetManifest, config: FleetState['config'], now: number): FleetState {
  const state: FleetState = {
    config,
    // Its metadata derive from the rest of the state.
    fleet: undefined as never,
    sets: [],
    autoscaler: undefined,
    autoscalesAt: now,
    asked: undefined,
    answers: new Map(),
    servers: [],
    random: now | 0,
    // A client of an earlier run must not take up its watch in this one, so versions go on growing.
    version: Math.floor(now),
    sequence: 0,
    failures: { count: 0, since: now, until: now },
    batch: { id: undefined, key: '', taken: [], count: 0 },
  }
  const step: FleetStep = { state, effects: [], now }
  const name = fleet.metadata?.name || 'fleet'
  const metadata = { name, ...textsOf(fleet) }
  putFleet(step, newObject(step, 'fleets', name, { metadata, spec: fleetSpec(fleet), status: statusOfFleet([], 0) }))
  return step.state
}

const textsOf = ({ metadata }: Pick<FleetManifest, 'metadata'>) => ({
  labels: metadata?.labels ?? {},
  annotations: metadata?.annotations ?? {},
})

/** Why the Fleet can't have so many replicas; undefined if it can. */
export const replicasProblem = (replicas: number, { max }: FleetState['config']): string | undefined =>
  replicas > max
    ? `The Fleet may have at most ${max} GameServers; start it with --max ${replicas} for more.`
    : undefined

function apply(step: FleetStep, manifest: FleetManifest): void {
  const { fleet, config } = step.state
  const metadata = { ...fleet.metadata, ...textsOf(manifest) }
  const spec = fleetSpec(manifest)
  const problem = replicasProblem(spec.replicas, config)
  if (problem !== undefined) addEntry(step, { type: 'warning', text: problem })
  const replicas = Math.min(spec.replicas, config.max)
  putFleet(step, { ...fleet, metadata, spec: { ...spec, replicas } })
  forgive(step)
  addEntry(step, { type: 'applied', text: `The Fleet has ${replicas} replicas and is ${spec.scheduling}.` })
}

/** Forgets failures: the next GameServers may be better. */
const forgive = (step: FleetStep): void => update(step, { failures: { count: 0, since: step.now, until: step.now } })

/** Changes the template as `kubectl rollout restart` does, so that the Fleet needs a new set. */
function restart(step: FleetStep): void {
  const { fleet } = step.state
  const { template } = fleet.spec
  // Two updates within a second differ too.
  const restartedAt = { 'kubectl.kubernetes.io/restartedAt': new Date(step.now).toISOString() }
  const metadata = { ...template.metadata, annotations: { ...template.metadata?.annotations, ...restartedAt } }
  putFleet(step, { ...fleet, spec: { ...fleet.spec, template: { ...template, metadata } } })
  forgive(step)
  addEntry(step, { type: 'rollout', text: 'All GameServers are to be replaced, Allocated ones when they have ended.' })
}

function scale(step: FleetStep, replicas: number): void {
  const { fleet } = step.state
  if (replicas === fleet.spec.replicas) return
  putFleet(step, { ...fleet, spec: { ...fleet.spec, replicas } })
  addEntry(step, { type: 'scaled', text: `The Fleet is scaled from ${fleet.spec.replicas} to ${replicas}.` })
}

function removeAutoscaler(step: FleetStep): void {
  const { autoscaler } = step.state
  if (autoscaler === undefined) return
  remove(step, 'fleetautoscalers', autoscaler, { autoscaler: undefined })
  addEntry(step, { type: 'applied', text: `The autoscaler ${autoscaler.metadata.name} is removed.` })
}

const noScaling = {
  ...{ currentReplicas: 0, desiredReplicas: 0, lastScaleTime: null },
  ...{ ableToScale: true, scalingLimited: false, lastAppliedPolicy: '' },
}

function setAutoscaler(step: FleetStep, manifest: AutoscalerManifest): void {
  const { autoscaler, fleet } = step.state
  const name = manifest.metadata?.name || `${fleet.metadata.name}-autoscaler`
  const spec = autoscalerSpec(manifest)
  const next = autoscaler ?? newObject(step, 'fleetautoscalers', name, { metadata: {}, spec, status: noScaling })
  putAutoscaler(step, { ...next, metadata: { ...next.metadata, name, ...textsOf(manifest) }, spec })
  update(step, { autoscalesAt: step.now, asked: undefined, answers: new Map() })
  addEntry(step, { type: 'applied', text: `The Fleet has the ${manifest.spec.policy.type} autoscaler ${name}.` })
}

const find = ({ state }: FleetStep, name: string): FleetServer | undefined =>
  state.servers.find((one) => one.name === name)

/** Takes over what a sidecar shows. */
function observe(step: FleetStep, name: string, gameServer: GameServer): Settling {
  const record = find(step, name)
  if (record === undefined) return NOTHING_TO_SETTLE
  const before = record.gameServer
  const changes = diffGameServers(before, gameServer)
  const { spec, status } = gameServer
  // `diffGameServers` ignores ports and addresses.
  if (changes.length === 0 && isEqual([before.spec, before.status], [spec, status])) {
    noteServer(step, name, { gameServer })
    return NOTHING_TO_SETTLE
  }
  const { state } = status
  const isNewState = state !== before.status.state
  // A control command can take a GameServer's end back: then the GameServer counts again.
  const isEnding = record.isEnding && (isBeingDeleted(gameServer) || !isBeingDeleted(before))
  const failure = state === 'Unhealthy' || state === 'Error' ? { failure: state } : {}
  const stateSince = isNewState ? step.now : record.stateSince
  putServer(step, { ...record, gameServer, isEnding, stateSince, ...failure })
  const text = changeText(name, changes)
  if (text !== undefined) addEntry(step, { type: isNewState ? 'state' : 'changed', server: name, text })
  if (isNewState) countState(step, record, state)
  // No controller looks at labels and annotations, except for those of an overflow.
  const isText = changes.length > 0 && changes.every(({ type }) => type === 'annotation' || type === 'label')
  if (isText && step.state.fleet.spec.allocationOverflow === undefined) return NOTHING_TO_SETTLE
  // The set's controller overlooks a mark for deletion, so the replacement waits until the GameServer is gone.
  return isMarked(gameServer) && !isMarked(before) ? NOTHING_TO_SETTLE : undefined
}

function countState(step: FleetStep, record: FleetServer, state: string): void {
  const { fleet, config, failures } = step.state
  if (state === 'Allocated') {
    const { status } = fleet
    putFleet(step, { ...fleet, status: { ...status, allocations: status.allocations + 1 } })
  }
  if (record.isEnding || !['Shutdown', 'Unhealthy', 'Error'].includes(state)) return
  const wasUsed = own(record.gameServer.object_meta.annotations, lastAllocatedAnnotation(config.platform)) !== undefined
  if (wasUsed || step.now - record.createdAt >= EARLY_MS) return forgive(step)
  // Those that were created together fail together, and count once.
  if (record.createdAt < failures.since) return
  const count = failures.count + 1
  const delay = DELAYS_MS[Math.min(count, DELAYS_MS.length) - 1]!
  update(step, { failures: { count, since: step.now, until: step.now + delay } })
  if (delay === 0) return
  const age = Math.round((step.now - record.createdAt) / 1000)
  const text = `${record.name} ended ${age} s after its creation; the next GameServer is created in ${delay / 1000} s.`
  addEntry(step, { type: 'warning', server: record.name, text })
}

function forget(step: FleetStep, name: string): Settling {
  const record = find(step, name)
  if (record === undefined) return NOTHING_TO_SETTLE
  const servers = step.state.servers.filter((one) => one !== record)
  remove(step, 'gameservers', gameServerObject(step.state, record), { servers })
  addEntry(step, { type: 'gone', server: name, text: `${name} is gone.` })
  return undefined
}

/** One sentence about what changed in a GameServer; undefined if nothing did that a reader looks for. */
function changeText(name: string, changes: readonly Change[]): string | undefined {
  // Each allocation writes its time.
  const parts = changes.filter((change) => !isAllocationTime(change)).map((change) => describeChange(change))
  if (parts.length === 0) return undefined
  const more = parts.length - MOST_CHANGES
  return `${name}: ${parts.slice(0, MOST_CHANGES).join(', ')}${more > 0 ? `, and ${more} more changes` : ''}.`
}
