import type { OperationName } from '../../../protocol/operations.js'
import type { GameServerManifest } from './manifest.js'

/** A call of the interface after its body was read; int64 fields are decimal strings. */
export type Call =
  | { readonly operation: 'ready' | 'allocate' | 'shutdown' | 'getGameServer' }
  /** `beats` is the number of messages in the body: the operation is a stream. */
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

/** A counter as an allocation changes it. */
export interface CounterAction {
  readonly action?: 'Increment' | 'Decrement'
  readonly amount?: string | number
  readonly capacity?: string | number
}

/** A list as an allocation changes it. */
export interface ListAction {
  readonly addValues?: readonly string[]
  readonly deleteValues?: readonly string[]
  readonly capacity?: string | number
}

/**
 * What can be done to a local sidecar from outside: what the rest of a cluster does, and faults. Plain JSON.
 * Keys of labels and annotations are whole keys here, without the SDK prefix being added.
 */
export type ControlCommand =
  /** As an allocator: Ready (or already Allocated) becomes Allocated. `force` takes any state. */
  | {
      readonly type: 'allocate'
      readonly labels?: Readonly<Record<string, string>>
      readonly annotations?: Readonly<Record<string, string>>
      readonly counters?: Readonly<Record<string, CounterAction>>
      readonly lists?: Readonly<Record<string, ListAction>>
      readonly force?: boolean
    }
  | { readonly type: 'setState'; readonly state: string }
  /** `value` null removes it. */
  | { readonly type: 'setLabel' | 'setAnnotation'; readonly key: string; readonly value: string | null }
  /** Makes the counter where there is none. */
  | {
      readonly type: 'setCounter'
      readonly name: string
      readonly count?: string | number
      readonly capacity?: string | number
    }
  | {
      readonly type: 'setList'
      readonly name: string
      readonly values?: readonly string[]
      readonly capacity?: string | number
    }
  /** Beats are answered and not counted while `on`. */
  | { readonly type: 'ignoreBeats'; readonly on: boolean }
  | { readonly type: 'makeUnhealthy' }
  /** Cuts every open watch. */
  | { readonly type: 'dropWatchers' }
  /**
   * Nothing is sent to any watcher, for `ms` or until `releaseWatchers`; afterwards at least the newest
   * state is.
   */
  | { readonly type: 'stallWatchers'; readonly ms?: number }
  | { readonly type: 'releaseWatchers' }
  /**
   * Makes calls slow: `before` (default) they take effect, or `after` it. Without `operations` every call.
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
   * `apply` lets them take effect first. `count` calls fail (default: until `clearFaults`).
   */
  | {
      readonly type: 'failCalls'
      readonly status?: number
      readonly message?: string
      readonly operations?: readonly OperationName[]
      readonly count?: number
      readonly drop?: boolean
      readonly apply?: boolean
    }
  /** Ends delays, failures, the stall of watchers, ignored beats and padding. */
  | { readonly type: 'clearFaults' }
  /** Makes the object larger by an annotation of so many bytes; 0 removes it. */
  | { readonly type: 'padObject'; readonly bytes: number }
  /**
   * The sidecar ends and starts again: watchers are cut, pending writes lost. With `fresh`, and where the old
   * GameServer is gone, it starts for a new GameServer, as a fleet replaces one that has ended.
   */
  | { readonly type: 'restart'; readonly fresh?: boolean }
  /** Replaces the GameServer by a manifest, as when its file was saved. */
  | { readonly type: 'reload'; readonly gameServer: GameServerManifest }
  /** The object is deleted: a deletion timestamp now, gone after `graceMs` (default 30,000). */
  | { readonly type: 'delete'; readonly graceMs?: number }

/** Everything that can happen to a sidecar. Plain JSON, so that a log can be stored and replayed. */
export type SidecarEvent =
  | { readonly type: 'call'; readonly call: Call }
  /** A request that never became a call: unknown path, wrong method, bad body. */
  | {
      readonly type: 'refused'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly message: string
    }
  | { readonly type: 'control'; readonly command: ControlCommand }
  | { readonly type: 'watch-opened'; readonly id: number; readonly transport: 'stream' | 'websocket' }
  | { readonly type: 'watch-closed'; readonly id: number; readonly reason: string }
  /** Time has passed: whatever is due happens. */
  | { readonly type: 'tick' }
  /** The process ended by itself and was started again. */
  | { readonly type: 'crashed' }
