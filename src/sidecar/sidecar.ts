import type { GameServer } from '../protocol/game-server.js'
import type { OperationName } from '../protocol/operations.js'
import type { Call, ControlCommand, SidecarEvent } from './model/state/sidecar-event.js'
import type { GameServerManifest } from './model/state/manifest.js'

/**
 * What the sidecar imitates: `local` is the real sidecar started by hand for development, `production` the
 * same program inside a pod.
 */
export type SidecarMode = 'local' | 'production'

/** Everything a local sidecar can be told; `resolveConfig()` fills in what is missing. */
export interface SidecarConfig {
  /** Default `production`. */
  readonly mode: SidecarMode
  /** First part of the prefix of labels and annotations, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform: string
  /**
   * Whether the bugs of the real sidecar in production are reproduced instead of only reported. Default
   * false.
   */
  readonly quirks: boolean
  /** Default `{ CountsAndLists: true, PlayerTracking: false }`. */
  readonly featureGates: Readonly<Record<string, boolean>>
  /** The GameServer to start with; undefined for the built-in one. */
  readonly gameServer: GameServerManifest | undefined
  /** Names of operations that a conformance run expects; undefined when none is recorded. */
  readonly conformance: readonly string[] | undefined
  /** Milliseconds between an accepted write and its being applied in production. Default 500. */
  readonly writeDelay: number
  /** Milliseconds the platform's controller takes from RequestReady to Ready. Default 20. */
  readonly controllerDelay: number
  /** Largest request body in bytes. Default 4 MiB, as in the real sidecar. */
  readonly bodyLimit: number
  /** Entries the event log keeps. Default 5,000. */
  readonly logEntries: number
  /** Characters of request data the event log keeps in all. Default 16 Mi. */
  readonly logSize: number
  /** Objects that wait for a watcher which doesn't read; the oldest make room for the newest. Default 64. */
  readonly watchQueue: number
}

/** The host's own clock and timers: real ones, a test's or a page's. */
export interface SidecarEnvironment {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Calls `fire` once after `ms` milliseconds (at most 2^31-1); the returned function cancels it. */
  setTimer(ms: number, fire: () => void): () => void
}

/** Something a client did that goes wrong in production. */
export interface Warning {
  readonly code: WarningCode
  /** One or two sentences: what would happen in production, and what to do. */
  readonly message: string
  /** How many times this code has been reported since the start, this time included. */
  readonly times: number
}

export type WarningCode =
  | 'update-list-unknown'
  | 'update-list-answer'
  | 'update-list-drops-pending'
  | 'update-list-limit'
  | 'poison-label'
  | 'poison-annotation'
  | 'annotations-too-large'
  | 'reserve-overflow'
  | 'call-after-end'
  | 'beat-without-body'
  | 'health-failure'

/** What one event changed in the GameServer, for people to read and for a dashboard to draw. */
export type Change =
  | { readonly type: 'state'; readonly value: string; readonly previous: string }
  | {
      readonly type: 'label' | 'annotation'
      readonly key: string
      readonly value: string | undefined
      readonly previous: string | undefined
    }
  | {
      readonly type: 'counter'
      readonly name: string
      readonly count: string
      readonly capacity: string
    }
  | {
      readonly type: 'list'
      readonly name: string
      readonly capacity: string
      readonly added: readonly string[]
      readonly removed: readonly string[]
    }
  | { readonly type: 'deletion'; readonly timestamp: string }
  | { readonly type: 'gone' }
  | { readonly type: 'replaced' }

/** One line of the event log. `event` alone is enough to replay; the rest tells what came of it. */
export interface LogEntry {
  /** 1 for the first entry since the start. */
  readonly seq: number
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly event: SidecarEvent
  /** The answer, where the event was a call. */
  readonly reply?: { readonly status: number; readonly message?: string }
  readonly changes: readonly Change[]
  readonly warnings: readonly Warning[]
}

export interface EventLog {
  /** The entries still kept, oldest first; with `since`, those with a greater `seq`. */
  entries(since?: number): readonly LogEntry[]
  /** Calls `listener` for each entry from now on. A listener that throws stops nobody else. */
  subscribe(listener: (entry: LogEntry) => void): () => void
  /** The state from which the kept entries replay, and the `seq` of the last event it already contains. */
  checkpoint(): { readonly state: unknown; readonly seq: number }
}

/** One message of a watch. */
export interface WatchMessage {
  readonly gameServer: GameServer
  /** `{"result":{...}}`, without a line end: a line of the HTTP stream, a text frame of a WebSocket. */
  readonly json: string
}

