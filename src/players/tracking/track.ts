import { internals, SidecarError, type AllocatedEvent, type SidecarClient } from '../../index.js'
import { endWhenEmpty } from './end-when-empty.js'
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
import { run } from './runner.js'
import {
  createSessionsState,
  isFull as areFull,
  sessions as sessionsKind,
  allocated,
  ended,
  type SessionWrite,
} from './sessions-reducer.js'
import type {
  Players,
  PlayersEvents,
  PlayersOptions,
  Session,
  Sessions,
  SessionsEvents,
  SessionsOptions,
} from './types.js'

/** ms that a join waits, and the default time that a promised seat is kept */
const MINUTE = 60000

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
      noShows.get(id)?.()
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

/**
 * Follows the sessions of this GameServer: each allocation starts one, and the tracker tells the platform how many run.
 *
 * @throws SidecarError `CONFIG` for an unknown or invalid option
 */
export function trackSessions<Int = number>(client: SidecarClient<Int>, options: SessionsOptions<Int>): Sessions<Int> {
  const names = ['counter', 'label', 'onSession', 'maxSessions', 'thenShutdown', 'idle']
  checkOptions(client, options, names, ['maxSessions', 'idle'])
  const { counter, label, onSession, thenShutdown, idle = Infinity } = options
  const { maxSessions: limit = counter ? Infinity : 1 } = options
  const { check } = internals
  check(typeof onSession === 'function', 'onSession', onSession, 'a function')
  const isLast = thenShutdown === undefined || thenShutdown === 'last' || thenShutdown > 0
  check(isLast, 'thenShutdown', thenShutdown, 'above 0 or "last"')
  const sessions = new Map<number, Session<Int>>()
  let latest: AllocatedEvent<Int>

  const { on, emit } = internals.createEmitter<SessionsEvents<Int>>(['started', 'ended', 'full', 'error'])
  const state = createSessionsState({ counter, label, limit, thenShutdown })

  const [change, after, report, close] = run(state, sessionsKind, client, {
    call(_, what: SessionWrite, limits) {
      if ('state' in what) return client[what.state](limits)
      if ('label' in what) return client.setLabel(label!, what.label, limits)
      return client.updateCounter(counter!, what.update, limits)
    },
    perform([type, event]) {
      if (type === 'started') begin(event)
      else if (type === 'ended') {
        emit(type, sessions.get(event)!)
        sessions.delete(event)
      } else emit(type, event)
    },
    allocated(event) {
      latest = event
      change(() => allocated(state))
    },
  })

  const isActive = (number: number): boolean => state.active.includes(number)

  function begin(number: number): void {
    let stopIdle = (): void => {}
    const session: Session<Int> = {
      id: `${latest.gameServer.object_meta.resource_version}-${number}`,
      allocation: latest,
      async end() {
        stopIdle()
        if (!isActive(number)) return 'absent'
        change(() => ended(state, number))
        return 'ended'
      },
      touch() {
        stopIdle()
        if (isActive(number)) stopIdle = after(idle, () => void session.end())
      },
    }
    sessions.set(number, session)
    session.touch()
    emit('started', session)
    new Promise((resolve) => resolve(onSession(session))).catch((cause: unknown) =>
      report(new SidecarError('UNKNOWN', `onSession failed: ${String(cause)}`, { cause })),
    )
  }

  return {
    get active() {
      return state.active.map((number) => sessions.get(number)!).filter(Boolean)
    },
    get started() {
      return state.started
    },
    get full() {
      return areFull(state)
    },
    on,
    close,
  }
}

/**
 * @param numbers the names of the options that must be above 0
 * @throws SidecarError `CONFIG` for anything but a client, and for an unknown or invalid option
 */
function checkOptions(client: unknown, options: object, names: readonly string[], numbers: readonly string[]): void {
  const { check, checkNames } = internals
  check((Object(client) as { after?: unknown }).after, 'client', client, 'what createClient() gave')
  check(options, 'options', options, 'an object')
  checkNames(options, names, 'option')
  for (const name of numbers) {
    const { [name]: value = 1 } = options as Record<string, number>
    check(value > 0, name, value, 'above 0')
  }
}

/** Keeps ids short: a watch message holds the whole list, and one above 64 KiB kills the real sidecar's WebSocket. */
function checkId(id: unknown, operation: string): void {
  const isId = typeof id === 'string' && id && id.length <= 256
  internals.check(isId, 'id', id, 'a text of 1 to 256 characters', operation)
}
