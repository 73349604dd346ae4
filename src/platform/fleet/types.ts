import type { GameServer } from '../../protocol/game-server.js'
import type { GameServerManifest } from '../sidecar/state/config.js'
import type { ControlCommand } from '../sidecar/state/events.js'
import type { AnsweredAllocation, GameServerAllocation, Priority } from '../allocation/types.js'

type Texts = Readonly<Record<string, string>>

/** An object's metadata in the platform's JSON. */
export interface PlatformMetadata {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number
  /** RFC 3339, whole seconds. */
  readonly creationTimestamp: string
  readonly deletionTimestamp?: string
  readonly labels?: Texts
  readonly annotations?: Texts
  readonly ownerReferences?: readonly {
    readonly apiVersion: string
    readonly kind: string
    readonly name: string
    readonly uid: string
    readonly controller: true
    readonly blockOwnerDeletion: true
  }[]
}

/** An object in the platform's JSON: a Fleet, GameServerSet, GameServer or FleetAutoscaler. */
export interface PlatformObject<Spec = object, Status = object> {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: PlatformMetadata
  readonly spec: Spec
  readonly status?: Status
}

/** The template of a Fleet's GameServers, as in its file. Fields that only a cluster reads are kept as they are. */
export type GameServerTemplate = GameServerManifest & Readonly<Record<string, unknown>>

export interface FleetSpec {
  readonly replicas: number
  readonly scheduling: 'Packed' | 'Distributed'
  readonly strategy: {
    readonly type: 'RollingUpdate' | 'Recreate'
    readonly rollingUpdate?: { readonly maxSurge: number | string; readonly maxUnavailable: number | string }
  }
  readonly priorities?: readonly Priority[]
  readonly allocationOverflow?: { readonly labels?: Texts; readonly annotations?: Texts }
  readonly template: GameServerTemplate
}

/** Fields as in a file: absent, null, or empty text for the default. */
type Loose<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { readonly [Name in keyof T]?: Loose<T[Name]> | null }
    : T extends string
      ? T | ''
      : T

interface Manifest<Spec> {
  readonly apiVersion?: string | null
  readonly kind?: string | null
  readonly metadata?: Loose<Pick<PlatformMetadata, 'name' | 'namespace' | 'labels' | 'annotations'>> | null
  readonly spec: Spec
}

/** A Fleet as in its file, checked: `readFleetDocument()` of `src/platform/schema/fleet.ts` reads one. */
export type FleetManifest = Manifest<Loose<Omit<FleetSpec, 'template'>> & Pick<FleetSpec, 'template'>>

export interface CapacityPolicy {
  readonly key: string
  readonly bufferSize: number | string
  readonly minCapacity?: number | null
  readonly maxCapacity: number
}

/** What a Webhook policy asks: a URL, or a Service of the cluster. */
export interface WebhookPolicy {
  readonly url?: string | null
  readonly service?: {
    readonly name: string
    readonly namespace?: string | null
    readonly path?: string | null
    readonly port?: number | null
  } | null
  /** The authority of its certificate: PEM in base64. */
  readonly caBundle?: string | null
}

/** What a webhook answered; a text says why there is no answer. */
export type WebhookAnswer = { readonly status: number; readonly text: string } | string

/** A policy that is applied only at some times. */
export interface SchedulePolicy {
  readonly between?: { readonly start?: string | null; readonly end?: string | null } | null
  readonly activePeriod?: {
    readonly timezone?: string | null
    readonly startCron?: string | null
    readonly duration?: string | null
  } | null
  readonly policy: AutoscalerPolicy
}

/** The first policy of a chain that can be applied decides. */
export type ChainEntry = AutoscalerPolicy & { readonly id?: string | null }

export type AutoscalerPolicy =
  | { readonly type: 'Webhook'; readonly webhook: WebhookPolicy }
  | { readonly type: 'Schedule'; readonly schedule: SchedulePolicy }
  | { readonly type: 'Chain'; readonly chain: readonly ChainEntry[] }
  | {
      readonly type: 'Buffer'
      readonly buffer: {
        readonly bufferSize: number | string
        readonly minReplicas?: number | null
        readonly maxReplicas: number
      }
    }
  | { readonly type: 'Counter'; readonly counter: CapacityPolicy }
  | { readonly type: 'List'; readonly list: CapacityPolicy }

export interface AutoscalerSpec {
  readonly fleetName: string
  readonly policy: AutoscalerPolicy
  readonly sync: { readonly type: 'FixedInterval'; readonly fixedInterval: { readonly seconds: number } }
}

/** A FleetAutoscaler as in its file, checked. */
export type AutoscalerManifest = Manifest<
  Omit<AutoscalerSpec, 'sync'> & { readonly sync?: Loose<AutoscalerSpec['sync']> | null }
>

