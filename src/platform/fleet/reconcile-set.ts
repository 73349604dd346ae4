import { resolveConfig, type GameServerManifest } from '../sidecar.js'
import { own, sorted, withText } from '../sidecar/state/game-server-edits.js'
import { createdGameServer } from '../sidecar/state/initial-game-server.js'
import { newMetadata, noteServer, putServer, putSet, tell, type FleetStep } from './fleet-step.js'
import type { ServerRecord, SetObject } from './fleet-state.js'
import { sortForDeletion } from './ordering.js'
import { isEnding, isKept, statusOfSet } from './statuses.js'

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
  // GameServers that failed at their start delay the next ones by a backoff.
  if (step.now >= step.state.failures.until) for (let i = 0; i < missing; i++) create(step, set)
  putSet(step, { ...set, status: statusOfSet(set.spec.template, serversOf(step, set)) })
}

const reasonOf = (state: string): string =>
  state === 'Unhealthy' || state === 'Error' ? `since it is ${state}` : `since its set has more than it should`

const serversOf = ({ state }: FleetStep, { metadata }: SetObject): readonly ServerRecord[] =>
  state.servers.filter(({ set }) => set === metadata.name)

/** How many GameServers a set lacks, and which are to go. Source: computeReconciliationAction of the same file. */
function plan(step: FleetStep, set: SetObject) {
  const live = serversOf(step, set).filter((one) => !isEnding(one))
  const others = live.filter((one) => !isKept(one))
  const isFailed = ({ gameServer }: ServerRecord): boolean =>
    gameServer.status.state === 'Unhealthy' || errorEnds(step, gameServer) <= step.now
  const failed = others.filter(isFailed)
  const missing = set.spec.replicas - (live.length - failed.length)
  if (missing >= 0) return { missing, surplus: failed }
  const up = others.filter((one) => !isFailed(one))
  return { missing: 0, surplus: [...failed, ...sortForDeletion(set.spec, step.state.servers, up).slice(0, -missing)] }
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
  tell(step, { type: 'created', server: name, text: `${name} is created.` })
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
