import { internals, SidecarError, type CallOptions, type SidecarClient } from '../../index.js'
import { endWhenEmpty, type EndWhenEmptyOptions } from './end-when-empty.js'
import {
  createPlayersState,
  idsIn,
  isFull,
  join,
  noShow as missed,
  players,
  quit,
  takenIn,
  type JoinOutcome,
  type SeatWrite,
} from './players-reducer.js'
import { checkOptions, run } from './runner.js'

/** ms that a join waits, and the default time that a promised seat is kept */
const MINUTE = 60000

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
   * `INVALID_ARGUMENT`, `NOT_FOUND` without the list, `TIMEOUT`, `CLOSED` once the server ends
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

/**
 * Keeps the seats of a GameServer. The game says who plays. The tracker adds and removes values until the watched
 * GameServer agrees, and repeats lost writes.
 *
 * @throws SidecarError `CONFIG` for an unknown or invalid option
 */
export function trackPlayers<Int = number>(client: SidecarClient<Int>, options: PlayersOptions = {}): Players {
  checkOptions(client, options, ['list', 'counter', 'capacity', 'noShow', 'endWhenEmpty'], ['capacity', 'noShow'])
  const { counter, capacity: limit = Infinity, noShow = MINUTE } = options
  const { list = counter === undefined ? 'players' : undefined } = options
  /** Settles each join that has no outcome yet. */
  const joins = new Map<string, (outcome: JoinOutcome) => void>()
  const noShows = new Map<string, () => void>()

  const { on, emit } = internals.createEmitter<PlayersEvents>(['expected', 'joined', 'left', 'noshow', 'full', 'error'])
  const state = createPlayersState({ list, counter, limit })

  const [change, after, report, close] = run(state, players, client, {
    async call(id, what: SeatWrite, limits) {
      if ('count' in what) return client.updateCounter(counter!, what, limits)
      if ('since' in what) return client.removeListValue(list!, id, limits)
      // A promised player may join before the watch shows the promise. Ask first: a browser logs each refused add.
      if (state.facts.state !== 'Allocated') {
        const { values } = await client.getList(list!, limits).catch(() => ({ values: [] as string[] }))
        if (values.includes(id)) throw new SidecarError('ALREADY_EXISTS', id)
      }
      return client.addListValue(list!, id, limits)
    },
    perform([type, event, outcome]) {
      const { id } = event as { id: string }
      if (outcome) joins.get(id)!(outcome)
      if (type === 'settle') return
      const cancel = noShows.get(id)
      if (cancel) cancel()
      noShows.delete(id)
      const miss = (): void => change(() => missed(state, id))
      if (type === 'expected') noShows.set(id, after(noShow, miss))
      emit(type, event)
    },
  })

  if (options.endWhenEmpty)
    on(
      'joined',
      endWhenEmpty(client as SidecarClient<number | bigint>, options.endWhenEmpty, noShow, {
        isEmpty: () => !state.facts.missing && !takenIn(state),
        isOver: () => state.isOver,
        report,
      }),
    )

  const has = (id: string): boolean => state.seats.get(id) === 'here'

  return {
    join: (id, given = {}) =>
      new Promise((resolve, reject) => {
        checkId(id, 'join')
        internals.checkNames(given, ['timeout', 'signal'], 'option', 'join')
        const { timeout = MINUTE, signal } = given
        let { failure } = state
        if (!failure && (joins.has(id) || has(id)))
          failure = new SidecarError('ALREADY_EXISTS', `"${id}" is here already`)
        if (failure) throw internals.named(failure, 'join')
        const wait = internals.follow(signal)
        const settle = (outcome: JoinOutcome): void => {
          joins.delete(id)
          wait.abort(undefined)
          if (typeof outcome === 'string') resolve(outcome)
          else reject(internals.named(outcome, 'join'))
        }
        joins.set(id, settle)
        change(() => join(state, id))
        // A join ends with the server at the latest, and then the tracker has settled it.
        client.once('ending', { timeout, signal: wait }).catch((error: unknown) => {
          if (joins.get(id) === settle) change(() => quit(state, id, error as SidecarError))
        })
      }),
    async leave(id) {
      checkId(id, 'leave')
      if (!joins.has(id) && !has(id)) return 'absent'
      change(() => quit(state, id, new SidecarError('ABORTED', `"${id}" has left`)))
      return 'left'
    },
    has,
    get ids() {
      return idsIn(state, 'here')
    },
    get expected() {
      return idsIn(state, 'expected')
    },
    get full() {
      return isFull(state)
    },
    on,
    close,
  }
}

/** Keeps ids short: a watch message holds the whole list, and one above 64 KiB kills the real sidecar's WebSocket. */
function checkId(id: unknown, operation: string): void {
  internals.check(
    typeof id === 'string' && id && id.length <= 256,
    'id',
    id,
    'a text of 1 to 256 characters',
    operation,
  )
}
