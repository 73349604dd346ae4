import type { OperationName } from '../protocol/operations.js'
import { check, checkNames, checkOperation, isAmount } from './check.js'
import type { FailHow, FailTarget } from './types.js'

export interface Failure extends FailHow {
  readonly operations: readonly OperationName[] | undefined
  left: number
}

/** What `fail()` has set up. */
export interface Failures {
  add(target: FailTarget, how: FailHow): () => void
  /** The latest that is meant for an operation; it counts as used. */
  take(operation: OperationName): Failure | undefined
}

const NAMES = ['status', 'message', 'delay', 'times', 'network', 'apply']

export function createFailures(): Failures {
  let failures: Failure[] = []
  return {
    add(target, how) {
      const operations = target === '*' ? undefined : typeof target === 'string' ? [target] : target
      for (const name of operations ?? []) checkOperation(name, 'fail()')
      checkHow(how)
      const failure: Failure = { ...how, operations, left: how.times ?? Infinity }
      failures = [failure, ...failures]
      return () => {
        failures = failures.filter((other) => other !== failure)
      }
    },
    take(operation) {
      const failure = failures.find(({ operations, left }) => left > 0 && (operations?.includes(operation) ?? true))
      if (failure !== undefined && --failure.left === 0) failures = failures.filter((other) => other !== failure)
      return failure
    },
  }
}

function checkHow(how: FailHow): void {
  checkNames(how, NAMES, 'fail()')
  const { status, delay, times, network } = how
  check('status', status, Number.isInteger(status) && status! >= 400 && status! < 600, 'an integer from 400 to 599')
  check('delay', delay, isAmount(delay), 'ms of at least 0')
  check('times', times, isAmount(times) && times! > 0, 'a number above 0')
  check('network', network, network === 'reset' || network === 'timeout', '"reset" or "timeout"')
}
