import type { GameServer, GameServerState } from '../protocol/game-server.js'
import type { SidecarError } from './errors.js'

/** Cancels a call: an AbortSignal, or anything of its shape. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface FetchInit {
  method: string
  headers: Record<string, string>
  body: string | undefined
  redirect: 'manual' | 'follow'
  cache: 'no-store'
  mode?: 'no-cors'
  signal?: AbortSignalLike
}

export interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Present where the host can stream; otherwise the whole text is taken. */
  readonly body?: unknown
  text(): Promise<string>
  /** Used, if it is there, for a body of known length. */
  arrayBuffer?(): Promise<ArrayBuffer>
}

/** The part of `fetch` that is used. Declared as a method so that the host's own, stricter type fits. */
export type FetchLike = { call(url: string, init: FetchInit): Promise<FetchResponse> }['call']

/** The part of a WebSocket that is used: the four `on*` properties and `close`. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  close(): void
}

export type WebSocketConstructor = new (url: string) => WebSocketLike

/** The part of an XMLHttpRequest that is used where there is no fetch. */
export interface XMLHttpRequestLike {
  readonly readyState: number
  readonly status: number
  readonly responseText: string
  onreadystatechange: ((event: never) => void) | null
  open(method: string, url: string, async: boolean): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  send(body?: string | null): void
  abort(): void
}

export interface SchedulerLike {
  setTimeout(callback: () => void, ms: number): unknown
  /** Called instead for the time limits of calls and waits, Infinity included: a virtual clock sees that somebody waits. */
  setLimit?(callback: () => void, ms: number): unknown
  clearTimeout(id: never): void
}

export interface LoggerLike {
  warn?(message: string): void
  error?(message: unknown): void
}

/** How long to wait between attempts: `random() * min(maxDelay, initialDelay * factor ** attempt)`, 150 ms at least. */
export interface RetryPolicy {
  /** ms; default 250 */
  initialDelay?: number
  /** default 1.6 */
  factor?: number
  /** ms; default 5000 */
  maxDelay?: number
  /** ms over all attempts of one call, waiting for the sidecar included; default 60000 */
  timeout?: number
}

/** Maximum sizes accepted from the sidecar. */
export interface Limits {
  /** Characters of one watch message or line, and over `ws` twice as many bytes; default 16 Mi */
  message?: number
  /** Characters of one answer's body; default 16 Mi */
  body?: number
}

export interface AutoHealthOptions {
  /** ms between beats; default half of the GameServer's `spec.health.period_seconds`, 2000 until that is known */
  interval?: number
  /** Asked at least once for each beat; false, an exception or no answer within `stallTimeout` holds the beats back. */
  check?(): boolean | Promise<boolean>
  /**
   * ms without a sign of life after which no more beats go out: of the page, or by `alive()` once that was called.
   * `check` may take as long, too. Default 3000
   */
  stallTimeout?: number
  /** Beat by a worker's clock, which neither throttled timers nor a busy page delay; default true in a page */
  worker?: boolean
}

export interface ClientOptions {
  /** Where the sidecar is, such as `http://127.0.0.1:9358`; default: see `docs/configuration.md` */
  baseUrl?: string
  /** default `agones`; names the environment variables and the metadata prefix */
  platform?: string
  autoHealth?: boolean | AutoHealthOptions
  /** default `auto`: WebSocket, and the HTTP stream where that fails */
  watch?: 'auto' | 'websocket' | 'stream'
  /**
   * For a page whose origin isn't the sidecar's. `auto`, the default: direct mode where answers can't be read but a
   * WebSocket opens; `direct`: direct mode from the start; `never`: CROSS_ORIGIN. See `docs/browser.md`
   */
  crossOrigin?: 'auto' | 'direct' | 'never'
  /** How counts and capacities are given back; default `number` */
  int64?: 'number' | 'bigint'
  /** ms for one attempt; default 10000 */
  timeout?: number
  /** false: one attempt a call. The watch reconnects all the same. */
  retry?: RetryPolicy | false
  /** Closes the client when aborted. */
  signal?: AbortSignalLike
  /** ms between checks, by a GET, that the watch tells the truth; default 10000, 0 for none */
  verifyInterval?: number
  limits?: Limits
  fetch?: FetchLike
  WebSocket?: WebSocketConstructor
  XMLHttpRequest?: new () => XMLHttpRequestLike
  TextDecoder?: new (
    label: string,
    options?: { ignoreBOM: boolean; fatal: boolean },
  ) => { decode(bytes: Uint8Array, options?: { stream: boolean }): string }
  /** Timers; `false`: there are none, and a frame loop calls `client.tick()`. Default: the host's, if it has them */
  scheduler?: SchedulerLike | false
  /** ms, never going back; default `performance.now()`, or `Date.now()` */
  now?(): number
  /** From 0 up to 1; default `Math.random` */
  random?(): number
  logger?: LoggerLike
  /** Send `shutdown` when the page is closed or left, unless it may come back; default false */
  shutdownOnPageHide?: boolean
  /** End in order when the process is told to stop. Only in the build for Node: others ignore it. Default false */
  processSignals?: boolean | ProcessSignalOptions
}

