import type { OperationName } from '../../../protocol/operations.js'

/** The operations that a fault affects; without a list it affects all. */
interface Targeted {
  readonly operations: readonly OperationName[] | undefined
}

export interface DelayFault extends Targeted {
  readonly ms: number
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
  /** Seconds of the answer's `Retry-After` header. */
  readonly retryAfter: number | undefined
}

/** The faults that are switched on. */
export interface FaultState {
  readonly delays: readonly DelayFault[]
  readonly failures: readonly FailureFault[]
  /** Until when watchers are sent nothing; Infinity for until they are released. */
  readonly stalledUntil: number | undefined
  /** How many beats are still answered without being counted; Infinity for all. */
  readonly beatsToIgnore: number
  /** How many writes are still answered and forgotten. */
  readonly writesToLose: number
}

export const noFaults: FaultState = {
  delays: [],
  failures: [],
  stalledUntil: undefined,
  beatsToIgnore: 0,
  writesToLose: 0,
}

/** The longest delay that applies to an operation, in milliseconds. */
export function delayOf({ delays }: FaultState, operation: OperationName, when: 'before' | 'after'): number {
  return Math.max(0, ...delays.filter((one) => one.when === when && applies(one, operation)).map(({ ms }) => ms))
}

export function applies({ operations }: Targeted, operation: OperationName): boolean {
  return operations === undefined || operations.length === 0 || operations.includes(operation)
}
