import type { GameServer } from '../protocol/game-server.js'
import type { EventLog } from './event-log.js'
import type { SidecarConfig } from './model/state/config.js'
import type { ControlCommand } from './model/state/sidecar-event.js'
import type { Disconnection } from './model/state/effect.js'
import type { RecordingLine } from './recording/recording-lines.js'
import type { ConformanceResult, SidecarSnapshot } from './wire/snapshot.js'
import type { WatchHandle, WatchSink } from './wire/watch-stream.js'

/** The clock and the timers of the host. */
export interface SidecarEnvironment {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Calls `fire` once after `ms` milliseconds (at most 2^31-1); the returned function cancels it. */
  setTimer(ms: number, fire: () => void): () => void
  /** How many times as fast as the machine's the clock runs; 0 while it stands still. Default 1. */
  speed?(): number
  /** The file into which the session is recorded at present, if it is. */
  recording?(): string | undefined
  /** Told of an error that a listener or the receiver of a watch threw. Default: it is thrown as uncaught. */
  report?(error: unknown): void
}

/** Properties of a request that a Node host knows and WHATWG's Request has lost. */
export interface RawRequest {
  /** The method as it came, case and all. */
  readonly method?: string
  /** Path and query as they came, before a URL parser resolved `..` and the like. */
  readonly target?: string
  /** Who calls, in a word, for the log. */
  readonly client?: string | undefined
  /** Aborts when the client has left; without it the request's own signal does. Only read by a call that waits. */
  readonly signal?: AbortSignal
}

export type ControlResult = { readonly ok: true } | { readonly ok: false; readonly message: string }

/** A running local sidecar. It owns nothing outside itself but timers of its environment. */
export interface Sidecar {
  /**
   * Answers one HTTP request. Rejects with a `ConnectionDropped` error if the real sidecar would answer nothing: the
   * host must then cut the connection. The answer to a watch is a stream that errors when it is cut.
   */
  handle(request: Request, raw?: RawRequest): Promise<Response>
  /** Opens a watch for a WebSocket. `client` is who it is, for the log. */
  watch(sink: WatchSink, client?: string): WatchHandle
  /** Changes the world outside the sidecar, or breaks the sidecar on purpose. */
  control(command: ControlCommand): ControlResult
  /** Shows watchers a GameServer as it is, for a replay. */
  show(gameServer: GameServer): void
  snapshot(): SidecarSnapshot
  readonly log: EventLog
  /** All settings, with those that nobody gave. */
  readonly config: SidecarConfig
  /** The kept entries after `since` as the lines of a recording, which are worked out as they are taken. */
  recording(since?: number): Iterable<RecordingLine>
  conformance(): ConformanceResult
  /** Called when the sidecar restarts or gives way to another: every open connection must be cut. */
  onDisconnect(listener: (reason: Disconnection) => void): () => void
  /** Ends every watcher and timer, for good. Idempotent. */
  close(): void
}
