import type { AllocatedEvent, CallOptions, SidecarError } from '../../index.js'
import type { EndWhenEmptyOptions } from './end-when-empty.js'

export interface PlayersOptions {
  /**
   * The list of the GameServer that holds the seats, both of players who are here and of players to whom an allocation
   * promised a seat. Default `players`, unless only `counter` is given
   */
  list?: string
  /** A counter that follows how many players are here. Only the game may write it. */
  counter?: string
  /** The most seats; default, and at most: the capacity of the list, or of the counter */
  capacity?: number
  /** ms that a promised seat is kept for a player who doesn't come; default 60000, `Infinity` keeps it */
  noShow?: number
  /**
   * Calls `shutdown()` on an Allocated server once all its players have left, or none has come. A GameServer that lacks
   * the list or counter is kept. Default false
   */
  endWhenEmpty?: boolean | EndWhenEmptyOptions
}

/** Why a seat is free again. */
export interface PlayersEvents {
  /** An allocation has promised a seat. */
  expected: { id: string }
  joined: { id: string }
  left: { id: string }
  /** A promised player didn't come in time, so the seat is free again. */
  noshow: { id: string }
  /** Every seat is taken or promised. */
  full: { capacity: number }
  /** An error that belongs to no call, such as a list that the GameServer lacks. */
  error: SidecarError
}

/** The seats of a GameServer. You say who plays; the tracker updates the platform until it agrees. */
export interface Players {
  /**
   * Takes a seat. Resolves at once with `expected` for a promised seat, else with `joined` when the watch shows the
   * seat.
   *
   * @throws SidecarError `OUT_OF_RANGE` if no seat is free, `ALREADY_EXISTS` for a player who is here,
   * `INVALID_ARGUMENT`, `NOT_FOUND` without the list, `FEATURE_DISABLED`, `TIMEOUT`, `CLOSED` once the server ends
   */
  join(id: string, options?: CallOptions): Promise<'expected' | 'joined'>
  /**
   * Frees the seat and resolves at once; the tracker repeats the write until it lands. `absent`: the id had no seat.
   */
  leave(id: string): Promise<'left' | 'absent'>
  has(id: string): boolean
  /** The players who are here. */
  readonly ids: readonly string[]
  /** The players who were promised a seat and are not here yet. */
  readonly expected: readonly string[]
  readonly full: boolean
  on<T extends keyof PlayersEvents>(type: T, listener: (event: PlayersEvents[T]) => void): () => void
  /** Stops tracking. The client stays open, and the list isn't changed. */
  close(): void
}

export interface SessionsOptions<Int = number> {
  /** The counter that an allocation increments for each session. The tracker writes only differences to it. */
  counter?: string
  /**
   * The label that an allocation selects on, without the platform's SDK prefix: `true` while another session may come,
   * else `false`
   */
  label?: string
  /** Called for each session. If it throws or rejects, the event `error` reports it; the session runs until `end()`. */
  onSession(session: Session<Int>): unknown
  /**
   * The most sessions at once; default, and at most: the counter's capacity, 1 without a counter. The counter's capacity
   * is lowered to `maxSessions`, since nothing else keeps the platform from allocating more.
   */
  maxSessions?: number
  /**
   * After this many sessions no other may start, and `shutdown()` is called once all have ended. `last`: `shutdown()`
   * is called as soon as no session runs any more. Default: never
   */
  thenShutdown?: number | 'last'
  /** ms without a `touch()` after which a session is ended; default: never */
  idle?: number
}

export interface Session<Int = number> {
  /** Unique within the GameServer. */
  readonly id: string
  /** The allocation that started the session. */
  readonly allocation: AllocatedEvent<Int>
  /** Frees the session's place. Idempotent. Resolves at once; the tracker repeats the write until it lands. */
  end(): Promise<'ended' | 'absent'>
  /** A sign of life: restarts the session's `idle` time. */
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
  /** The running sessions. */
  readonly active: readonly Session<Int>[]
  /** The number of sessions started so far. */
  readonly started: number
  readonly full: boolean
  on<T extends keyof SessionsEvents<Int>>(type: T, listener: (event: SessionsEvents<Int>[T]) => void): () => void
  /** Stops tracking. The client stays open. */
  close(): void
}