/** One GameServer of the Fleet. Its sidecar holds the truth; the model sees it by `observed` events. */
export interface FleetServer {
  readonly name: string
  /** Name of its GameServerSet. */
  readonly set: string
  /** As its sidecar holds it. */
  readonly gameServer: GameServer
  /** Of the platform's object, counted over all objects of the Fleet. */
  readonly resourceVersion: string
  /** ms since the Unix epoch. */
  readonly createdAt: number
  /** When the GameServer was last observed in a new state, in ms since the Unix epoch. */
  readonly stateSince: number
  readonly process: ServerProcess
  /** The state by which it failed, `Unhealthy` or `Error`. */
  readonly failure?: string
  /** Its end was asked for, so it no longer counts, although its sidecar may not show it yet. */
  readonly isEnding: boolean
}

/** The game of a GameServer: a program, or a page in its browser. */
export interface ServerProcess {
  readonly state: 'starting' | 'running' | 'ended'
  readonly pid?: number
  /** How often it was started again in the same GameServer, as a container is. */
  readonly restarts: number
  readonly exitCode?: number
  /** Address of the sidecar, which serves its dashboard at `/_/`. */
  readonly sidecarUrl?: string
}

type OfGameServer = 'created' | 'state' | 'changed' | 'deleted' | 'gone'
type OfFleet = 'scaled' | 'rollout' | 'autoscaled' | 'applied'

/** A line of the Fleet's timeline. */
export interface FleetEntry {
  /** Grows by 1. */
  readonly sequence: number
  /** ms since the Unix epoch. */
  readonly at: number
  readonly type: OfGameServer | OfFleet | 'allocation' | 'process' | 'warning'
  /** The GameServer that it concerns. */
  readonly server?: string
  /** One sentence. */
  readonly text: string
  /** Of an allocation. */
  readonly allocation?: FleetAllocation
}

/** An allocation's answer, and the reasons, which a cluster doesn't tell. */
export interface FleetAllocation {
  readonly manifest: GameServerAllocation
  readonly state: 'Allocated' | 'UnAllocated' | 'Contention'
  readonly server?: string
  /** Why this GameServer was taken before the others, or by what each one failed. */
  readonly reason: string
  readonly answer: AnsweredAllocation<'UnAllocated' | 'Contention'>
}

/** What the API, the dashboard and the keys may ask of a running Fleet. */
export type FleetCommand =
  | { readonly type: 'scale'; readonly replicas: number }
  /** A rolling update: replaces Ready GameServers, leaves Allocated ones. With `fleet`, to that manifest. */
  | { readonly type: 'update'; readonly fleet?: FleetManifest }
  | { readonly type: 'autoscaler'; readonly manifest: AutoscalerManifest | null }
  | { readonly type: 'delete'; readonly server: string; readonly graceMs?: number }
  /** Kills the game's process. */
  | { readonly type: 'kill'; readonly server: string }
  | { readonly type: 'makeUnhealthy'; readonly server: string }
  /** Carries out a command on the sidecar of a GameServer. */
  | { readonly type: 'control'; readonly server: string; readonly command: ControlCommand }

export type FleetResult =
  { readonly ok: true } | { readonly ok: false; readonly status: 400 | 404 | 409; readonly message: string }

/** A change of an object that the platform's API serves. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly plural: 'gameservers' | 'fleets' | 'gameserversets' | 'fleetautoscalers'
  readonly object: PlatformObject
  /** The object before; undefined for a new one. */
  readonly previous: PlatformObject | undefined
}

/**
 * A running Fleet as its API and its dashboard see it; `createFleet()` of `./node` makes one with processes. All methods
 * are synchronous: one thread holds the whole Fleet, so an allocation is atomic.
 */
export interface RunningFleet {
  /** The Fleet, its sets and autoscaler in the platform's JSON, and its GameServers. */
  snapshot(): FleetSnapshot
  /** The objects of one kind in the platform's JSON, by name. */
  objects(plural: ObjectChange['plural']): readonly PlatformObject[]
  /** Version of the newest change. */
  readonly resourceVersion: string
  /** Called for each change of an object, in order. Returns the function that stops this. */
  onChange(listener: (change: ObjectChange) => void): () => void
  /** Called for each new entry of the timeline. */
  onEntry(listener: (entry: FleetEntry) => void): () => void
  /** The kept entries after a sequence number. Default all; the oldest of 5,000 go first. */
  entries(since?: number): readonly FleetEntry[]
  /**
   * Allocates by a checked manifest. Allocations that came in at the same time share a number `batch`: as in a cluster,
   * equal ones among them each get a GameServer of their own.
   */
  allocate(manifest: GameServerAllocation, batch?: number): FleetAllocation
  /** Carries out a checked command. */
  perform(command: FleetCommand): FleetResult
}

export interface FleetSnapshot {
  readonly now: number
  readonly fleet: PlatformObject<FleetSpec>
  readonly sets: readonly PlatformObject[]
  readonly autoscaler?: PlatformObject
  readonly servers: readonly FleetServer[]
}

