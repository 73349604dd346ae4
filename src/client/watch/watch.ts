import type { GameServer } from '../../protocol/game-server.js'
import type { Predicate } from '../game-server/store.js'
import { Scope } from '../runtime/scope.js'
import { runWatch, type WatchParts, type WatchRun } from './watch-loop.js'

/** The one watch that all listeners and waits of a client share. */
export interface Watch {
  /** Whether it was started and goes on, connected or not. */
  readonly isOn: boolean
  /** Starts it if it isn't on. Returns the scope of all waits for it. */
  start(): Scope
  /** Starts it, and lets a wait end when waiting for the watch can't help now. */
  endWith(waiting: Scope): void
  /** Waits until the watch shows a GameServer that passes, the present one included. */
  until(waiting: Scope, predicate: Predicate): Promise<GameServer>
  /** Checks by a read that the watch tells the truth. Never rejects. */
  verify(): Promise<void>
}

export function createWatch(life: Scope, parts: WatchParts): Watch {
  let scope: Scope | undefined
  let run: WatchRun | undefined

  function start(): Scope {
    if (!run || (!watch.isOn && !life.reason)) {
      scope = new Scope(life)
      run = runWatch(scope, parts)
    }
    return run.waiters
  }

  function endWith(waiting: Scope): void {
    const waiters = start()
    waiting.onEnd(waiters.onEnd(() => waiting.end(waiters.reason)))
  }

  const watch = {
    get isOn() {
      return !!scope && !scope.reason
    },
    start,
    endWith,
    until(waiting: Scope, predicate: Predicate) {
      endWith(waiting)
      return parts.store.until(waiting, predicate)
    },
    verify: async () => run?.verify(),
  }
  return watch
}
