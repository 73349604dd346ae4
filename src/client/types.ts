import type { GameServer, GameServerState } from '../protocol/game-server.js'
import type { SidecarError } from './errors.js'
import type { AbortSignalLike } from './globals.js'
import type { ClientOptions } from './options.js'

export interface WatchOptions {
  signal?: AbortSignalLike
}

export interface CallOptions extends WatchOptions {
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
  /** Set only in direct mode, by `addListValue` and `removeListValue`: the list is then the one that the watch last showed. */
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
  /** Why the connection is what it is, where that needs a reason. */
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
  /** ms without a beat until Unhealthy. undefined: the sidecar has not said so yet, or counts no beats. */
  limit: number | undefined
  /** One more missed beat may reach the limit. */
  atRisk: boolean
}

export interface MetadataEvent {
  /** The key without the platform's SDK prefix, if it had one. */
  key: string
  /** undefined: removed */
  value: string | undefined
  previous: string | undefined
}

/** An allocation, and what came with it. Keys are without the platform's SDK prefix, as in `label` and `annotation`. */
export interface AllocatedEvent<Int = number> {
  gameServer: GameServer
  /** Labels that were added or changed. */
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
  /** The last GameServer seen. */
  gameServer: GameServer | undefined
}

/** The events of a client, and what a listener gets. */
export interface SidecarEvents<Int = number> {
  /** The {@link GameServer} as the sidecar sends it, each time it changes; a late listener gets the present one. */
  gameserver: GameServer
  /** The state has changed, as from `Ready` to `Allocated`; `previous` is undefined for the first state seen. */
  state: { state: GameServerState; previous: GameServerState | undefined; gameServer: GameServer }
  /** A match begins: each allocation, also of a server that is Allocated already, with what came with it. */
  allocated: AllocatedEvent<Int>
  /** The game server ends: why, and by when. Emitted once, and also told to a listener that is added later. */
  ending: EndingEvent
  /** A label was set, changed or removed; the key is without the prefix that {@link SidecarClient.setLabel} adds. */
  label: MetadataEvent
  /** An annotation was set, changed or removed; its key as in `label`. */
  annotation: MetadataEvent
  /** A counter has changed; `previous` is undefined for the first value seen. */
  counter: Counter<Int> & { previous: Counter<Int> | undefined }
  /** A list has changed; `added` and `removed` are the values that came and went. */
  list: List<Int> & { added: string[]; removed: string[] }
  /** A beat was taken, failed or was held back. `atRisk`: the platform may soon count this server as Unhealthy. */
  health: HealthEvent
  /** The connection to the sidecar was made, lost or given up; {@link SidecarClient.status} holds the same. */
  connection: ConnectionEvent
  /**
   * The process was told to stop, or the gateway that the watch comes through.
   * In Node, {@link ClientOptions.processSignals} turns it on.
   */
  signal: { signal: string }
  /** An error that no call rejects with, as of the watch. Without a listener, it goes to the logger or the console. */
  error: SidecarError
}

export interface ClientStatus extends Omit<ConnectionEvent, 'state'> {
  connection: ConnectionState
  /** A page of another origin: reads come from the watch, and no answer to a write can be seen. */
  direct: boolean
  /** Whether counters and lists are called by stable paths, since the sidecar lacks those of the beta. */
  stablePaths: boolean
  /** The last good beat, ms since the Unix epoch. */
  lastBeat: number | undefined
  /** Whether the last beat went well; undefined until the sidecar has answered for the first time. */
  healthy: boolean | undefined
  /** Whose clock `autoHealth` beats by: a worker's, or that of this page or process. */
  heartbeat: 'worker' | 'page' | undefined
}

