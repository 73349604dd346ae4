import type { AllocatedEvent, CallOptions, SidecarError } from '../index.js'
import type { EndWhenEmptyOptions } from './end-when-empty.js'

export interface PlayersOptions {
  /** The list of the GameServer that holds the seats: of players who are here, and of those an allocation promised one. Default `players`, unless only `counter` is given */
  list?: string
  /** A counter that follows how many players are here. Nobody but the game may write it. */
  counter?: string
  /** The most seats; default, and at most: the capacity of the list, or of the counter */
  capacity?: number
  /** ms that a promised seat is kept for a player who doesn't come; default 60000, Infinity for ever */
  noShow?: number
  /**
   * Ends an Allocated server by `shutdown()` once all its players have left, or none has come. A GameServer that lacks the
   * list or counter is kept. Default false
   */
  endWhenEmpty?: boolean | EndWhenEmptyOptions
}

/** Why somebody's seat is free again. */
export interface PlayersEvents {
  /** An allocation has promised a seat. */
  expected: { id: string }
  joined: { id: string }
  left: { id: string }
  /** Promised, not come in time: the seat is free again. */
  noshow: { id: string }
  /** Every seat is taken or promised. */
  full: { capacity: number }
  /** Something went wrong that belongs to no call, such as a list that the GameServer lacks. */
  error: SidecarError
}

/** The seats of a GameServer: what the game says is the wish, the watched object the fact, until they agree. */
export interface Players {
  /**
   * Takes a seat: a promised one at once (`expected`), else a free one, when the watch shows it (`joined`).
   *
   * @throws SidecarError `OUT_OF_RANGE` where no seat is free, `ALREADY_EXISTS` for one who is here, `INVALID_ARGUMENT`,
   * `NOT_FOUND` without the list, `FEATURE_DISABLED`, `TIMEOUT`, `CLOSED` once the server ends
   */
  join(id: string, options?: CallOptions): Promise<'expected' | 'joined'>
  /** Frees the seat. Resolves at once: the platform is told until it knows. `absent`: nobody of that id was here. */
  leave(id: string): Promise<'left' | 'absent'>
  has(id: string): boolean
  /** Those who are here. */
  readonly ids: readonly string[]
  /** Those who were promised a seat, and are not here yet. */
  readonly expected: readonly string[]
  readonly full: boolean
  on<T extends keyof PlayersEvents>(type: T, listener: (event: PlayersEvents[T]) => void): () => void
  /** Ends the tracking, not the client. The list stays as it is. */
  close(): void
}

export interface SessionsOptions<Int = number> {
  /** The counter that an allocation increments for each session. Only differences are written to it. */
  counter?: string
  /**
   * The label that an allocation selects on, without the platform's SDK prefix: `true` while another session may come,
   * else `false`
   */
  label?: string
  /** Called for each session. What it throws or rejects with is told as `error`, and the session goes on until `end()`. */
  onSession(session: Session<Int>): void | Promise<void>
  /**
   * The most sessions at once; default, and at most: the counter's capacity, 1 without a counter. The counter's capacity
   * is lowered to it, since nothing else keeps the platform from allocating more.
   */
  maxSessions?: number
  /**
   * Once so many sessions have been started no more may come, and `shutdown()` follows the last of them; `last`: it follows
   * as soon as none runs any more. Default: never
   */
  thenShutdown?: number | 'last'
  /** ms after which a session that isn't touched is ended; default: never */
  idle?: number
}

export interface Session<Int = number> {
  /** Unique within the GameServer. */
  readonly id: string
  /** The allocation that started it. */
  readonly allocation: AllocatedEvent<Int>
  /** Frees its place. A second call changes nothing. Resolves at once: the platform is told until it knows. */
  end(): Promise<'ended' | 'absent'>
  /** A sign of life: its time of `idle` begins anew. */
  touch(): void
}

export interface SessionsEvents<Int = number> {
  started: Session<Int>
  ended: Session<Int>
  /** As many sessions as may run at once. */
  full: { sessions: number }
  error: SidecarError
}

export interface Sessions<Int = number> {
  /** Those that run. */
  readonly active: readonly Session<Int>[]
  /** How many have been started. */
  readonly started: number
  readonly full: boolean
  on<T extends keyof SessionsEvents<Int>>(type: T, listener: (event: SessionsEvents<Int>[T]) => void): () => void
  /** Ends the tracking, not the client. */
  close(): void
}