/** SIGTERM or SIGINT leads to a `signal` event, `onSignal`, `shutdown()` and exit. A second signal exits at once. */
export interface ProcessSignalOptions {
  /** Awaited before `shutdown()`: save the match, tell the players. */
  onSignal?(signal: string): void | Promise<void>
  /** ms after which the process exits (with code 1) whatever is still going on; default 10000 */
  timeout?: number
}

export interface CallOptions {
  signal?: AbortSignalLike
  /** ms over all attempts; default `retry.timeout` */
  timeout?: number
}

/**
 * The fate of a write, as far as it is known: the sidecar has `accepted` it; the watch has `confirmed` it; or, in
 * direct mode, it was `sent`, and nothing came back that would tell more.
 */
export type Outcome = 'accepted' | 'confirmed' | 'sent'

export interface WriteOptions extends CallOptions {
  /** Resolve only when the watch shows the change, not when the sidecar has accepted it. Default false */
  confirm?: boolean
}

export interface ReadyOptions extends WriteOptions {
  /**
   * Send it although the watch shows `Ready`. Default false: it resolves `confirmed` and sends nothing, since a call
   * that waits in the sidecar's queue undoes an allocation that is made meanwhile.
   */
  force?: boolean
}

export interface WatchOptions {
  signal?: AbortSignalLike
  /** Objects kept for a slow reader; default 64 */
  queue?: number
  /** For a reader slower than that, drop the oldest object or fail the iterator. Default `drop` */
  overflow?: 'drop' | 'fail'
}

export type Integer = number | bigint | string

export interface Counter<Int = number> {
  name: string
  count: Int
  capacity: Int
}

export interface List<Int = number> {
  name: string
  capacity: Int
  values: string[]
  /** Only in direct mode, of `addListValue` and `removeListValue`, which give the list as it was last seen. */
  outcome?: Outcome
}

export interface CounterUpdate {
  count?: Integer
  capacity?: Integer
  /** Added after `count` is set. */
  countDiff?: Integer
}

export interface ListUpdate {
  capacity?: Integer
  values?: readonly string[]
}

export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'failed' | 'closed'
export type Transport = 'websocket' | 'stream'

export interface ConnectionEvent {
  state: ConnectionState
  /** How the watch comes; undefined while none is open. */
  transport: Transport | undefined
  reason: string | undefined
}

export interface HealthEvent {
  /** undefined: the sidecar has never answered, so nobody could take the beat. */
  ok: boolean | undefined
  /** ms since the Unix epoch */
  at: number
  /** Why no beat went out or why it failed. */
  reason: string | undefined
  /** ms from the last good beat, or from when the client was made, until `at` */
  age: number
  /** ms without a beat after which the sidecar counts this GameServer as Unhealthy, once it has said so */
  limit: number | undefined
  /** One more missed beat may reach the limit. */
  atRisk: boolean
}

export interface MetadataEvent {
  /** Without the platform's SDK prefix, if it had it. */
  key: string
  /** undefined: removed */
  value: string | undefined
  previous: string | undefined
}

/** An allocation, and what came with it. Keys are without the platform's SDK prefix, as in `label` and `annotation`. */
export interface AllocatedEvent<Int = number> {
  gameServer: GameServer
  /** Those that came or changed. */
  labels: Record<string, string>
  annotations: Record<string, string>
  /** By how much each count changed. */
  counters: Record<string, Int>
  /** The values that came into each list. */
  lists: Record<string, string[]>
}

/** Why this GameServer ends. `deleted`: from outside, as when its Fleet is deleted; `signal`: the process was told. */
export type EndReason = 'shutdown' | 'unhealthy' | 'deleted' | 'signal'

export interface EndingEvent {
  reason: EndReason
  /** When the process is ended at the latest, in ms since the Unix epoch, as far as that is known here. */
  deadline: number
  /** The last one seen. */
  gameServer: GameServer | undefined
}

