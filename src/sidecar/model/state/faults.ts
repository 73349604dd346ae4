import type { OperationName } from '../../../protocol/operations.js'

/** The operations that a fault is meant for; without a list it is meant for all. */
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
}

/** The faults that are switched on. */
export interface FaultState {
  readonly delays: readonly DelayFault[]
  readonly failures: readonly FailureFault[]
  /** Watchers are sent nothing. */
  readonly stalled: boolean
  /** When the stall ends by itself, if it does. */
  readonly stalledUntil: number | undefined
  readonly ignoreBeats: boolean
}

export const noFaults: FaultState = {
  delays: [],
  failures: [],
  stalled: false,
  stalledUntil: undefined,
  ignoreBeats: false,
}

/** The longest delay that applies to an operation, in milliseconds. */
export function delayOf(faults: FaultState, operation: OperationName, when: 'before' | 'after'): number {
  return faults.delays
    .filter((fault) => fault.when === when && applies(fault, operation))
    .reduce((longest, { ms }) => Math.max(longest, ms), 0)
}

/** The failure that an operation meets, and the faults once that failure has been used. */
export function takeFailure(
  faults: FaultState,
  operation: OperationName,
): { readonly failure: FailureFault; readonly faults: FaultState } | undefined {
  const failure = faults.failures.find((fault) => applies(fault, operation))
  if (failure === undefined) return undefined
  const failures = faults.failures.flatMap((fault) => (fault === failure ? useOnce(fault) : [fault]))
  return { failure, faults: { ...faults, failures } }
}

function useOnce(fault: FailureFault): FailureFault[] {
  if (fault.remaining === undefined) return [fault]
  return fault.remaining > 1 ? [{ ...fault, remaining: fault.remaining - 1 }] : []
}

function applies({ operations }: Targeted, operation: OperationName): boolean {
  return operations === undefined || operations.length === 0 || operations.includes(operation)
}
