import { isEqual, own, sorted, withText } from '../sidecar/state/game-server.js'
import {
  type FleetStep,
  newMetadata,
  newObject,
  noteServer,
  putFleet,
  putServer,
  putSet,
  remove,
  addEntry,
} from './fleet-step.js'
import type { FleetObject, FleetServer, SetObject } from './types.js'
import { isEnding, isKept, ownedBy, statusOfFleet, statusOfSet } from './platform-json.js'
import { type GameServerManifest, resolveConfig } from '../sidecar.js'
import { createdGameServer } from '../sidecar/state/initial-game-server.js'
import { sortForDeletion } from './ordering.js'

/**
 * Divides the Fleet's replicas between the set of its template and the others, and writes the Fleet's status.
 * Source: syncFleet of pkg/fleets/controller.go.
 */
export function syncFleet(step: FleetStep): void {
  const { fleet, sets } = step.state
  const active = sets.find(({ spec }) => isEqual(spec.template, fleet.spec.template))
  const rest = sets.filter((set) => set !== active)
  const replicas = replicasOfActive(step, active, rest)
  for (const set of step.state.sets) {
    if (set === active || set.status.replicas > 0 || set.status.shutdownReplicas > 0) continue
    remove(step, 'gameserversets', set, { sets: step.state.sets.filter((one) => one !== set) })
    addEntry(step, { type: 'rollout', text: `${set.metadata.name} is gone, since all its GameServers are.` })
  }
  if (active === undefined) addSet(step, replicas)
  else {
    const { scheduling, priorities } = fleet.spec
    putSet(step, { ...active, spec: { ...active.spec, replicas, scheduling, ...(priorities ? { priorities } : {}) } })
  }
  putFleet(step, { ...step.state.fleet, status: statusOfFleet(step.state.sets, fleet.status.allocations) })
}

/** Source: Fleet.GameServerSet() of pkg/apis/agones/v1/fleet.go. */
function addSet(step: FleetStep, replicas: number): void {
  const { config, fleet, sets } = step.state
  const { strategy: _, ...spec } = fleet.spec
  const { name } = fleet.metadata
  const { metadata } = spec.template
  const given = {
    labels: { ...metadata?.labels, [`${config.platform}.dev/fleet`]: name },
    annotations: metadata?.annotations ?? {},
    ownerReferences: ownedBy(fleet),
  }
  const status = statusOfSet(spec.template, [])
  const set = newObject(step, 'gameserversets', name, { metadata: given, spec: { ...spec, replicas }, status })
  putSet(step, set)
  if (sets.length > 0)
    addEntry(step, { type: 'rollout', text: `${set.metadata.name} takes over from ${namesOf(sets)}.` })
}

const namesOf = (sets: readonly SetObject[]): string => sets.map(({ metadata }) => metadata.name).join(' and ')

type Count = (set: SetObject) => number
const sum = (sets: readonly SetObject[], count: Count): number => sets.reduce((total, set) => total + count(set), 0)
const allocated: Count = ({ status }) => status.allocatedReplicas
const ready: Count = ({ status }) => status.readyReplicas

/** Source: applyDeploymentStrategy of pkg/fleets/controller.go. */
function replicasOfActive(step: FleetStep, active: SetObject | undefined, rest: readonly SetObject[]): number {
  const { fleet } = step.state
  const { replicas, strategy } = fleet.spec
  if (rest.length === 0) return replicas
  if (sum(rest, ({ spec }) => spec.replicas) === 0) {
    return Math.max(0, replicas - sum(rest, ({ status }) => status.reservedReplicas + status.allocatedReplicas))
  }
  if (strategy.type === 'Recreate') {
    for (const set of rest) resize(step, set, 0)
    return Math.max(0, replicas - sum(rest, allocated))
  }
  const next = rollActive(fleet, active, rest)
  rollRest(step, active, rest)
  return next
}

