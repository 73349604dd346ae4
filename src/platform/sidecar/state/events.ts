import type { OperationName } from '../../../protocol/operations.js'
import type { AllocationChanges, GameServerAllocation } from '../../allocation/types.js'
import type { GameServerManifest } from './config.js'
import type { GameServer } from '../../../protocol/game-server.js'

interface FailedAnswer {
  readonly status?: number
  readonly message?: string
  readonly retryAfter?: number
  readonly drop?: false
}

/** A connection without an answer. */
interface DroppedConnection {
  readonly drop: true
  readonly status?: never
  readonly message?: never
  readonly retryAfter?: never
}

/**
 * A change from outside the sidecar: an act of the rest of a cluster, or a fault. Plain JSON. Keys of labels and
 * annotations are whole keys; no SDK prefix is added.
 */
export type ControlCommand =
  /** Allocates as an allocator does, from Ready or Allocated. */
  | ({ readonly type: 'allocate' } & AllocationChanges)
  /** Allocates by a GameServerAllocation's manifest, as a cluster with this one GameServer does. */
  | { readonly type: 'allocate'; readonly manifest: GameServerAllocation }
  | { readonly type: 'setState'; readonly state: string }
  /** A `value` of null removes the key. */
  | { readonly type: 'setLabel' | 'setAnnotation'; readonly key: string; readonly value: string | null }
  /** Creates the counter if it doesn't exist. */
  | {
      readonly type: 'setCounter'
      readonly name: string
      readonly count?: string | number
      readonly capacity?: string | number
    }
  /** Creates the list if it doesn't exist. */
  | {
      readonly type: 'setList'
      readonly name: string
      readonly values?: readonly string[]
      readonly capacity?: string | number
    }
  /** Answers beats without counting them while `on`; with `count` only so many. */
  | { readonly type: 'ignoreBeats'; readonly on: boolean; readonly count?: number }
  | { readonly type: 'makeUnhealthy' }
  /** Cuts every open watch, or those of `ids` that are still open. */
  | { readonly type: 'dropWatchers'; readonly ids?: readonly number[] }
  /** Sends nothing to any watcher for `ms`, or until `releaseWatchers`; then every watcher gets the newest object. */
  | { readonly type: 'stallWatchers'; readonly ms?: number }
  | { readonly type: 'releaseWatchers' }
  /**
   * Delays calls `before` (default) they take effect, or `after` it. Without `operations` every call is delayed.
   * Replaces an earlier delay of the same operations; `ms` 0 removes it.
   */
  | {
      readonly type: 'delayCalls'
      readonly ms: number
      readonly operations?: readonly OperationName[]
      readonly when?: 'before' | 'after'
    }
  /**
   * Makes calls fail: with `status` (default 503) and `message`, or with `drop` by cutting the connection.
   * `apply` lets them take effect first. `count` calls fail (default: until `clearFaults`). `retryAfter` is sent as that
   * header, in seconds.
   */
  | ({
      readonly type: 'failCalls'
      readonly operations?: readonly OperationName[]
      readonly count?: number
      readonly apply?: boolean
    } & (FailedAnswer | DroppedConnection))
  /** Answers the next `count` writes (default 1) with 200 and forgets them, as when a sidecar dies within half a second. */
  | { readonly type: 'loseWrites'; readonly count?: number }
  /**
   * Makes the API server unreachable: calls are answered as usual, nothing is written, watches are silent and
   * allocations are refused. The queued writes are applied when it is back: at once with `away: false`, or by itself
   * after `ms`.
   */
  | { readonly type: 'apiServer'; readonly away: boolean; readonly ms?: number }
  /** Ends delays, failures, the stall of watchers, ignored beats and padding. */
  | { readonly type: 'clearFaults' }
  /** Makes the object larger by an annotation of so many bytes; 0 removes it. */
  | { readonly type: 'padObject'; readonly bytes: number }
  /**
   * Restarts the sidecar: watchers are cut, pending writes are lost. With `fresh`, or if the old GameServer is gone,
   * the sidecar starts for a new GameServer, as in a Fleet. A sidecar on a port doesn't listen for `downMs`
   * milliseconds.
   */
  | { readonly type: 'restart'; readonly fresh?: boolean; readonly downMs?: number }
  /** Replaces the GameServer's manifest, as when its file is saved. */
  | { readonly type: 'reload'; readonly gameServer: GameServerManifest }
  /** Deletes the object: a deletion timestamp now, gone after `graceMs` (default 30,000). */
  | { readonly type: 'delete'; readonly graceMs?: number }
  /** Deletes the object, and sends SIGTERM to a game under the sidecar's host, then SIGKILL after `graceMs`. */
  | { readonly type: 'terminate'; readonly graceMs?: number }
  /** Runs the sidecar's clock `speed` times as fast; 0 stops it. Only if the sidecar's host controls its clock. */
  | { readonly type: 'setClock'; readonly speed: number }
  /** Puts the sidecar's clock forward. Everything that is due by then happens in order. */
  | { readonly type: 'advanceClock'; readonly ms: number }

/** The command of one type, or of one of several. A command may have several types itself. */
export type CommandOf<
  Type extends ControlCommand['type'],
  Command extends ControlCommand = ControlCommand,
> = Command extends unknown ? (Type extends Command['type'] ? Command : never) : never

