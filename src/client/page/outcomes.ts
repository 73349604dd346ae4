import type { GameServer } from '../../protocol/game-server.js'
import type { Outcomes, Predicate, UnreadChange } from '../calls.js'
import { SidecarError } from '../errors.js'
import { own, type Resources } from '../game-server.js'
import type { State } from '../state.js'
import type { Task, Time } from '../time.js'
import type { List, Outcome } from '../types.js'
import type { Watch } from '../watch.js'

/** ms within which the watch should show a write. */
const DEADLINE = 3000

/** Uses the watch to find the outcome of writes whose answers can't be read. */
export function createOutcomes(watch: Watch, state: State, resources: Resources, time: Time): Outcomes {
  const { toList } = resources
  const pending = new Map<string, Promise<unknown>>()
  // No name of a list has a slash.
  const idOf = ({ list, value }: UnreadChange): string => `${list}/${value}`

  /**
   * Waits until the watch shows a write, in a later object.
   *
   * @param ask also reads: local mode's watch doesn't show lists
   */
  async function awaitInWatch(
    task: Task,
    before: GameServer | undefined,
    passes: Predicate,
    ask?: boolean,
  ): Promise<Outcome> {
    const shown = watch.until(task, (gameServer) => gameServer !== before && passes(gameServer), DEADLINE)
    if (ask) void watch.verify()
    return shown.then(
      () => 'confirmed',
      (error: unknown) => {
        // Whatever ended this wait, the write was sent.
        if (task.aborted && (error as SidecarError).code !== 'TIMEOUT') throw error
        return 'sent'
      },
    )
  }

  return {
    // A state that held before proves nothing.
    ofWrite: async (task, before, isShown) =>
      before && isShown(before) ? 'sent' : awaitInWatch(task, before, isShown),

    whenSettled: (task, change) => time.race(task, Promise.resolve(pending.get(idOf(change)))),

    async ofListChange(task, before, found, change) {
      const { list, value, added } = change
      const listIn = (gameServer: GameServer | undefined, otherwise: object): List =>
        toList(list, (gameServer && own<object>(gameServer.status.lists, list)) ?? otherwise)
      const shown = awaitInWatch(
        task,
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
