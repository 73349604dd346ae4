import type { RetryPolicy } from './types.js'

/** Never sooner than this after the last attempt, so that no run of luck with the jitter makes more than 10 dials a second. */
const leastDelay = 150

export function resolvePolicy(retry: RetryPolicy | false | undefined): Required<RetryPolicy> {
  return { initialDelay: 250, factor: 1.6, maxDelay: 5000, timeout: 60000, ...(retry || {}) }
}

/** ms before attempt number `attempt + 1`: capped, with full jitter. Pure but for `random`. */
export function backoff(policy: Required<RetryPolicy>, attempt: number, random: () => number): number {
  const ceiling = Math.min(policy.maxDelay, policy.initialDelay * Math.pow(policy.factor, attempt))
  return Math.max(leastDelay, random() * ceiling)
}