/** Why a watch ended: by a control command, because the sidecar ended, or because the reader left. */
export type WatchEnd = 'dropped' | 'restart' | 'crash' | 'failed' | 'closed'

export interface WatchSink {
  /**
   * Called for each object, the current one first. While a returned promise is pending nothing more is handed
   * over; what comes meanwhile waits in a bounded queue.
   */
  onMessage(message: WatchMessage): void | Promise<void>
  /** Called once when the sidecar ends the watch; not after `close()`. The connection should be reset. */
  onEnd?(reason: WatchEnd): void
  /** Called instead of any message where the watch can't be opened: the body to send as the only frame. */
  onError?(answer: { readonly status: number; readonly body: string }): void
}

export interface WatchHandle {
  close(): void
}

export interface WatcherInfo {
  readonly id: number
  readonly transport: 'stream' | 'websocket'
  readonly openedAt: number
  readonly sent: number
  readonly queued: number
  /** Objects that were dropped because the reader was too slow. */
  readonly dropped: number
}

export interface HealthInfo {
  readonly disabled: boolean
  readonly periodSeconds: number
  readonly failureThreshold: number
  readonly initialDelaySeconds: number
  readonly lastBeat: number | undefined
  readonly beats: number
  readonly failures: number
  /** When the next period is checked; undefined where nothing is counted. */
  readonly nextCheck: number | undefined
  readonly ignoreBeats: boolean
}

export interface FaultInfo {
  readonly delays: readonly {
    readonly ms: number
    readonly operations: readonly OperationName[] | undefined
  }[]
  readonly failures: readonly {
    readonly status: number
    readonly remaining: number | undefined
    readonly operations: readonly OperationName[] | undefined
  }[]
  /** True until released, or the time when the stall ends by itself. */
  readonly watchersStalled: boolean | number
  readonly ignoreBeats: boolean
  readonly padding: number
}

/** All there is to see from outside at one moment. */
export interface SidecarSnapshot {
  readonly mode: SidecarMode
  readonly platform: string
  readonly quirks: boolean
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly now: number
  readonly startedAt: number
  readonly restarts: number
  /** As `GET /gameserver` gives it, whatever faults are set. */
  readonly gameServer: GameServer
  /** The object is gone from the cluster: reads fail, writes are still accepted. */
  readonly gone: boolean
  /** Writes that were answered but are not applied yet, by kind, with the time they are due. */
  readonly pending: readonly { readonly write: string; readonly due: number }[]
  /** When the present reservation ends. */
  readonly reservedUntil: number | undefined
  readonly health: HealthInfo
  readonly watchers: readonly WatcherInfo[]
  readonly faults: FaultInfo
  readonly lastSeq: number
}

/** The verdict of a conformance run so far. */
export interface ConformanceResult {
  readonly ok: boolean
  readonly expected: readonly string[]
  readonly received: readonly string[]
  /** Expected, never used. */
  readonly missing: readonly string[]
  /** Used, never expected. */
  readonly unexpected: readonly string[]
  /** Values that setlabel or setannotation should have had. */
  readonly problems: readonly string[]
}

export type ControlResult = { readonly ok: true } | { readonly ok: false; readonly message: string }

/** What a Node host knows of a request and WHATWG's Request has lost. */
export interface RawRequest {
  /** The method as it came, case and all. */
  readonly method?: string
  /** Path and query as they came, before a URL parser resolved `..` and the like. */
  readonly target?: string
}

/** A running local sidecar. It owns nothing outside itself but the timers of its environment. */
export interface Sidecar {
  /**
   * Answers one HTTP request. Rejects with a `ConnectionDropped` error where the real sidecar would answer
   * nothing: the host must then cut the connection. A watch answers with a stream that errors when cut.
   */
  handle(request: Request, raw?: RawRequest): Promise<Response>
  /** Opens a watch for a WebSocket. */
  watch(sink: WatchSink): WatchHandle
  /** Changes the world outside the sidecar, or breaks the sidecar on purpose. */
  control(command: ControlCommand): ControlResult
  snapshot(): SidecarSnapshot
  readonly log: EventLog
  conformance(): ConformanceResult
  /** Called when the sidecar crashes or restarts: every open connection must be cut. */
  onDisconnect(listener: (reason: 'crash' | 'restart') => void): () => void
  /** Ends every watcher and timer, for good. Idempotent. */
  close(): void
}

export type { Call, ControlCommand, SidecarEvent, GameServerManifest }
