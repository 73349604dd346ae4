import type { GameServer } from '../protocol/game-server.js'
import type { GameServerAllocation } from '../sidecar/allocation/manifest.js'
import type { ControlCommand, GameServerManifest } from '../sidecar/index.js'
import type { FleetAllocation, FleetEntry, FleetServer, FleetSpec, ObjectChange, PlatformObject } from './types.js'
import type { Priority, ServerProcess } from './types.js'

type Texts = Readonly<Record<string, string>>

/** Sums of one counter or list over GameServers. */
export interface Aggregate {
  readonly allocatedCount: number
  readonly allocatedCapacity: number
  readonly count: number
  readonly capacity: number
}

export interface SetStatus {
  readonly replicas: number
  readonly readyReplicas: number
  readonly reservedReplicas: number
  readonly allocatedReplicas: number
  readonly shutdownReplicas: number
  readonly counters: Readonly<Record<string, Aggregate>>
  readonly lists: Readonly<Record<string, Aggregate>>
}

export type SetSpec = Pick<FleetSpec, 'replicas' | 'scheduling' | 'priorities' | 'allocationOverflow' | 'template'>

export interface FleetStatus extends Omit<SetStatus, 'shutdownReplicas'> {
  /** How many GameServers became Allocated. */
  readonly allocations: number
}

export type FleetObject = PlatformObject<FleetSpec, FleetStatus> & { readonly status: FleetStatus }
export type SetObject = PlatformObject<SetSpec, SetStatus> & { readonly status: SetStatus }

/** A Fleet as in its file, checked: `readFleetDocument()` of `src/schema/fleet.ts` reads one. */
export interface FleetManifest {
  readonly apiVersion?: string | null
  readonly kind?: string | null
  readonly metadata?: {
    readonly name?: string | null
    readonly namespace?: string | null
    readonly labels?: Texts | null
    readonly annotations?: Texts | null
  } | null
  readonly spec: {
    readonly replicas?: number | null
    readonly scheduling?: 'Packed' | 'Distributed' | '' | null
    readonly strategy?: {
      readonly type?: 'RollingUpdate' | 'Recreate' | '' | null
      readonly rollingUpdate?: {
        readonly maxSurge?: number | string | null
        readonly maxUnavailable?: number | string | null
      } | null
    } | null
    readonly priorities?: readonly Priority[] | null
    readonly allocationOverflow?: { readonly labels?: Texts | null; readonly annotations?: Texts | null } | null
    readonly template: GameServerManifest & Readonly<Record<string, unknown>>
  }
}

interface BufferPolicy {
  readonly type: 'Buffer'
  readonly buffer: {
    readonly bufferSize: number | string
    readonly minReplicas?: number | null
    readonly maxReplicas: number
  }
}

export interface CapacityPolicy {
  readonly key: string
  readonly bufferSize: number | string
  readonly minCapacity?: number | null
  readonly maxCapacity: number
}

export type AutoscalerPolicy =
  | BufferPolicy
  | { readonly type: 'Counter'; readonly counter: CapacityPolicy }
  | { readonly type: 'List'; readonly list: CapacityPolicy }

/** A FleetAutoscaler as in its file, checked. */
export interface AutoscalerManifest {
  readonly apiVersion?: string | null
  readonly kind?: string | null
  readonly metadata?: FleetManifest['metadata']
  readonly spec: {
    readonly fleetName: string
    readonly policy: AutoscalerPolicy
    readonly sync?: {
      readonly type?: 'FixedInterval' | '' | null
      readonly fixedInterval?: { readonly seconds?: number | null } | null
    } | null
  }
}

export interface AutoscalerStatus {
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly lastScaleTime: string | null
  readonly ableToScale: boolean
  readonly scalingLimited: boolean
  readonly lastAppliedPolicy: string
}

export interface AutoscalerSpec {
  readonly fleetName: string
  readonly policy: AutoscalerPolicy
  readonly sync: { readonly type: 'FixedInterval'; readonly fixedInterval: { readonly seconds: number } }
}

export type AutoscalerObject = PlatformObject<AutoscalerSpec, AutoscalerStatus> & { readonly status: AutoscalerStatus }

/** A GameServer of the Fleet, with what only the model needs to know. */
export interface ServerRecord extends FleetServer {
  /** Its end was asked for, so it no longer counts, although its sidecar may not show it yet. */
  readonly isEnding: boolean
}

