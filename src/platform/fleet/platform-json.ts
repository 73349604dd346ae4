import type { GameServer } from '../../protocol/game-server.js'
import { countedOf, nodeNameOf, wholeSeconds, withOrder } from '../allocation/allocate.js'
import { isBeingDeleted, isMarked } from '../sidecar/state/game-server.js'
import type {
  Aggregate,
  AutoscalerManifest,
  AutoscalerPolicy,
  AutoscalerSpec,
  FleetManifest,
  FleetSpec,
  FleetState,
  FleetStatus,
  GameServerTemplate,
  PlatformMetadata,
  PlatformObject,
  FleetServer,
  SetObject,
  SetStatus,
} from './types.js'

/** Default of pkg/apis/autoscaling/v1/fleetautoscaler.go. */
const SYNC_SECONDS = 30

export const kinds = {
  fleets: 'Fleet',
  gameserversets: 'GameServerSet',
  gameservers: 'GameServer',
  fleetautoscalers: 'FleetAutoscaler',
} as const

export const apiVersionOf = ({ platform }: FleetState['config'], plural: keyof typeof kinds): string =>
  `${plural === 'fleetautoscalers' ? 'autoscaling.' : ''}${platform}.dev/v1`

/** A Fleet's spec with the platform's defaults. Source: ApplyDefaults of pkg/apis/agones/v1/fleet.go. */
export function fleetSpec({ spec }: FleetManifest): FleetSpec {
  const { strategy, allocationOverflow, template } = spec
  const maxSurge = strategy?.rollingUpdate?.maxSurge ?? '25%'
  const maxUnavailable = strategy?.rollingUpdate?.maxUnavailable ?? '25%'
  return {
    replicas: spec.replicas ?? 0,
    scheduling: spec.scheduling || 'Packed',
    strategy: {
      type: strategy?.type || 'RollingUpdate',
      ...(strategy?.type !== 'Recreate' && { rollingUpdate: { maxSurge, maxUnavailable } }),
    },
    ...(spec.priorities && { priorities: spec.priorities.map(withOrder) }),
    ...(allocationOverflow && { allocationOverflow: allocationOverflow as object }),
    template,
  }
}

/** Source: ApplyDefaults of pkg/apis/autoscaling/v1/fleetautoscaler.go. */
export const autoscalerSpec = ({ spec }: AutoscalerManifest): AutoscalerSpec => ({
  fleetName: spec.fleetName,
  policy: withIds(spec.policy),
  sync: { type: 'FixedInterval', fixedInterval: { seconds: spec.sync?.fixedInterval?.seconds || SYNC_SECONDS } },
})

const withIds = (policy: AutoscalerPolicy): AutoscalerPolicy =>
  policy.type === 'Chain'
    ? { ...policy, chain: policy.chain.map((entry, index) => ({ ...entry, id: entry.id || String(index) })) }
    : policy

/** The reference of an object to its owner, which a cluster's garbage collector and `kubectl` follow. */
export const ownedBy = ({ apiVersion, kind, metadata: { name, uid } }: PlatformObject) =>
  [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }] as const

/** A GameServer in the platform's JSON: the spec of its set's template, and the status that its sidecar holds. */
export function gameServerObject({ config, sets }: FleetState, server: FleetServer): PlatformObject {
  const { gameServer, name, resourceVersion } = server
  const set = sets.find(({ metadata }) => metadata.name === server.set)
  const meta = gameServer.object_meta
  const metadata: PlatformMetadata = {
    name,
    namespace: meta.namespace,
    uid: meta.uid,
    resourceVersion,
    generation: Number(meta.generation) || 1,
    creationTimestamp: time(meta.creation_timestamp),
    ...(isMarked(gameServer) ? { deletionTimestamp: time(meta.deletion_timestamp!) } : {}),
    labels: meta.labels ?? {},
    annotations: meta.annotations ?? {},
    ...(set ? { ownerReferences: ownedBy(set) } : {}),
  }
  const spec = set && { ...specOf(gameServer, set.spec.template), scheduling: set.spec.scheduling }
  const apiVersion = apiVersionOf(config, 'gameservers')
  return { apiVersion, kind: kinds.gameservers, metadata, spec: spec ?? {}, status: statusOf(gameServer) }
}

