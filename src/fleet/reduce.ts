import type { GameServer } from '../protocol/game-server.js'
import { allocationAnswer } from '../sidecar/allocation/allocation-answer.js'
import type { GameServerAllocation } from '../sidecar/allocation/manifest.js'
import { diffGameServers } from '../sidecar/model/state/game-server-diff.js'
import { own } from '../sidecar/model/state/game-server-edits.js'
import { autoscale } from './autoscale.js'
import { changeText } from './change-text.js'
import { chooseServer, namespaceProblem } from './choose-server.js'
import {
  draw,
  isEqual,
  newIdentity,
  newMetadata,
  noteServer,
  putAutoscaler,
  putFleet,
  putServer,
} from './fleet-step.js'
import { remove, tell, update } from './fleet-step.js'
import type { FleetStep } from './fleet-step.js'
import type { AutoscalerManifest, FleetEffect, FleetEvent, FleetManifest, FleetState } from './fleet-state.js'
import type { ServerRecord } from './fleet-state.js'
import { apiVersionOf, autoscalerSpec, fleetSpec, gameServerObject, kinds } from './platform-json.js'
import { errorEnds, markOverflow, syncSet } from './reconcile-set.js'
import { syncFleet } from './rollout.js'
import { isEnding, isMarked } from './statuses.js'
import type { FleetSpec } from './types.js'

/** A GameServer that ends by itself earlier than this, and never Allocated, has failed at once. */
const EARLY_MS = 10_000
/** The first delay after GameServers that failed at once. It doubles with each further one. */
const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 30_000
/** maxBatchBeforeRefresh of pkg/gameserverallocations/allocator.go. */
const LARGEST_BATCH = 100
/** More passes than any Fleet needs until nothing changes. */
const MOST_PASSES = 100

type EventOf<Type extends FleetEvent['type']> = Extract<FleetEvent, { readonly type: Type }>

/** Handles one type of event. Returns false if the controllers don't look at the Fleet because of it. */
type Handler<Type extends FleetEvent['type']> = (step: FleetStep, event: EventOf<Type>) => unknown

const handlers: { readonly [Type in FleetEvent['type']]: Handler<Type> } = {
  start: (step) => tell(step, { type: 'applied', text: appliedText(step.state.fleet.spec) }),
  applied: (step, { fleet }) => apply(step, fleet),
  autoscaler: (step, { manifest }) => setAutoscaler(step, manifest),
  scale: (step, { replicas }) => scale(step, replicas),
  update: (step) => restart(step),
  observed: (step, { server, gameServer }) => observe(step, server, gameServer),
  process: (step, { server, process }) => noteServer(step, server, { process }),
  gone: (step, { server }) => forget(step, server),
  delete(step, { server, graceMs }) {
    const command = { type: 'delete', ...(graceMs === undefined ? {} : { graceMs }) } as const
    step.effects.push({ type: 'control', server, command })
    return false
  },
  kill: (step, { server }) => step.effects.push({ type: 'kill', server }) < 0,
  makeUnhealthy(step, { server }) {
    step.effects.push({ type: 'control', server, command: { type: 'makeUnhealthy' } })
    return false
  },
  allocate: (step, { manifest, batch }) => choose(step, manifest, batch),
  allocated: (step, event) => answer(step, event),
  note(step, { entry }) {
    tell(step, entry)
    return false
  },
  time: () => undefined,
}

/**
 * The whole Fleet as one function: the next state and the effects of an event at the time `now`. After the event, the
 * controllers of the Fleet, of its sets and of its autoscaler do what is due, until nothing changes. Pure: it reads no
 * clock, starts no timer and leaves `state` as it is.
 */
export function reduce(
  state: FleetState,
  event: FleetEvent,
  now: number,
): { readonly state: FleetState; readonly effects: readonly FleetEffect[] } {
  const step: FleetStep = { state, effects: [], now }
  const handle = handlers[event.type] as Handler<FleetEvent['type']>
  if (handle(step, event) !== false) settle(step)
  const at = nextTime(step)
  if (at < Infinity) step.effects.push({ type: 'wake', at })
  return step
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
  const { autoscaler, autoscalesAt, failures, servers } = step.state
  const errors = servers.filter((one) => !isEnding(one)).map(({ gameServer }) => errorEnds(step, gameServer))
  return Math.min(
    autoscaler === undefined ? Infinity : autoscalesAt,
    failures.until > step.now ? failures.until : Infinity,
    ...errors,
  )
}

