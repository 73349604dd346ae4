import type { GameServer } from '../../protocol/game-server.js'
import { SidecarError } from '../errors.js'
import { own, type Resources } from '../game-server.js'
import type { AbortSignalLike } from '../option-types.js'
import { race } from '../signals.js'
import type { State } from '../state.js'
import type { Timers } from '../timers.js'
import type { List, Outcome } from '../types.js'
import type { Predicate, Watch } from '../watch.js'

/** ms within which the watch should show a write. */
const DEADLINE = 3000

export interface ListChange {
  readonly list: string
  readonly value: string
  /** Whether the value is added or removed. */
  readonly added: boolean
}

/** Uses the watch to find the outcome of writes whose answers can't be read. */
export interface DirectOutcomes {
  /** @param before the last GameServer known when the write was sent */
  ofWrite(signal: AbortSignalLike, before: GameServer | undefined, predicate: Predicate): Promise<Outcome>
  /** Waits for earlier changes of the same value: until these show, the list's values are unknown. */
  whenSettled(signal: AbortSignalLike, change: ListChange): Promise<unknown>
  /** Resolves with the last known list and the outcome of the change, if known. */
  ofListChange(
    signal: AbortSignalLike,
    before: GameServer | undefined,
    found: object,
    change: ListChange,
  ): Promise<List>
}

export function createDirectOutcomes(
  { timers, state, resources }: { timers: Timers; state: State; resources: Resources },
  watch: Watch,
): DirectOutcomes {
  const { toList } = resources
  const pending = new Map<string, Promise<unknown>>()
  // No name of a list has a slash.
  const idOf = ({ list, value }: ListChange): string => `${list}/${value}`

  /**
   * Waits until the watch shows a write, in a later object.
   *
   * @param ask also reads: local mode's watch doesn't show lists
   */
  async function awaitInWatch(
    signal: AbortSignalLike,
    before: GameServer | undefined,
    predicate: Predicate,
    ask: boolean,
  ): Promise<Outcome> {
    try {
      await timers.within(
        DEADLINE,
        (limited) => {
          const shown = watch.until(limited, (gameServer) => gameServer !== before && predicate(gameServer))
          if (ask) void watch.verify()
          return shown
        },
        signal,
      )
      return 'confirmed'
    } catch (error) {
      // Whatever ended this wait, the write was sent.
      if (signal.aborted && (error as SidecarError).code !== 'TIMEOUT') throw error
      return 'sent'
    }
  }

  return {
    // A state that held before proves nothing.
    ofWrite: async (signal, before, predicate) =>
      before && predicate(before) ? 'sent' : awaitInWatch(signal, before, predicate, false),

    whenSettled: (signal, change) => race(signal, Promise.resolve(pending.get(idOf(change)))),

    async ofListChange(signal, before, found, change) {
      const { list, value, added } = change
      const listIn = (gameServer: GameServer | undefined, otherwise: object): List =>
        toList(list, (gameServer && own<object>(gameServer.status.lists, list)) ?? otherwise)
      const shown = awaitInWatch(
        signal,
        before,
        (gameServer) => listIn(gameServer, { capacity: 0 }).values.includes(value) === added,
        true,
      )
      const id = idOf(change)
      const forget = (): boolean => pending.delete(id)
      pending.set(id, shown.then(forget, forget))
      const outcome = await shown
      const seen = listIn(state.last, found)
      // A full list isn't refused at once, since a removal sent before may still make room.
      if (outcome === 'sent' && added && !seen.values.includes(value) && seen.values.length >= seen.capacity)
        throw new SidecarError('OUT_OF_RANGE', `The list "${list}" is full`)
      return Object.assign(seen, { outcome })
    },
  }
}