export interface FleetConfig {
  readonly platform: string
  readonly namespace: string
  /** The most GameServers that the Fleet may be scaled to. */
  readonly max: number
}

/** The whole Fleet at one moment. It is immutable: states share the parts that are equal. */
export interface FleetState {
  readonly config: FleetConfig
  readonly fleet: FleetObject
  /** Oldest first. */
  readonly sets: readonly SetObject[]
  readonly autoscaler: AutoscalerObject | undefined
  /** When the autoscaler looks at the Fleet again. */
  readonly autoscalesAt: number
  /** Oldest first. */
  readonly servers: readonly ServerRecord[]
  /** State of the random numbers, from which names derive. */
  readonly random: number
  /** Resource version of the newest change. */
  readonly version: number
  /** Sequence number of the newest entry. */
  readonly sequence: number
  /** GameServers in a row that failed at once, when the last one did, and when the next one may be created. */
  readonly failures: { readonly count: number; readonly since: number; readonly until: number }
  /** The present batch of parallel allocations that are equal: how many came, and which GameServers it has given. */
  readonly batch: {
    readonly id: number | undefined
    readonly key: string
    readonly count: number
    readonly taken: readonly string[]
  }
}

/** What happens to the Fleet. */
export type FleetEvent =
  /** Creates the first set and its GameServers. */
  | { readonly type: 'start' }
  /** A changed Fleet: a different template makes a new set. */
  | { readonly type: 'applied'; readonly fleet: FleetManifest }
  | { readonly type: 'autoscaler'; readonly manifest: AutoscalerManifest | null }
  | { readonly type: 'scale'; readonly replicas: number }
  /** Replaces every GameServer by the rules of the Fleet's strategy, with the same template. */
  | { readonly type: 'update' }
  /** The sidecar of a GameServer has a changed object. */
  | { readonly type: 'observed'; readonly server: string; readonly gameServer: GameServer }
  /** The game's process started, for the first time or again, or its sidecar's address became known. */
  | { readonly type: 'process'; readonly server: string; readonly process: ServerProcess }
  /** The game's process and the sidecar have ended, and the object is gone. */
  | { readonly type: 'gone'; readonly server: string }
  | { readonly type: 'delete'; readonly server: string; readonly graceMs?: number }
  | { readonly type: 'kill' | 'makeUnhealthy'; readonly server: string }
  /** Asks for a GameServer. `batch`: allocations with the same number came in at the same time. */
  | { readonly type: 'allocate'; readonly manifest: GameServerAllocation; readonly batch?: number }
  /** The sidecar has carried out the allocation, or has refused it. */
  | {
      readonly type: 'allocated'
      readonly manifest: GameServerAllocation
      readonly choice: AllocationChoice
      readonly refusal?: string
    }
  /** Something that the timeline tells, and that changes nothing. */
  | { readonly type: 'note'; readonly entry: Pick<FleetEntry, 'type' | 'server' | 'text'> }
  | { readonly type: 'time' }

/** Which GameServer an allocation takes, if any, and why. */
export interface AllocationChoice {
  readonly server: string | undefined
  readonly reason: string
}

/** An effect that only the Fleet's owner can carry out: `run` of `createFleetModel()` gets these. */
export type FleetAction =
  /** Starts a sidecar with the manifest as its `gameServer`, and the game's process. Ports are the owner's. */
  | {
      readonly type: 'create'
      readonly server: string
      readonly set: string
      readonly manifest: GameServerManifest
    }
  /**
   * Carries out the command on the GameServer's sidecar: at once, or when there is one. Return the result of an
   * `allocate`.
   */
  | { readonly type: 'control'; readonly server: string; readonly command: ControlCommand }
  /** Kills the game's process. */
  | { readonly type: 'kill'; readonly server: string }
  /** Dispatch `time` then. Replaces the last `wake`. */
  | { readonly type: 'wake'; readonly at: number }

export type FleetEffect =
  | FleetAction
  | { readonly type: 'choice'; readonly choice: AllocationChoice }
  | { readonly type: 'allocation'; readonly allocation: FleetAllocation }
  | { readonly type: 'entry'; readonly entry: FleetEntry }
  | { readonly type: 'change'; readonly change: ObjectChange }
