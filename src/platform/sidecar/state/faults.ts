import type { OperationName } from '../../../protocol/operations.js'

/** The operations that a fault affects; without a list it affects all. */
interface Targeted {
  readonly operations: readonly OperationName[] | undefined
}

export interface DelayFault extends Targeted {
  readonly ms: number
  /** The most milliseconds that are added at random. */
  readonly jitterMs: number
  readonly when: 'before' | 'after'
}

export interface FailureFault extends Targeted {
  readonly status: number
  readonly message: string
  /** How many calls still fail; undefined for all until the fault is cleared. */
  readonly remaining: number | undefined
  /** Cut the connection instead of answering. */
  readonly drop: boolean
  /** Let the call take effect first. */
  readonly apply: boolean
  /** The share of the calls that fails, above 0 and at most 1. */
  readonly share: number
  /** Seconds of the answer's `Retry-After` header. */
  readonly retryAfter: number | undefined
}

/** The faults that are switched on. */
export interface FaultState {
  readonly delays: readonly DelayFault[]
  readonly failures: readonly FailureFault[]
  /** Until when watchers are sent nothing; Infinity for until they are released. */
  readonly stalledUntil: number | undefined
  /** Watches are cut again and again. */
  readonly drops: { readonly everyMs: number; readonly next: number } | undefined
  /** How many beats are still answered without being counted; Infinity for all. */
  readonly beatsToIgnore: number
  /** How many writes are still answered and forgotten. */
  readonly writesToLose: number
}

export const noFaults: FaultState = {
  delays: [],
  failures: [],
  stalledUntil: undefined,
  drops: undefined,
  beatsToIgnore: 0,
  writesToLose: 0,
}

/** The longest delay that applies to an operation, in milliseconds. `random` gives numbers from 0 to below 1. */
export function delayOf(
  faults: FaultState,
  operation: OperationName,
  when: 'before' | 'after',
  random: () => number,
): number {
  let longest = 0
  for (const fault of faults.delays) {
    if (fault.when !== when || !applies(fault, operation)) continue
    longest = Math.max(longest, fault.ms + (fault.jitterMs > 0 ? Math.round(random() * fault.jitterMs) : 0))
  }
  return longest
}

/** A failure after one more call has met it; none if that was the last. */
export function useOnce(fault: FailureFault): FailureFault[] {
  if (fault.remaining === undefined) return [fault]
  return fault.remaining > 1 ? [{ ...fault, remaining: fault.remaining - 1 }] : []
}

export function applies({ operations }: Targeted, operation: OperationName): boolean {
  return operations === undefined || operations.length === 0 || operations.includes(operation)
}

/** Returns the generator's next state and its number from 0 to below 1 (mulberry32). */
export function nextRandom(state: number): { readonly state: number; readonly value: number } {
  const next = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(next ^ (next >>> 15), next | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return { state: next, value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 }
}

/** Returns a source of random numbers from 0 to below 1: the same seed gives the same numbers. */
export function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    const next = nextRandom(state)
    state = next.state
    return next.value
  }
}
