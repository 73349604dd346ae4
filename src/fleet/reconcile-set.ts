import { resolveConfig } from '../sidecar/index.js'
import type { GameServerManifest } from '../sidecar/index.js'
import { own, sorted, withKey, withMetadata } from '../sidecar/model/state/game-server-edits.js'
import { createdGameServer } from '../sidecar/model/state/initial-game-server.js'
import { newIdentity, newMetadata, noteServer, putServer, putSet, tell } from './fleet-step.js'
import type { FleetStep } from './fleet-step.js'
import type { ServerRecord, SetObject } from './fleet-state.js'
import { countNodes, deletionOrder, sortBy } from './ordering.js'
import { isEnding, statusOfSet } from './statuses.js'

/** gameServerErrorDeletionDelay of pkg/gameserversets/controller.go. */
const ERROR_MS = 30_000

/**
 * Creates and deletes GameServers of a set, and writes its status. The platform's limits for each pass (64 created, 64
 * deleted) have no effect here, since the next pass follows at once.
 * Source: syncGameServerSet of pkg/gameserversets/controller.go.
 */
export function syncSet(step: FleetStep, set: SetObject): void {
  const { missing, surplus } = plan(step, set)
  for (const { name, gameServer } of surplus) {
    step.effects.push({ type: 'control', server: name, command: { type: 'setState', state: 'Shutdown' } })
    noteServer(step, name, { isEnding: true })
    tell(step, { type: 'deleted', server: name, text: `${name} is deleted, ${reasonOf(gameServer.status.state)}.` })
  }
  // Each GameServer that failed at once delays the next ones.
  if (step.now >= step.state.failures.until) for (let i = 0; i < missing; i++) create(step, set)
  putSet(step, { ...set, status: statusOfSet(set.spec, serversOf(step, set)) })
}

const reasonOf = (state: string): string =>
  state === 'Unhealthy' || state === 'Error' ? `since it is ${state}` : `since its set has more than it should`

const serversOf = ({ state }: FleetStep, { metadata }: SetObject): readonly ServerRecord[] =>
  state.servers.filter(({ set }) => set === metadata.name)

/** Source: computeReconciliationAction of pkg/gameserversets/controller.go. */
function plan(
  step: FleetStep,
  set: SetObject,
): { readonly missing: number; readonly surplus: readonly ServerRecord[] } {
  const { replicas, scheduling, priorities = [] } = set.spec
  const live = serversOf(step, set).filter((one) => !isEnding(one))
  const isKept = ({ gameServer }: ServerRecord): boolean => ['Allocated', 'Reserved'].includes(gameServer.status.state)
  const isFailed = ({ gameServer }: ServerRecord): boolean =>
    gameServer.status.state === 'Unhealthy' || errorEnds(step, gameServer) <= step.now
  const kept = live.filter(isKept)
  const failed = live.filter((one) => !isKept(one) && isFailed(one))
  const up = live.filter((one) => !isKept(one) && !isFailed(one))
  const excess = Math.min(up.length, kept.length + up.length - replicas)
  if (excess <= 0) return { missing: Math.max(0, -excess), surplus: failed }
  const counts = countNodes(step.state.servers.map(({ gameServer }) => gameServer))
  const order = deletionOrder(scheduling, priorities, counts)
  return { missing: 0, surplus: [...failed, ...sortBy(order, up).slice(0, excess)] }
}

/** When a GameServer in state Error is deleted; Infinity for other states. */
export function errorEnds({ state }: FleetStep, { object_meta, status }: ServerRecord['gameServer']): number {
  if (status.state !== 'Error') return Infinity
  const erroredAt = Date.parse(own(object_meta.annotations, `${state.config.platform}.dev/errored-at`) ?? '')
  return Number.isNaN(erroredAt) ? -Infinity : erroredAt + ERROR_MS
}

/** Source: GameServerSet.GameServer() of pkg/apis/agones/v1/gameserverset.go. */
function create(step: FleetStep, set: SetObject): void {
  const { config, fleet } = step.state
  const { metadata, spec } = set.spec.template
  const identity = newIdentity(step, set.metadata.name)
  const { namespace, creationTimestamp } = newMetadata(step, identity)
  const manifest: GameServerManifest = {
    metadata: {
      ...identity,
      ...{ namespace, creationTimestamp, resourceVersion: String(step.state.version + 1), generation: 1 },
      labels: sorted([
        ...Object.entries(metadata?.labels ?? {}),
        [`${config.platform}.dev/fleet`, fleet.metadata.name],
        [`${config.platform}.dev/gameserverset`, set.metadata.name],
      ]),
      annotations: metadata?.annotations ?? {},
    },
    spec: spec ?? {},
  }
  const { name } = identity
  const gameServer = createdGameServer(resolveConfig({ platform: config.platform }), manifest, step.now)
  const [createdAt, stateSince] = [step.now, step.now]
  const process = { state: 'starting', restarts: 0 } as const
  putServer(step, { name, set: set.metadata.name, gameServer, createdAt, stateSince, process, isEnding: false })
  step.effects.push({ type: 'create', server: name, set: set.metadata.name, manifest })
  tell(step, { type: 'created', server: name, text: `${name} is created.` })
}

/**
 * Marks the Allocated GameServers above the set's replicas with the labels and annotations of `allocationOverflow`.
 * Source: pkg/gameserversets/allocation_overflow.go.
 */
export function markOverflow(step: FleetStep, { metadata: { name }, spec, status }: SetObject): void {
  const { scheduling, priorities = [], allocationOverflow: overflow, replicas } = spec
  const wanted = [
    ...Object.entries(overflow?.labels ?? {}).map((entry) => ['labels', ...entry] as const),
    ...Object.entries(overflow?.annotations ?? {}).map((entry) => ['annotations', ...entry] as const),
  ]
  const surplus = status.allocatedReplicas - replicas
  if (wanted.length === 0 || surplus <= 0) return
  const { servers } = step.state
  const allocated = servers.filter((one) => one.set === name && one.gameServer.status.state === 'Allocated')
  const unmarked = allocated.filter(({ gameServer: { object_meta } }) =>
    wanted.some(([kind, key, value]) => own(object_meta[kind], key) !== value),
  )
  const missing = surplus - (allocated.length - unmarked.length)
  const counts = countNodes(servers.map(({ gameServer }) => gameServer))
  for (const record of sortBy(deletionOrder(scheduling, priorities, counts), unmarked).slice(0, Math.max(0, missing))) {
    let { gameServer } = record
    for (const [kind, key, value] of wanted) {
      const type = kind === 'labels' ? 'setLabel' : 'setAnnotation'
      step.effects.push({ type: 'control', server: record.name, command: { type, key, value } })
      gameServer = withMetadata(gameServer, kind, withKey(gameServer.object_meta[kind], key, value))
    }
    putServer(step, { ...record, gameServer })
  }
}
