import { throwIfAborted } from './signals.js'
import type { Timers } from './timers.js'
import type { AbortSignalLike, RetryPolicy } from './option-types.js'

/** ms that each dial costs, and how much may be spent at once: at most 10 dials in any second. */
const COST = 125
const CREDIT = 2 * COST
/** ms between two attempts at least, so that no luck with the jitter makes more than seven a second. */
const LEAST_DELAY = 150

/** How soon one dial may follow another. */
export interface Pacing {
  /** Waits for a turn to dial; only for dials that this package decides on by itself. */
  turn(signal: AbortSignalLike): Promise<void>
  /** ms before attempt number `attempt + 1`: exponential with a cap and full jitter. */
  backoff(attempt: number): number
}

/** Two dials may go out at once, the others are spaced. */
export function createPacing(
  timers: Timers,
  { initialDelay, factor, maxDelay }: Required<RetryPolicy>,
  random: () => number,
): Pacing {
  /** When every dial so far is paid for. */
  let paidAt = 0
  return {
    async turn(signal) {
      throwIfAborted(signal)
      const now = timers.now()
      paidAt = Math.max(now, paidAt) + COST
      const rest = paidAt - now - CREDIT
      if (rest > 0) await timers.sleep(signal, rest)
    },
    backoff: (attempt) => Math.max(LEAST_DELAY, random() * Math.min(maxDelay, initialDelay * factor ** attempt)),
  }
}