/** The names of fields beside `type`, of any member of a union. */
export type FieldOf<T> = T extends unknown ? Exclude<keyof T, 'type'> : never

/** A call whose body has been read; int64 fields are decimal strings. */
export type Call =
  | { readonly operation: 'ready' | 'allocate' | 'shutdown' | 'getGameServer' }
  /** `beats` is the number of messages in the body, since the operation is a stream. */
  | { readonly operation: 'health'; readonly beats: number }
  | { readonly operation: 'reserve'; readonly seconds: string }
  | { readonly operation: 'setLabel' | 'setAnnotation'; readonly key: string; readonly value: string }
  | { readonly operation: 'getCounter' | 'getList'; readonly key: string }
  | {
      readonly operation: 'updateCounter'
      readonly key: string
      readonly count?: string
      readonly capacity?: string
      readonly countDiff: string
    }
  | {
      readonly operation: 'updateList'
      readonly key: string
      readonly capacity: string
      readonly values: readonly string[]
      readonly mask: readonly string[]
    }
  | { readonly operation: 'addListValue' | 'removeListValue'; readonly key: string; readonly value: string }

/** The call of one operation, or of one of several. */
export type CallOf<Name extends Call['operation']> = Extract<Call, { readonly operation: Name }>

/**
 * Everything that can happen to a sidecar. Plain JSON, so that a log can be stored and replayed. With `tool`, a command of
 * this package asks, and not the game.
 */
export type SidecarEvent =
  | {
      readonly type: 'call'
      readonly call: Call
      /** The first field of the body that the operation doesn't have. */
      readonly unread?: string
      readonly tool?: true
    }
  /** A request that never became a call: unknown path, wrong method, bad body. */
  | {
      readonly type: 'refused'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly message: string
    }
  | { readonly type: 'control'; readonly command: ControlCommand }
  | {
      readonly type: 'watch-opened'
      readonly id: number
      readonly transport: 'stream' | 'websocket'
      readonly tool?: true
    }
  | { readonly type: 'watch-closed'; readonly id: number; readonly reason: string }
  /** Time has passed: everything that is due happens. */
  | { readonly type: 'tick' }

/** A client's mistake that fails in production. */
export interface Warning {
  readonly code: WarningCode
  /** One or two sentences: the outcome in production, then the fix. */
  readonly message: string
  /** How often this code was reported since the start, this time included. */
  readonly times: number
}

export type WarningCode =
  | 'update-list-refused'
  | 'poison-label'
  | 'poison-annotation'
  | 'annotations-too-large'
  | 'reserve-overflow'
  | 'call-after-end'
  | 'beat-without-body'
  | 'beat-of-tool'
  | 'never-ready'
  | 'unknown-field'
  | 'health-failure'
  | 'ready-undoes-allocation'
  | 'allocation-action'

/** One change that an event made to the GameServer. */
export type Change =
  | { readonly type: 'state'; readonly value: string; readonly previous: string }
  | {
      readonly type: 'label' | 'annotation'
      readonly key: string
      readonly value: string | undefined
      readonly previous: string | undefined
    }
  | { readonly type: 'counter'; readonly name: string; readonly count: string; readonly capacity: string }
  | {
      readonly type: 'list'
      readonly name: string
      readonly capacity: string
      readonly added: readonly string[]
      readonly removed: readonly string[]
    }
  | { readonly type: 'deletion'; readonly timestamp: string }
  | { readonly type: 'gone' }
  /** Another GameServer has taken the place of the one called `previous`. */
  | {
      readonly type: 'replaced'
      readonly reason: EndReason | 'restart' | 'reload'
      readonly previous: string
      readonly name: string
    }

/** Why a GameServer has ended. */
export type EndReason = 'Shutdown' | 'Unhealthy' | 'deleted'

/** Why every connection to the sidecar is cut. `replaced`: another pod has taken its address. */
export type Disconnection = 'restart' | 'replaced'

/** Why a watch ended: by a control command, because the sidecar ended, or because the reader left. */
export type WatchEnd = 'dropped' | Disconnection | 'failed' | 'closed'

/** Work for the host after an event. */
export type Effect =
  | {
      readonly type: 'reply'
      readonly status: number
      readonly body: unknown
      /** Cut the connection instead of answering. */
      readonly drop: boolean
      /** Seconds of a `Retry-After` header. */
      readonly retryAfter?: number
    }
  /** What a fault did to the answer, in one sentence. */
  | { readonly type: 'fault'; readonly rule: string }
  /** A new version for every watcher. */
  | { readonly type: 'publish'; readonly gameServer: GameServer }
  /** The first message of a watcher. */
  | { readonly type: 'greet'; readonly id: number; readonly gameServer: GameServer }
  /** The watch can't be opened. */
  | { readonly type: 'refuse-watch'; readonly id: number; readonly status: number; readonly body: unknown }
  /** Without `ids`, every watch ends. */
  | { readonly type: 'end-watchers'; readonly reason: WatchEnd; readonly ids?: readonly number[] }
  /** Every connection is lost. */
  | { readonly type: 'disconnect'; readonly reason: Disconnection }
  /** Why a command can't be carried out; undefined if it was. */
  | { readonly type: 'control-result'; readonly problem: string | undefined }
  | { readonly type: 'change'; readonly change: Change }
  | ({ readonly type: 'warn' } & Warning)
