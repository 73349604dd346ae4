import type { OperationName } from '../../../protocol/operations.js'

/** The operations that a fault is meant for; without a list it is meant for all. */
interface Targeted {
  readonly operations: readonly OperationName[] | undefined
}

export interface DelayFault extends Targeted {
  readonly ms: number
  /** Up to so many milliseconds are added at random. */
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
  /** The part of the calls that fails, above 0 and at most 1. */
  readonly share: number
  /** Seconds of the answer's `Retry-After` header. */
  readonly retryAfter: number | undefined
}

/** The faults that are switched on. */
export interface FaultState {
  readonly delays: readonly DelayFault[]
  readonly failures: readonly FailureFault[]
  /** Watchers are sent nothing. */
  readonly stalled: boolean
  /** When the stall ends by itself, if it does. */
  readonly stalledUntil: number | undefined
  /** Watches are cut again and again. */
  readonly drops: { readonly everyMs: number; readonly next: number } | undefined
  readonly ignoreBeats: boolean
  /** How many calls of `health` are still ignored; undefined for all until it is switched off. */
  readonly beatsToIgnore: number | undefined
  /** How many writes are still answered and forgotten. */
  readonly writesToLose: number
}

export const noFaults: FaultState = {
  delays: [],
  failures: [],
  stalled: false,
  stalledUntil: undefined,
  drops: undefined,
  ignoreBeats: false,
  beatsToIgnore: undefined,
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

/** The failure that an operation meets, and the faults and the generator once it was chosen. */
export interface TakenFailure {
  readonly failure: FailureFault | undefined
  readonly faults: FaultState
  readonly random: number
}

/** Looks for the failure that an operation meets. The first that is meant for it decides, also that nothing fails. */
export function takeFailure(faults: FaultState, operation: OperationName, random: number): TakenFailure {
  const failure = faults.failures.find((fault) => applies(fault, operation))
  if (failure === undefined) return { failure, faults, random }
  const drawn = failure.share < 1 ? nextRandom(random) : { state: random, value: 0 }
  if (drawn.value >= failure.share) return { failure: undefined, faults, random: drawn.state }
  const failures = faults.failures.flatMap((fault) => (fault === failure ? useOnce(fault) : [fault]))
  return { failure, faults: { ...faults, failures }, random: drawn.state }
}

function useOnce(fault: FailureFault): FailureFault[] {
  if (fault.remaining === undefined) return [fault]
  return fault.remaining > 1 ? [{ ...fault, remaining: fault.remaining - 1 }] : []
}

function applies({ operations }: Targeted, operation: OperationName): boolean {
  return operations === undefined || operations.length === 0 || operations.includes(operation)
}

/** The next state of a generator of random numbers, and its number from 0 to below 1 (mulberry32). */
export function nextRandom(state: number): { readonly state: number; readonly value: number } {
  const next = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(next ^ (next >>> 15), next | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return { state: next, value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 }
}