/** The state of a Fleet before `start`. */
export function initialState(
  fleet: FleetManifest,
  config: FleetState['config'],
  seed: number,
  now: number,
): FleetState {
  const spec = fleetSpec(fleet)
  const state: FleetState = {
    config,
    fleet: undefined as never,
    sets: [],
    autoscaler: undefined,
    autoscalesAt: now,
    servers: [],
    random: seed | 0,
    // A client of an earlier run must not take up its watch in this one, so versions go on growing.
    version: Math.floor(now),
    sequence: 0,
    failures: { count: 0, since: now, until: now },
    batch: { id: undefined, key: '', taken: [], count: 0 },
  }
  const step: FleetStep = { state, effects: [], now }
  const name = fleet.metadata?.name || 'fleet'
  putFleet(step, {
    apiVersion: apiVersionOf(config, 'fleets'),
    kind: kinds.fleets,
    metadata: newMetadata(step, {
      ...newIdentity(step, name),
      name,
      labels: fleet.metadata?.labels ?? {},
      annotations: fleet.metadata?.annotations ?? {},
    }),
    spec: { ...spec, replicas: Math.min(spec.replicas, config.max) },
    status: noReplicas,
  })
  return step.state
}

const noReplicas = {
  ...{ replicas: 0, readyReplicas: 0, reservedReplicas: 0, allocatedReplicas: 0, allocations: 0 },
  ...{ counters: {}, lists: {} },
}

const appliedText = ({ replicas, scheduling }: FleetSpec): string =>
  `The Fleet has ${replicas} replicas and is ${scheduling}.`

function apply(step: FleetStep, manifest: FleetManifest): void {
  const { fleet, config } = step.state
  const spec = fleetSpec(manifest)
  const { labels, annotations } = manifest.metadata ?? {}
  putFleet(step, {
    ...fleet,
    metadata: { ...fleet.metadata, labels: labels ?? {}, annotations: annotations ?? {} },
    spec: { ...spec, replicas: Math.min(spec.replicas, config.max) },
  })
  forgive(step)
  tell(step, { type: 'applied', text: appliedText(step.state.fleet.spec) })
}

/** Forgets failures: the next GameServers may be better. */
const forgive = (step: FleetStep): void => update(step, { failures: { count: 0, since: step.now, until: step.now } })

/** Changes the template as `kubectl rollout restart` does, so that the Fleet needs a new set. */
function restart(step: FleetStep): void {
  const { fleet } = step.state
  const { template } = fleet.spec
  // Two updates within a second differ too.
  const annotations = {
    ...template.metadata?.annotations,
    'kubectl.kubernetes.io/restartedAt': new Date(step.now).toISOString(),
  }
  putFleet(step, {
    ...fleet,
    spec: { ...fleet.spec, template: { ...template, metadata: { ...template.metadata, annotations } } },
  })
  forgive(step)
  tell(step, { type: 'rollout', text: 'All GameServers are to be replaced, Allocated ones when they have ended.' })
}

function scale(step: FleetStep, replicas: number): void {
  const { fleet } = step.state
  if (replicas === fleet.spec.replicas) return
  putFleet(step, { ...fleet, spec: { ...fleet.spec, replicas } })
  tell(step, { type: 'scaled', text: `The Fleet is scaled from ${fleet.spec.replicas} to ${replicas}.` })
}

function setAutoscaler(step: FleetStep, manifest: AutoscalerManifest | null): void {
  const { autoscaler, config } = step.state
  if (manifest === null) {
    if (autoscaler === undefined) return
    remove(step, 'fleetautoscalers', autoscaler)
    return tell(step, { type: 'applied', text: `The autoscaler ${autoscaler.metadata.name} is removed.` })
  }
  const name = manifest.metadata?.name || `${step.state.fleet.metadata.name}-autoscaler`
  const { labels, annotations } = manifest.metadata ?? {}
  const metadata = autoscaler?.metadata ?? newMetadata(step, newIdentity(step, name))
  putAutoscaler(step, {
    apiVersion: apiVersionOf(config, 'fleetautoscalers'),
    kind: kinds.fleetautoscalers,
    metadata: { ...metadata, name, labels: labels ?? {}, annotations: annotations ?? {} },
    spec: autoscalerSpec(manifest),
    status: autoscaler?.status ?? {
      ...{ currentReplicas: 0, desiredReplicas: 0, lastScaleTime: null },
      ...{ ableToScale: true, scalingLimited: false, lastAppliedPolicy: '' },
    },
  })
  update(step, { autoscalesAt: step.now })
  tell(step, { type: 'applied', text: `The Fleet has the ${manifest.spec.policy.type} autoscaler ${name}.` })
}

const find = ({ state }: FleetStep, name: string): ServerRecord | undefined =>
  state.servers.find((one) => one.name === name)

