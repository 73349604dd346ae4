import type { GameServer } from '../../protocol/game-server.js'
import type { Predicate } from '../game-server/store.js'
import type { Emit } from '../runtime/emitter.js'
import { SidecarError } from '../runtime/errors.js'
import type { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'

/** ms after which an accepted label or annotation should be visible; the sidecar writes twice a second. */
const DEADLINE = 10000

/** Reports a write that the sidecar has accepted and never carries out: it writes later, and doesn't tell. */
export type ExpectInWatch = (operation: string, key: string, predicate: Predicate) => void

/** @param watched the GameServer as the watch tells it, if that is connected */
export function createExpectInWatch(
  scope: Scope,
  timers: Timers,
  watched: () => GameServer | undefined,
  emit: Emit,
): ExpectInWatch {
  const expected = new Map<string, Predicate>()
  return (operation, key, predicate) => {
    const id = operation + key
    expected.set(id, predicate)
    timers.after(scope, DEADLINE, () => {
      // A later write of the same key has taken its place.
      if (expected.get(id) !== predicate) return
      expected.delete(id)
      const shown = watched()
      if (!shown || predicate(shown)) return
      const summary = `Accepted, but still not visible in the watch after ${DEADLINE / 1000} s`
      emit(
        'error',
        new SidecarError('UNKNOWN_OUTCOME', summary, { operation, hint: 'Another key may block the queue' }),
      )
    })
  }
}
