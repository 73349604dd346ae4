import type { GameServer } from '../../../protocol/game-server.js'

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
  | 'object-too-large'
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
  | { readonly type: 'control-result'; readonly ok: boolean; readonly message: string }
  | { readonly type: 'change'; readonly change: Change }
  | ({ readonly type: 'warn' } & Warning)
