import { internals, SidecarError, type SidecarClient } from '../../index.js'
import { endWhenEmpty } from './end-when-empty.js'
import { PlayersState, type JoinOutcome, type PlayersEffects, type SeatWrite } from './players-state.js'
import { checkOptions, createTracker } from './tracker.js'
import type { Players, PlayersEvents, PlayersOptions } from './types.js'

/** ms that a join waits, and the default time that a promised seat is kept */
const MINUTE = 60000

const OPTIONS = ['list', 'counter', 'capacity', 'noShow', 'endWhenEmpty']
const EVENTS = ['expected', 'joined', 'left', 'noshow', 'full', 'error']

/**
 * Keeps the seats of a GameServer. The game says who plays. The tracker adds and removes values until the watched
 * GameServer agrees, and repeats lost writes.
 *
 * @throws SidecarError `CONFIG` for an unknown or invalid option
 */
export function trackPlayers<Int = number>(client: SidecarClient<Int>, options: PlayersOptions = {}): Players {
  checkOptions(client, options, OPTIONS, ['capacity', 'noShow'])
  const { counter, capacity: limit = Infinity, noShow = MINUTE } = options
  const { list = counter === undefined ? 'players' : undefined } = options
  /** Settles each join that has no outcome yet. */
  const joins = new Map<string, (outcome: JoinOutcome) => void>()
  const noShows = new Map<string, () => void>()

  const { on, emit } = internals.createEmitter<PlayersEvents>(EVENTS)
  const state = new PlayersState({ list, counter, limit })

  const tracker = createTracker<Int, SeatWrite, PlayersEffects>(client, state, {
    emit,
    async call(what, id, limits) {
      if ('count' in what) return client.updateCounter(counter!, what, limits)
      if ('since' in what) return client.removeListValue(list!, id, limits)
      // A promised player may join before the watch shows the promise. Ask first: a browser logs each refused add.
      const mayBeEarly = state.facts.state !== 'Allocated'
      const held = mayBeEarly ? await client.getList(list!, limits).catch(() => undefined) : undefined
      if (held?.values.includes(id)) throw new SidecarError('ALREADY_EXISTS', `"${id}" has a seat already`)
      return client.addListValue(list!, id, limits)
    },
    perform([type, event]) {
      if (type === 'settle') return joins.get(event.id)!(event.outcome)
      if ('id' in event) {
        const { id } = event
        noShows.get(id)?.()
        noShows.delete(id)
        const miss = (): void => tracker.change(() => state.noShow(id))
        if (type === 'expected' && noShow < Infinity) noShows.set(id, tracker.after(noShow, miss))
      }
      emit(type, event)
    },
  })

  if (options.endWhenEmpty) {
    endWhenEmpty(client as SidecarClient<number | bigint>, options.endWhenEmpty, noShow, {
      isEmpty: () => !state.facts.missing && state.idsIn('gone').length === state.seats.size,
      isOver: () => state.isOver,
      onJoined: (listener) => on('joined', listener),
      report: (error) => tracker.report(error as SidecarError),
    })
  }

  const has = (id: string): boolean => state.seats.get(id) === 'here'

  return {
    join: (id, given = {}) =>
      new Promise((resolve, reject) => {
        checkId(id, 'join')
        internals.checkNames(given, ['timeout', 'signal'], 'option', 'join')
        const { timeout = MINUTE, signal } = given
        const { failure } = state
        if (failure) throw internals.named(failure, 'join')
        if (joins.has(id) || has(id))
          throw new SidecarError('ALREADY_EXISTS', `"${id}" is here already`, { operation: 'join' })
        const wait = internals.follow(signal)
        const settle = (outcome: JoinOutcome): void => {
          joins.delete(id)
          wait.abort(undefined)
          if (typeof outcome === 'string') resolve(outcome)
          else reject(internals.named(outcome, 'join'))
        }
        joins.set(id, settle)
        tracker.later(() => state.join(id))
        client
          .waitFor(() => false, { timeout, signal: wait })
          .catch((error: unknown) => {
            if (joins.get(id) === settle) tracker.change(() => state.quit(id, error as SidecarError))
          })
      }),
    async leave(id) {
      checkId(id, 'leave')
      if (!joins.has(id) && !has(id)) return 'absent'
      tracker.change(() => state.quit(id, new SidecarError('ABORTED', `"${id}" has left`)))
      return 'left'
    },
    has,
    get ids() {
      return state.idsIn('here')
    },
    get expected() {
      return state.idsIn('expected')
    },
    get full() {
      return state.isFull
    },
    on,
    close: tracker.close,
  }
}

/** Keeps ids short: a watch message holds the whole list, and one above 64 KiB kills the real sidecar's WebSocket. */
function checkId(id: unknown, operation: string): void {
  const isId = typeof id === 'string' && id && id.length <= 256
  internals.check(isId, 'id', id, 'a text of 1 to 256 characters', operation)
}