export interface SidecarEvents<Int = number> {
  gameserver: GameServer
  state: { state: GameServerState; previous: GameServerState | undefined; gameServer: GameServer }
  /** Each allocation, also of a server that is Allocated already. */
  allocated: AllocatedEvent<Int>
  /** Once; also told to a listener that comes later. */
  ending: EndingEvent
  label: MetadataEvent
  annotation: MetadataEvent
  counter: Counter<Int> & { previous: Counter<Int> | undefined }
  list: List<Int> & { added: string[]; removed: string[] }
  health: HealthEvent
  connection: ConnectionEvent
  /** The process was told to stop (with `processSignals`), or the gateway that the watch comes through. */
  signal: { signal: string }
  error: SidecarError
}

export interface ClientStatus {
  connection: ConnectionState
  /** How the watch comes; undefined while none is open. */
  transport: Transport | undefined
  /** Why the connection is what it is, where that needs a reason. */
  reason: string | undefined
  /** A page of another origin: reads come from the watch, and no answer to a write can be seen. */
  direct: boolean
  /** The last good beat, ms since the Unix epoch. */
  lastBeat: number | undefined
  /** Whether the last beat went well; undefined until the sidecar has answered for the first time. */
  healthy: boolean | undefined
  /** Whose clock `autoHealth` beats by: a worker's, or that of this page or process. */
  heartbeat: 'worker' | 'page' | undefined
}

export interface SidecarClient<Int = number> {
  /** Tells the platform that players may come. Sends nothing while the connected watch shows `Ready`. */
  ready(options?: ReadyOptions): Promise<Outcome>
  /** Sends one beat. With `autoHealth`, there is no need to. */
  health(options?: CallOptions): Promise<Outcome>
  allocate(options?: WriteOptions): Promise<Outcome>
  /** Ends this GameServer: the platform deletes it and starts another. */
  shutdown(options?: WriteOptions): Promise<Outcome>
  /** Reserves this GameServer for 0 to 9223372036 seconds, which nobody checks; 0: until the next state call. */
  reserve(seconds: Integer, options?: WriteOptions): Promise<Outcome>
  getGameServer(options?: CallOptions): Promise<GameServer>
  /** Each GameServer as it changes, the present one first; all iterators share one connection. */
  watchGameServer(options?: WatchOptions): AsyncIterable<GameServer>
  /** Sets `<platform>.dev/sdk-<key>`: letters, digits, `-`, `_`, `.`; key up to 59 characters, value up to 63. */
  setLabel(key: string, value: string, options?: WriteOptions): Promise<Outcome>
  /** Like a label, but with any value. */
  setAnnotation(key: string, value: string, options?: WriteOptions): Promise<Outcome>
  getCounter(key: string, options?: CallOptions): Promise<Counter<Int>>
  updateCounter(key: string, update: CounterUpdate, options?: CallOptions): Promise<Counter<Int>>
  getList(key: string, options?: CallOptions): Promise<List<Int>>
  updateList(key: string, update: ListUpdate, options?: CallOptions): Promise<List<Int>>
  addListValue(key: string, value: string, options?: CallOptions): Promise<List<Int>>
  removeListValue(key: string, value: string, options?: CallOptions): Promise<List<Int>>

  /** Returns the function that unsubscribes. `context` becomes the listener's `this`. */
  on<T extends keyof SidecarEvents<Int>>(
    type: T,
    listener: (event: SidecarEvents<Int>[T]) => void,
    context?: unknown,
  ): () => void
  off<T extends keyof SidecarEvents<Int>>(
    type: T,
    listener: (event: SidecarEvents<Int>[T]) => void,
    context?: unknown,
  ): void
  once<T extends keyof SidecarEvents<Int>>(type: T, options?: CallOptions): Promise<SidecarEvents<Int>[T]>
  /** Resolves with the first GameServer, the present one included, that is in that state or passes that test. */
  waitFor(
    stateOrPredicate: GameServerState | ((gameServer: GameServer) => boolean),
    options?: CallOptions,
  ): Promise<GameServer>
  /** Resolves when the sidecar first answers. */
  connect(options?: CallOptions): Promise<GameServer>
  /**
   * Gives a sign of life; the game loop calls it once a frame. From the first call on, only these signs count: without
   * one for `autoHealth.stallTimeout`, no more beats go out until the next.
   */
  alive(): void
  /**
   * Runs a function after so many ms of the client's clock, which `scheduler` and `tick()` drive. `close()` cancels it, as
   * does the function that it returns.
   */
  after(ms: number, run: () => void): () => void
  /** Runs what is due, in hosts without timers or with throttled ones; call it from the frame loop. */
  tick(now?: number): void
  /** Ends every wait, request, beat and stream at once. Nothing is sent to the sidecar. */
  close(): void
  [Symbol.dispose](): void
  /** The last GameServer seen. */
  readonly gameServer: GameServer | undefined
  readonly status: ClientStatus
}
