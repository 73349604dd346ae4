import type { GameServer } from '../../protocol/game-server.js'
import { own } from '../game-server/game-server.js'
import type { Resources } from '../game-server/resources.js'
import type { GameServerStore, Predicate } from '../game-server/store.js'
import { SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { List, Outcome } from '../types.js'
import type { Watch } from '../watch/watch.js'

/** ms in which the watch is to show what was sent. */
const DEADLINE = 3000
/** ms between two looks, where the watch may not tell by itself. */
const LOOK_INTERVAL = 250

export interface ListChange {
  readonly list: string
  readonly value: string
  /** Whether the value is added or removed. */
  readonly added: boolean
}

/** Finds out from the watch what became of writes whose answers can't be read. */
export interface DirectOutcomes {
  /** @param before the last GameServer known when this was sent */
  ofWrite(scope: Scope, before: GameServer | undefined, found: object, predicate: Predicate): Promise<Outcome>
  /** Waits for earlier changes of the same value: till they show, nobody knows what the list holds. */
  whenSettled(scope: Scope, change: ListChange): Promise<unknown>
  /** Resolves with the list as it was last seen and what is known of the change. */
  ofListChange(scope: Scope, before: GameServer | undefined, found: object, change: ListChange): Promise<List>
}

export function createDirectOutcomes(
  timers: Timers,
  store: GameServerStore,
  watch: Watch,
  { toList }: Resources,
): DirectOutcomes {
  const pendingListChanges = new Map<string, Promise<unknown>>()
  const idOf = ({ list, value }: ListChange): string => JSON.stringify([list, value])

  /** Waits until the watch shows a write, in a later object. `ask`: look by reads too, as it may not tell by itself. */
  async function awaitInWatch(
    scope: Scope,
    before: GameServer | undefined,
    predicate: Predicate,
    ask: boolean,
  ): Promise<Outcome> {
    const wait = new Scope(scope)
    const look = (): void => void watch.verify().then(() => timers.after(wait, LOOK_INTERVAL, look))
    timers.limit(wait, DEADLINE)
    try {
      const shown = watch.until(wait, (gameServer) => gameServer !== before && predicate(gameServer))
      if (ask) look()
      await shown
      return 'confirmed'
    } catch (error) {
      // The write was sent, whatever has ended this wait.
      if (scope.reason && (error as SidecarError).code !== 'TIMEOUT') throw error
      return 'sent'
    } finally {
      wait.end()
    }
  }

  return {
    ofWrite: async (scope, before, found, predicate) =>
      predicate(found as GameServer) ? 'sent' : awaitInWatch(scope, before, predicate, false),

    whenSettled: (scope, change) => scope.race(Promise.resolve(pendingListChanges.get(idOf(change)))),

    async ofListChange(scope, before, found, change) {
      const { list, value, added } = change
      const listIn = (gameServer: GameServer | undefined, otherwise: object): List =>
        toList(list, (gameServer && own<object>(gameServer.status.lists, list)) ?? otherwise)
      const shown = awaitInWatch(
        scope,
        before,
        (gameServer) => listIn(gameServer, { capacity: 0 }).values.includes(value) === added,
        true,
      )
      const id = idOf(change)
      const forget = (): boolean => pendingListChanges.delete(id)
      pendingListChanges.set(id, shown.then(forget, forget))
      const outcome = await shown
      const seen = listIn(store.last, found)
      // A full list isn't refused at once, since a removal sent before may still make room.
      if (outcome === 'sent' && added && !seen.values.includes(value) && seen.values.length >= seen.capacity)
        throw new SidecarError('OUT_OF_RANGE', `The list "${list}" is full`, {
          hint: 'Raise the capacity first',
        })
      return Object.assign(seen, { outcome })
    },
  }
}
