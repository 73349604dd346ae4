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

/** What an answer was decided by and its entry in the log doesn't hold. */
export interface EntryContext {
  /** The GameServer's state before the event. */
  readonly state: string
  /** The GameServer was on its way out, or gone. */
  readonly ending: boolean
  /** What each fault did, a sentence each. */
  readonly faults: readonly string[]
}

/** An entry with all that is kept beside it. The oldest exchanges are dropped first. */
export interface KeptEntry {
  readonly entry: LogEntry
  readonly context: EntryContext | undefined
  readonly exchange: Exchange | undefined
}
