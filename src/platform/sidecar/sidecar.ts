import type { EventLog } from './event-log.js'
import type { SidecarConfig } from './state/config.js'
import type { ControlCommand, Disconnection } from './state/events.js'
import type { ConformanceResult, SidecarSnapshot } from './wire/snapshot.js'
import type { WatchHandle, WatchSink } from './watchers.js'

/** The clock and the timers of the host. */
export interface SidecarEnvironment {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Calls `fire` once after `ms` milliseconds (at most 2^31-1); the returned function cancels it. */
  setTimer(ms: number, fire: () => void): () => void
  /** How many times as fast as the machine's the clock runs; 0 while it stands still. Default 1. */
  speed?(): number
  /** Takes errors that a listener or a watch's receiver threw. Default: rethrows them as uncaught. */
  report?(error: unknown): void
}

/** A request to the sidecar. WHATWG's Request is one; it loses the method's case and `..` in the path. */
export interface SidecarRequest {
  readonly method: string
  /** A URL, or path and query as the client sent them. */
  readonly url: string
  readonly headers: Pick<Headers, 'get' | 'forEach'>
  readonly body: ReadableStream<Uint8Array> | Uint8Array | null
  /** Aborts when the client leaves. Only read by a call that waits. */
  readonly signal: AbortSignal
  /** Who calls, in a word, for the log. */
  readonly client?: string | undefined
  /** A command of this package calls, and not the game. */
  readonly isTool?: boolean
}

export type ControlResult = { readonly ok: true } | { readonly ok: false; readonly message: string }

/** A running local sidecar. Its only outside resources are timers of its environment. */
export interface Sidecar {
  /**
   * Answers one HTTP request. Rejects with a `ConnectionDropped` error if the real sidecar wouldn't answer: the host
   * must then cut the connection. The answer to a watch is a stream that errors when it is cut.
   */
  handle(request: SidecarRequest): Promise<Response>
  /** Opens a watch for a WebSocket. */
  watch(sink: WatchSink, by?: Pick<SidecarRequest, 'client' | 'isTool'>): WatchHandle
  /** Carries out a change from outside, or a fault. */
  control(command: ControlCommand): ControlResult
  snapshot(): SidecarSnapshot
  readonly log: EventLog
  /** All settings, with the defaults. */
  readonly config: SidecarConfig
  conformance(): ConformanceResult
  /** Calls the listener when the sidecar restarts or is replaced: every open connection must be cut. */
  onDisconnect(listener: (reason: Disconnection) => void): () => void
  /** Ends every watcher and timer, for good. Idempotent. */
  close(): void
}
