import type { GameServer } from '../../protocol/game-server.js'
import type { ControlCommand, GameServerManifest } from '../sidecar.js'
import type { AutoscalerManifest, AutoscalerSpec, FleetCommand, FleetEntry, FleetManifest } from './types.js'
import type { FleetServer, FleetSpec, WebhookAnswer, WebhookPolicy } from './types.js'
import type { ObjectChange, PlatformObject, ServerProcess } from './types.js'

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

/** A GameServer of the Fleet, with what only the model needs to know. */
export interface ServerRecord extends FleetServer {
  /** Its end was asked for, so it no longer counts, although its sidecar may not show it yet. */
  readonly isEnding: boolean
}

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
  readonly servers: readonly ServerRecord[]
  /** State of the random numbers, from which names derive. */
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
  | Exclude<FleetCommand, { readonly type: 'control' }>
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
