import type { RetryPolicy } from '../types.js'

/** ms between two attempts at least, so that no luck with the jitter makes more than seven a second. */
const LEAST_DELAY = 150

/** ms before attempt number `attempt + 1`. */
export type Backoff = (attempt: number) => number

/** Exponential with a cap and full jitter. Pure but for `random`. */
export function createBackoff(
  { initialDelay, factor, maxDelay }: Required<RetryPolicy>,
  random: () => number,
): Backoff {
  return (attempt) => Math.max(LEAST_DELAY, random() * Math.min(maxDelay, initialDelay * factor ** attempt))
}
