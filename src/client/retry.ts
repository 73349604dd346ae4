import type { ResolvedOptions } from './options.js'

/** ms between two attempts at least, so that no run of luck with the jitter makes more than 10 a second. */
const leastDelay = 150

/** ms before attempt number `attempt + 1`: capped, with full jitter. Pure but for `random`. */
export function backoff({ retry, random }: ResolvedOptions, attempt: number): number {
  return Math.max(leastDelay, random() * Math.min(retry.maxDelay, retry.initialDelay * Math.pow(retry.factor, attempt)))
}
