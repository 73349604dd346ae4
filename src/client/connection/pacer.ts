import type { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'

/** ms that each dial costs, and how much may be spent at once: at most 10 dials in any second. */
const COST = 125
const CREDIT = 2 * COST

export interface Pacer {
  /** Waits for a turn to dial; only for dials that this package decides on by itself. */
  turn(scope: Scope): Promise<void>
}

/** Two dials may go out at once, the others are spaced. */
export function createPacer(timers: Timers): Pacer {
  /** When everything spent so far is paid for. */
  let paidAt = 0
  return {
    async turn(scope) {
      scope.throwIfEnded()
      const now = timers.now()
      paidAt = Math.max(now, paidAt) + COST
      const wait = paidAt - now - CREDIT
      if (wait > 0) await timers.sleep(scope, wait)
    },
  }
}