/** Takes over what a sidecar shows. */
function observe(step: FleetStep, name: string, gameServer: GameServer): unknown {
  const record = find(step, name)
  if (record === undefined) return false
  const before = record.gameServer
  const changes = diffGameServers(before, gameServer)
  const { spec, status } = gameServer
  // The changes don't tell of ports and addresses.
  if (changes.length === 0 && isEqual([before.spec, before.status], [spec, status])) {
    noteServer(step, name, { gameServer })
    return false
  }
  const { state } = status
  const isNewState = state !== before.status.state
  const failure = state === 'Unhealthy' || state === 'Error' ? { failure: state } : {}
  putServer(step, { ...record, gameServer, stateSince: isNewState ? step.now : record.stateSince, ...failure })
  const text = changeText(name, changes)
  if (text !== undefined) tell(step, { type: isNewState ? 'state' : 'changed', server: name, text })
  if (isNewState) countState(step, record, state)
  // The set's controller overlooks a mark for deletion, so the replacement waits until the GameServer is gone.
  return !(isMarked(gameServer) && !isMarked(before))
}

function countState(step: FleetStep, record: ServerRecord, state: string): void {
  const { fleet, config, failures } = step.state
  if (state === 'Allocated') {
    const { status } = fleet
    putFleet(step, { ...fleet, status: { ...status, allocations: status.allocations + 1 } })
  }
  if (record.isEnding || !['Shutdown', 'Unhealthy', 'Error'].includes(state)) return
  const wasUsed = own(record.gameServer.object_meta.annotations, `${config.platform}.dev/last-allocated`) !== undefined
  if (wasUsed || step.now - record.createdAt >= EARLY_MS) return forgive(step)
  // Those that were created together fail together, and count once.
  if (record.createdAt < failures.since) return
  const count = failures.count + 1
  // As a container's first restart, the first replacement comes at once.
  const delay = count === 1 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 2))
  update(step, { failures: { count, since: step.now, until: step.now + delay } })
  if (delay === 0) return
  const age = Math.round((step.now - record.createdAt) / 1000)
  const text = `${record.name} ended ${age} s after its creation; the next GameServer is created in ${delay / 1000} s.`
  tell(step, { type: 'warning', server: record.name, text })
}

function forget(step: FleetStep, name: string): unknown {
  const record = find(step, name)
  if (record === undefined) return false
  remove(step, 'gameservers', gameServerObject(step.state, record))
  tell(step, { type: 'gone', server: name, text: `${name} is gone.` })
  return true
}

/** Source: ListenAndAllocate of pkg/gameserverallocations/allocator.go, which keeps its list for equal allocations. */
function choose(step: FleetStep, manifest: GameServerAllocation, id: number | undefined): unknown {
  const key = JSON.stringify(manifest.spec ?? {})
  const { batch, servers, config } = step.state
  const isSame = id !== undefined && id === batch.id && key === batch.key && batch.count < LARGEST_BATCH
  const taken = isSame ? batch.taken : []
  const problem = namespaceProblem(manifest, config.namespace)
  const gameServers = servers.filter((one) => !one.isEnding).map(({ gameServer }) => gameServer)
  const choice =
    problem === undefined
      ? chooseServer(manifest, gameServers, taken, () => draw(step))
      : { server: undefined, reason: problem }
  update(step, {
    batch: {
      ...{ id, key, count: isSame ? batch.count + 1 : 1 },
      taken: choice.server === undefined ? taken : [...taken, choice.server],
    },
  })
  step.effects.push({ type: 'choice', choice })
  return false
}

/** Builds the answer from the object as its sidecar left it. */
function answer(step: FleetStep, { manifest, choice, refusal }: EventOf<'allocated'>): unknown {
  const { namespace } = step.state.config
  const server = refusal === undefined && choice.server !== undefined ? find(step, choice.server) : undefined
  const state = server ? 'Allocated' : choice.server === undefined ? 'UnAllocated' : 'Contention'
  const reason = refusal === undefined ? choice.reason : `${choice.server} could not be allocated: ${refusal}.`
  const answered = allocationAnswer(
    manifest,
    server?.gameServer ?? reason,
    namespace,
    step.now,
    state === 'Contention' ? state : 'UnAllocated',
  )
  const { name } = server ?? {}
  const allocation = {
    manifest,
    state,
    ...(name === undefined ? {} : { server: name }),
    reason,
    answer: answered,
  } as const
  const text = `${state}: ${reason}`
  tell(step, { type: 'allocation', ...(name === undefined ? {} : { server: name }), text, allocation })
  step.effects.push({ type: 'allocation', allocation })
  return false
}
