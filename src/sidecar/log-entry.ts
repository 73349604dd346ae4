import type { GameServer } from '../protocol/game-server.js'
import type { Change, Warning } from './model/state/effect.js'
import type { SidecarEvent } from './model/state/sidecar-event.js'
import type { Exchange } from './wire/exchange.js'

/** One entry of the event log. Its `event` is enough to replay it; the rest tells the outcome. */
export interface LogEntry {
  /** 1 for the first entry since the start. */
  readonly seq: number
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly event: SidecarEvent
  /** The answer, if the event was a call. */
  readonly reply?: { readonly status: number; readonly message?: string }
  /** Why a control command changed nothing. */
  readonly problem?: string
  readonly changes: readonly Change[]
  readonly warnings: readonly Warning[]
  /** How long the call took in milliseconds of the sidecar's clock, its delays included. */
  readonly ms?: number
  /** Who called, in a word: `page#1`, `node#1`, `ws#2`. */
  readonly client?: string
  /** A fault had a part in the answer. */
  readonly fault?: true
}

/** An entry with all that is kept beside it. */
export interface KeptEntry {
  readonly entry: LogEntry
  /** The GameServer before the event. */
  readonly before: GameServer
  /** It was gone from the cluster. */
  readonly wasGone: boolean
  /** The versions of the GameServer that the event made, for whoever watches. */
  readonly published: readonly GameServer[]
  /** What each fault did, a sentence each. */
  readonly faults: readonly string[]
  /** Of a request; undefined until it is answered. */
  readonly exchange: Exchange | undefined
}