/** Sums of one counter or list over GameServers. */
export type Aggregate = Readonly<Record<'allocatedCount' | 'allocatedCapacity' | 'count' | 'capacity', number>>

type Replicas = 'replicas' | 'readyReplicas' | 'reservedReplicas' | 'allocatedReplicas'
type Status<Fields extends string> = Readonly<Record<Replicas | Fields, number>> &
  Readonly<Record<'counters' | 'lists', Readonly<Record<string, Aggregate>>>>

export type SetStatus = Status<'shutdownReplicas'>
/** `allocations` counts the GameServers that became Allocated. */
export type FleetStatus = Status<'allocations'>

interface AutoscalerStatus {
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly lastScaleTime: string | null
  readonly ableToScale: boolean
  readonly scalingLimited: boolean
  readonly lastAppliedPolicy: string
}

export type FleetObject = Required<PlatformObject<FleetSpec, FleetStatus>>
export type SetObject = Required<PlatformObject<Omit<FleetSpec, 'strategy'>, SetStatus>>
export type AutoscalerObject = Required<PlatformObject<AutoscalerSpec, AutoscalerStatus>>

/** The whole Fleet at one moment. It is immutable: states share the parts that are equal. */
export interface FleetState {
  readonly config: {
    readonly platform: string
    readonly namespace: string
    /** The most GameServers that the Fleet may be scaled to. */
    readonly max: number
  }
  readonly fleet: FleetObject
  /** Oldest first. */
  readonly sets: readonly SetObject[]
  readonly autoscaler: AutoscalerObject | undefined
  /** When the autoscaler looks at the Fleet again. */
  readonly autoscalesAt: number
  /** The webhook that the autoscaler waits for, and the answers to its present look at the Fleet. */
  readonly asked: WebhookPolicy | undefined
  readonly answers: ReadonlyMap<WebhookPolicy, WebhookAnswer>
  /** Oldest first. */
  readonly servers: readonly FleetServer[]
  /** State of the random numbers, from which names derive. They begin with the time of the start. */
  readonly random: number
  /** Resource version of the newest change. */
  readonly version: number
  /** Sequence number of the newest entry. */
  readonly sequence: number
  /** GameServers in a row that failed at once, when the last one did, and when the next one may be created. */
  readonly failures: { readonly count: number; readonly since: number; readonly until: number }
  /** The current batch of equal, parallel allocations: how many came, and which GameServers they got. */
  readonly batch: {
    readonly id: number | undefined
    readonly key: string
    readonly count: number
    readonly taken: readonly string[]
  }
}

/** What happens to the Fleet: a command, or something that its owner reports. */
export type FleetEvent =
  | Extract<FleetCommand, { readonly type: 'scale' | 'update' | 'autoscaler' }>
  /** Creates the first set and its GameServers. */
  | { readonly type: 'start'; readonly fleet: FleetManifest; readonly autoscaler: AutoscalerManifest | undefined }
  /** The sidecar of a GameServer has a changed object. */
  | { readonly type: 'observed'; readonly server: string; readonly gameServer: GameServer }
  /** The game's process started, for the first time or again, or its sidecar's address became known. */
  | { readonly type: 'process'; readonly server: string; readonly process: ServerProcess }
  /** The game's process and the sidecar have ended, and the object is gone. */
  | { readonly type: 'gone'; readonly server: string }
  /** Something that the timeline tells, and that changes nothing. */
  | { readonly type: 'note'; readonly entry: Pick<FleetEntry, 'type' | 'server' | 'text'> }
  /** What a webhook answered. */
  | { readonly type: 'reviewed'; readonly webhook: WebhookPolicy; readonly answer: WebhookAnswer }
  | { readonly type: 'time' }

/** An effect that only the Fleet's owner can carry out: `run` of `createFleetModel()` gets these. */
export type FleetAction =
  /** Starts a sidecar with the manifest as its `gameServer`, and the game's process. Ports are the owner's. */
  | { readonly type: 'create'; readonly server: string; readonly manifest: GameServerManifest }
  /** Carries out the command on the GameServer's sidecar: at once, or when there is one. Returns an `allocate`'s result. */
  | { readonly type: 'control'; readonly server: string; readonly command: ControlCommand }
  /** Kills the game's process. */
  | { readonly type: 'kill'; readonly server: string }
  /** Asks the webhook of an autoscaler with a FleetAutoscaleReview. Dispatch `reviewed` with the answer, in any case. */
  | { readonly type: 'review'; readonly webhook: WebhookPolicy; readonly review: string }
  /** Dispatch `time` then. Replaces the last `wake`. */
  | { readonly type: 'wake'; readonly at: number }

export type FleetEffect =
  | FleetAction
  | { readonly type: 'entry'; readonly entry: FleetEntry }
  | { readonly type: 'change'; readonly change: ObjectChange }
