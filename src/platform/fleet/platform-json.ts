import type { GameServer } from '../../protocol/game-server.js'
import { countedOf, nodeNameOf, wholeSeconds, withOrder } from '../allocation/answer.js'
import { isMarked } from '../sidecar/state/game-server-edits.js'
import type { FleetState, ServerRecord } from './fleet-state.js'
import type {
  AutoscalerManifest,
  AutoscalerPolicy,
  AutoscalerSpec,
  FleetManifest,
  FleetSpec,
  GameServerTemplate,
} from './types.js'
import type { PlatformMetadata, PlatformObject } from './types.js'

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
export function gameServerObject({ config, sets }: FleetState, server: ServerRecord): PlatformObject {
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