/** Source: rollingUpdateActive of pkg/fleets/controller.go. */
function rollActive({ spec }: FleetObject, active: SetObject | undefined, rest: readonly SetObject[]): number {
  const present = active?.spec.replicas ?? 0
  const blocked = sum(rest, allocated)
  // The set has not yet reached its replicas.
  if (present !== (active?.status.replicas ?? 0)) return present
  if (spec.replicas === 0) return 0
  // The source may ask for fewer than 0, which the API server refuses.
  if (present >= spec.replicas - blocked) return Math.max(0, spec.replicas - blocked)
  const surge = amountOf(spec.strategy.rollingUpdate!.maxSurge, spec.replicas, Math.ceil)
  let next = Math.min(spec.replicas, present + surge)
  const total = sum(rest, ({ status }) => status.replicas) + next
  const most = surge + spec.replicas
  if (total > most) next = Math.max(0, next - (total - most))
  return next + blocked > spec.replicas ? Math.max(0, spec.replicas - blocked) : next
}

/** Source: rollingUpdateRestFixedOnReadyRollingUpdateFix of pkg/fleets/controller.go. */
function rollRest(step: FleetStep, active: SetObject | undefined, rest: readonly SetObject[]): void {
  const { spec, status } = step.state.fleet
  const given = amountOf(spec.strategy.rollingUpdate!.maxUnavailable, status.readyReplicas, Math.floor)
  const unavailable = Math.min(given || 1, spec.replicas)
  const readyNow = sum(active ? [...rest, active] : rest, ready)
  const minAvailable = Math.min(status.readyReplicas - unavailable, spec.replicas)
  const pending = active ? active.spec.replicas - sum([active], healthy) - active.status.shutdownReplicas : 0
  let cleanups = readyNow - minAvailable - pending
  if (cleanups <= 0) return
  const cleaned = rest.map((set) => {
    const failed = Math.max(0, Math.min(cleanups, set.spec.replicas - healthy(set)))
    cleanups -= failed
    return failed > 0 ? resize(step, set, set.spec.replicas - failed) : set
  })
  let removals = readyNow - minAvailable
  for (const set of cleaned) {
    if (removals <= 0) return
    if (set.spec.replicas <= 0) continue
    // The set has not yet reached its replicas.
    if (set.spec.replicas !== set.status.replicas) return
    if (set.status.shutdownReplicas > 0) continue
    const removed = Math.min(set.spec.replicas, removals)
    resize(step, set, set.status.replicas === allocated(set) ? 0 : set.spec.replicas - removed)
    removals -= removed
  }
}

const healthy: Count = ({ status }) => status.readyReplicas + status.allocatedReplicas + status.reservedReplicas

function resize(step: FleetStep, set: SetObject, replicas: number): SetObject {
  if (set.spec.replicas === replicas) return set
  const next = { ...set, spec: { ...set.spec, replicas } }
  putSet(step, next)
  const { name } = set.metadata
  addEntry(step, { type: 'rollout', text: `${name} shrinks from ${set.spec.replicas} to ${replicas} for the new set.` })
  return next
}

/** A number, or a percentage of a total. Source: GetValueFromIntOrPercent of k8s.io/apimachinery/pkg/util/intstr. */
export const amountOf = (value: number | string, total: number, round: (value: number) => number): number =>
  typeof value === 'number' ? value : round((Number.parseInt(value, 10) * total) / 100)

/**
 * Creates and deletes GameServers of a set, and writes its status. The platform's limits for each pass (64 created, 64
 * deleted) have no effect here, since the next pass follows at once.
 * Source: syncGameServerSet of pkg/gameserversets/controller.go.
 */
export function syncSet(step: FleetStep, set: SetObject): void {
  const { missing, surplus } = plan(step, set)
  for (const server of surplus) {
    const { name } = server
    step.effects.push({ type: 'control', server: name, command: { type: 'setState', state: 'Shutdown' } })
    noteServer(step, name, { isEnding: true })
    const why = isFailed(server) ? `it is ${server.gameServer.status.state}` : 'its set has more than it should'
    addEntry(step, { type: 'deleted', server: name, text: `${name} is deleted, since ${why}.` })
  }
  // GameServers that failed at their start delay the next ones by a backoff.
  if (step.now >= step.state.failures.until) for (let i = 0; i < missing; i++) create(step, set)
  putSet(step, { ...set, status: statusOfSet(set.spec.template, serversOf(step, set)) })
}

