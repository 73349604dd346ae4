/** The states an Agones GameServer goes through; a newer platform may add others. */
export type GameServerState =
  | 'PortAllocation'
  | 'Creating'
  | 'Starting'
  | 'Scheduled'
  | 'RequestReady'
  | 'Ready'
  | 'Reserved'
  | 'Allocated'
  | 'Shutdown'
  | 'Error'
  | 'Unhealthy'
  | (string & {})

/** The states that a cluster accepts: `install/helm/agones/templates/crds/_gameserverstatus.yaml`. */
export const STATES: readonly string[] =
  'PortAllocation Creating Starting Scheduled RequestReady Ready Reserved Allocated Shutdown Error Unhealthy'.split(' ')

/** A GameServer exactly as the sidecar sends it: snake_case, int64 as decimal strings. */
export interface GameServer {
  object_meta: ObjectMeta
  spec?: { health?: HealthSpec | null } | null
  status: GameServerStatus
}

export interface ObjectMeta {
  name: string
  namespace: string
  uid: string
  /** Opaque in principle; a growing integer in production, constant in the real sidecar's local mode. */
  resource_version: string
  generation: string
  /** Seconds since the Unix epoch. */
  creation_timestamp: string
  /** Seconds since the Unix epoch, "0" while the GameServer isn't being deleted. */
  deletion_timestamp?: string
  annotations?: Record<string, string> | null
  labels?: Record<string, string> | null
}

export interface HealthSpec {
  disabled?: boolean
  /** Seconds within which at least one beat must come. */
  period_seconds?: number
  /** How many periods without a beat make the GameServer Unhealthy. */
  failure_threshold?: number
  initial_delay_seconds?: number
}

export interface GameServerStatus {
  state: GameServerState
  address?: string
  addresses?: { type: string; address: string }[]
  ports?: { name: string; port: number }[]
  players?: unknown
  counters?: Record<string, CounterStatus> | null
  lists?: Record<string, ListStatus> | null
}

export interface CounterStatus {
  count: string
  capacity: string
}

export interface ListStatus {
  capacity: string
  values?: string[] | null
}

/** The states in which no game has called `ready()` yet. The platform has sent no player to such a server. */
export const BEFORE_READY: readonly string[] = ['', 'PortAllocation', 'Creating', 'Starting', 'Scheduled']

/** Why a GameServer ends; undefined while it shows no end. */
export function endReasonOf({
  object_meta: { deletion_timestamp: deleted },
  status: { state },
}: GameServer): 'shutdown' | 'unhealthy' | 'deleted' | undefined {
  if (state === 'Unhealthy') return 'unhealthy'
  if (state === 'Shutdown') return 'shutdown'
  // A GameServer deleted from outside never becomes Shutdown: only its deletion time is set.
  return deleted && deleted !== '0' ? 'deleted' : undefined
}