export interface SidecarClient<Int = number> {
  /** Tells the platform that players may come; {@link ReadyOptions.force} is for a server that is Ready already. */
  ready(options?: ReadyOptions): Promise<Outcome>
  /** Sends one health beat; {@link ClientOptions.autoHealth} sends them by itself. */
  health(options?: CallOptions): Promise<Outcome>
  /** Allocates this server to itself, as when the first player came without a matchmaker. */
  allocate(options?: WriteOptions): Promise<Outcome>
  /** Ends this GameServer: the platform deletes it and sends SIGTERM. {@link close} ends only the client. */
  shutdown(options?: WriteOptions): Promise<Outcome>
  /** Reserves this server for 1 to 9223372036 seconds, then it is Ready again. 0: until the next state call. */
  reserve(seconds: Integer, options?: WriteOptions): Promise<Outcome>
  /** Reads the {@link GameServer} from the sidecar; {@link gameServer} is the last one seen. */
  getGameServer(options?: CallOptions): Promise<GameServer>
  /**
   * Iterates over each {@link GameServer} as it changes, the present one first; all iterators share one connection.
   * `for await (const { status } of client.watchGameServer())`
   */
  watchGameServer(options?: WatchOptions): AsyncIterable<GameServer>
  /** Sets the label `<platform>.dev/sdk-<key>`: letters, digits, `-`, `_`, `.`; a key up to 59, a value up to 63. */
  setLabel(key: string, value: string, options?: WriteOptions): Promise<Outcome>
  /** Sets the annotation `<platform>.dev/sdk-<key>`: any text, and a key as in {@link setLabel}. */
  setAnnotation(key: string, value: string, options?: WriteOptions): Promise<Outcome>
  /** Reads a {@link Counter} that the GameServer's spec declares. Rejects with NOT_FOUND for another. */
  getCounter(key: string, options?: CallOptions): Promise<Counter<Int>>
  /** Changes a counter. Rejects with OUT_OF_RANGE below 0 or above the capacity. */
  updateCounter(key: string, update: CounterUpdate, options?: CallOptions): Promise<Counter<Int>>
  /** Reads a {@link List} that the GameServer's spec declares. Rejects with NOT_FOUND for another. */
  getList(key: string, options?: CallOptions): Promise<List<Int>>
  /** Replaces the values of a list, sets its capacity, or both; {@link addListValue} changes one value. */
  updateList(key: string, update: ListUpdate, options?: CallOptions): Promise<List<Int>>
  /** Adds a value to a list. Rejects with ALREADY_EXISTS if it is there, and OUT_OF_RANGE if the list is full. */
  addListValue(key: string, value: string, options?: CallOptions): Promise<List<Int>>
  /** Removes a value from a list. Rejects with NOT_FOUND if the list doesn't hold it. */
  removeListValue(key: string, value: string, options?: CallOptions): Promise<List<Int>>

  /**
   * Listens to one of the {@link SidecarEvents}; `context` becomes the listener's `this`.
   * Returns the function that unsubscribes.
   */
  on<T extends keyof SidecarEvents<Int>>(
    type: T,
    listener: (event: SidecarEvents<Int>[T]) => void,
    context?: unknown,
  ): () => void
  /** Unsubscribes a listener that {@link on} has added; with a `context`, only one that was added with it. */
  off<T extends keyof SidecarEvents<Int>>(
    type: T,
    listener: (event: SidecarEvents<Int>[T]) => void,
    context?: unknown,
  ): void
  /** Resolves with the next of the {@link SidecarEvents} of that name; as with {@link on}, a present state counts. */
  once<T extends keyof SidecarEvents<Int>>(type: T, options?: CallOptions): Promise<SidecarEvents<Int>[T]>
  /**
   * Resolves with the first {@link GameServer}, the present one included, that is in that state or passes that test.
   * Waits without limit, unless `timeout` gives one.
   */
  waitFor(
    stateOrPredicate: GameServerState | ((gameServer: GameServer) => boolean),
    options?: CallOptions,
  ): Promise<GameServer>
  /** Resolves when the sidecar first answers. No call needs it: each waits for the sidecar by itself. */
  connect(options?: CallOptions): Promise<GameServer>
  /**
   * Gives a sign of life; the game loop calls it once a frame. From the first call on, only these signs count:
   * without one for {@link AutoHealthOptions.stallTimeout}, no more beats go out until the next.
   */
  alive(): void
  /** Runs a function after so many ms of the client's clock. Returns the function that cancels it. */
  after(ms: number, run: () => void): () => void
  /** Runs what is due, in hosts without timers or with throttled ones. `now` is by {@link ClientOptions.now}. */
  tick(now?: number): void
  /** Ends every wait, request, beat and stream at once. Nothing is sent: {@link shutdown} ends the game server. */
  close(): void
  /** {@link close}, at the end of a block with `using`. */
  [Symbol.dispose](): void
  /** The last {@link GameServer} seen, from a read or the watch; {@link connect} waits for the first. */
  readonly gameServer: GameServer | undefined
  /** What is known of the connection and the beats, at any time; `connection` and `health` tell changes. */
  readonly status: ClientStatus
}

/**
 * A client of the sidecar beside this game server. It dials nothing by itself until it is called, listened to or told
 * to keep the beat; it lives until `close()`.
 *
 * @throws SidecarError `CONFIG` where nothing says where the sidecar is, or an option can't be right
 */
export interface CreateClient {
  (options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
  (options?: ClientOptions): SidecarClient
}