function specOf({ spec, status }: GameServer, { spec: template = {} }: GameServerTemplate) {
  const health = spec?.health ?? {}
  const portOf = (name: string): number | undefined => status.ports?.find((port) => port.name === name)?.port
  return {
    ...template,
    // Defaults of applyPortDefaults in pkg/apis/agones/v1/gameserver.go.
    ports: (template.ports ?? []).map((port) => {
      const { name = 'default' } = port
      const hostPort = portOf(name)
      const opened = hostPort === undefined ? {} : { hostPort }
      return { portPolicy: 'Dynamic', protocol: 'UDP', ...port, name, ...opened }
    }),
    health: {
      ...(health.disabled ? { disabled: true } : {}),
      periodSeconds: health.period_seconds ?? 0,
      failureThreshold: health.failure_threshold ?? 0,
      initialDelaySeconds: health.initial_delay_seconds ?? 0,
    },
  }
}

function statusOf({ status }: GameServer) {
  const { state, ports = [], address = '', addresses = [] } = status
  return {
    ...{ state, ports, address, addresses, nodeName: nodeNameOf(status), reservedUntil: null, players: null },
    ...countedOf(status),
    eviction: { safe: 'Never' },
    immutableReplicas: 1,
  }
}

const time = (seconds: string): string => wholeSeconds(Number(seconds) * 1000)

export type Counted = 'counters' | 'lists'

/** Whether a GameServer no longer counts. */
export const isEnding = ({ isEnding, gameServer }: FleetServer): boolean => isEnding || isBeingDeleted(gameServer)

/** Whether scaling down passes the GameServer by. */
export const isKept = ({ gameServer: { status } }: FleetServer): boolean =>
  status.state === 'Allocated' || status.state === 'Reserved'

/** The counters, or the lists with their values counted. */
export const amountsOf = (
  { status: { counters, lists } }: GameServer,
  kind: Counted,
): (readonly [name: string, count: number, capacity: number])[] =>
  kind === 'counters'
    ? Object.entries(counters ?? {}).map(([name, one]) => [name, Number(one.count), Number(one.capacity)])
    : Object.entries(lists ?? {}).map(([name, one]) => [name, one.values?.length ?? 0, Number(one.capacity)])

/** Source: computeStatus of pkg/gameserversets/controller.go. */
export function statusOfSet(template: GameServerTemplate, servers: readonly FleetServer[]): SetStatus {
  const live = servers.filter((one) => !isEnding(one)).map(({ gameServer }) => gameServer)
  const count = (state: string): number => live.filter(({ status }) => status.state === state).length
  const sums = (kind: Counted): SetStatus[Counted] => {
    const present = live.flatMap((one) =>
      amountsOf(one, kind).map(([name, count, capacity]) => {
        const isAllocated = one.status.state === 'Allocated'
        const [allocatedCount, allocatedCapacity] = isAllocated ? [count, capacity] : [0, 0]
        return [name, { allocatedCount, allocatedCapacity, count, capacity }] as const
      }),
    )
    return sumUp([...Object.keys(template.spec?.[kind] ?? {}).map((name) => [name, nothing] as const), ...present])
  }
  return {
    replicas: live.length,
    readyReplicas: count('Ready'),
    reservedReplicas: count('Reserved'),
    allocatedReplicas: count('Allocated'),
    shutdownReplicas: servers.length - live.length,
    counters: sums('counters'),
    lists: sums('lists'),
  }
}

/** Source: updateFleetStatus of pkg/fleets/controller.go. */
export function statusOfFleet(sets: readonly SetObject[], allocations: number): FleetStatus {
  const sum = (field: 'replicas' | 'readyReplicas' | 'reservedReplicas' | 'allocatedReplicas'): number =>
    sets.reduce((total, { status }) => total + status[field], 0)
  return {
    replicas: sum('replicas'),
    readyReplicas: sum('readyReplicas'),
    reservedReplicas: sum('reservedReplicas'),
    allocatedReplicas: sum('allocatedReplicas'),
    allocations,
    counters: sumUp(sets.flatMap(({ status }) => Object.entries(status.counters))),
    lists: sumUp(sets.flatMap(({ status }) => Object.entries(status.lists))),
  }
}

const nothing: Aggregate = { allocatedCount: 0, allocatedCapacity: 0, count: 0, capacity: 0 }

/** Adds up the amounts of each name. */
function sumUp(amounts: readonly (readonly [name: string, amount: Aggregate])[]): Record<string, Aggregate> {
  const sums = new Map<string, { -readonly [Field in keyof Aggregate]: number }>()
  for (const [name, amount] of amounts) {
    const sum = sums.get(name) ?? { ...nothing }
    sum.allocatedCount += amount.allocatedCount
    sum.allocatedCapacity += amount.allocatedCapacity
    sum.count += amount.count
    sum.capacity += amount.capacity
    sums.set(name, sum)
  }
  return Object.fromEntries(sums)
}