/** The platform deletes one in state Error half a minute later, so that somebody can look at its pod. */
const isFailed = ({ gameServer }: FleetServer): boolean => ['Unhealthy', 'Error'].includes(gameServer.status.state)

const serversOf = ({ state }: FleetStep, { metadata }: SetObject): readonly FleetServer[] =>
  state.servers.filter(({ set }) => set === metadata.name)

/** How many GameServers a set lacks, and which are to go. Source: computeReconciliationAction of the same file. */
function plan(step: FleetStep, set: SetObject) {
  const live = serversOf(step, set).filter((one) => !isEnding(one))
  const others = live.filter((one) => !isKept(one))
  const failed = others.filter(isFailed)
  const missing = set.spec.replicas - (live.length - failed.length)
  if (missing >= 0) return { missing, surplus: failed }
  const up = others.filter((one) => !isFailed(one))
  return { missing: 0, surplus: [...failed, ...sortForDeletion(set.spec, step.state.servers, up).slice(0, -missing)] }
}

/** Source: GameServerSet.GameServer() of pkg/apis/agones/v1/gameserverset.go. */
function create(step: FleetStep, set: SetObject): void {
  const { config, fleet } = step.state
  const { metadata, spec } = set.spec.template
  const created = newMetadata(step, set.metadata.name)
  const manifest: GameServerManifest = {
    metadata: {
      ...created,
      resourceVersion: String(step.state.version + 1),
      labels: sorted([
        ...Object.entries(metadata?.labels ?? {}),
        [`${config.platform}.dev/fleet`, fleet.metadata.name],
        [`${config.platform}.dev/gameserverset`, set.metadata.name],
      ]),
      annotations: metadata?.annotations ?? {},
    },
    spec: spec ?? {},
    // As a node and a pod would have them.
    status: { addresses: ['InternalIP', 'PodIP'].map((type) => ({ type, address: '127.0.0.1' })) },
  }
  const { name } = created
  const gameServer = createdGameServer(resolveConfig({ platform: config.platform }), manifest, step.now)
  const [createdAt, stateSince] = [step.now, step.now]
  const process = { state: 'starting', restarts: 0 } as const
  putServer(step, { name, set: set.metadata.name, gameServer, createdAt, stateSince, process, isEnding: false })
  step.effects.push({ type: 'create', server: name, manifest })
  addEntry(step, { type: 'created', server: name, text: `${name} is created.` })
}

/**
 * Marks the Allocated GameServers above the set's replicas with the labels and annotations of `allocationOverflow`.
 * Source: pkg/gameserversets/allocation_overflow.go.
 */
export function markOverflow(step: FleetStep, { metadata: { name }, spec, status }: SetObject): void {
  const { labels, annotations } = spec.allocationOverflow ?? {}
  const wanted = [
    ...Object.entries(labels ?? {}).map((entry) => ['labels', 'setLabel', ...entry] as const),
    ...Object.entries(annotations ?? {}).map((entry) => ['annotations', 'setAnnotation', ...entry] as const),
  ]
  const surplus = status.allocatedReplicas - spec.replicas
  if (wanted.length === 0 || surplus <= 0) return
  const { servers } = step.state
  const allocated = servers.filter((one) => one.set === name && one.gameServer.status.state === 'Allocated')
  const unmarked = allocated.filter(({ gameServer: { object_meta } }) =>
    wanted.some(([kind, , key, value]) => own(object_meta[kind], key) !== value),
  )
  const missing = Math.max(0, surplus - (allocated.length - unmarked.length))
  for (const record of sortForDeletion(spec, servers, unmarked).slice(0, missing)) {
    let { gameServer } = record
    for (const [kind, type, key, value] of wanted) {
      step.effects.push({ type: 'control', server: record.name, command: { type, key, value } })
      gameServer = withText(gameServer, kind, key, value)
    }
    putServer(step, { ...record, gameServer })
  }
}
