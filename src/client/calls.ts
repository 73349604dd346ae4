import { operations, type OperationName } from '../protocol/operations.js'
import { SidecarError } from './errors.js'
import { isPassing, type AttemptError, type Link } from './link.js'
import { backoff } from './retry.js'
import { createScope, type Scope } from './scope.js'
import type { Timers } from './timers.js'
import type { AbortSignalLike, CallOptions, ClientOptions, RetryPolicy } from './types.js'

/** The longest a timer can wait; beyond that hosts fire at once. */
const maxTimer = 0x7fffffff

export interface Calls {
  /** Runs one call of the user within a scope of its own, which its signal, its timeout or `close()` ends. */
  _run<T>(operation: string, options: CallOptions | undefined, run: (scope: Scope) => Promise<T>): Promise<T>
  /** Runs calls of one key one after the other, in the order in which they were made. */
  _inOrder<T>(key: string, scope: Scope, run: () => Promise<T>): Promise<T>
  /** Sends an operation, again where that is safe, until it is answered. */
  _send(scope: Scope, operation: OperationName, body?: object, name?: string): Promise<Record<string, unknown>>
}

/** Ends a scope when a signal is aborted; returns the function that stops listening. */
export function follow(signal: AbortSignalLike | undefined, scope: Scope): void {
  if (!signal) return
  const abort = (): void =>
    scope._end(new SidecarError('ABORTED', 'Aborted by its signal', { cause: signal.reason }))
  if (signal.aborted) return abort()
  signal.addEventListener('abort', abort)
  scope._onEnd(() => signal.removeEventListener('abort', abort))
}

export function createCalls(
  options: ClientOptions,
  policy: Required<RetryPolicy>,
  timers: Timers,
  random: () => number,
  clientScope: Scope,
  link: Link,
): Calls {
  const tails = new Map<string, Promise<unknown>>()

  return {
    async _run(operation, callOptions = {}, run) {
      const scope = createScope(clientScope)
      const timeout = callOptions.timeout ?? policy.timeout
      if (timeout < maxTimer)
        scope._onEnd(
          timers._after(timeout, () =>
            scope._end(new SidecarError('TIMEOUT', 'Not done within ' + timeout + ' ms', { operation })),
          ),
        )
      follow(callOptions.signal, scope)
      try {
        if (scope._reason !== undefined) throw scope._reason
        return await run(scope)
      } finally {
        scope._end(0)
      }
    },

    _inOrder(key, scope, run) {
      const turn = (tails.get(key) ?? Promise.resolve()).then(() => {
        if (scope._reason !== undefined) throw scope._reason
        return run()
      })
      const tail = turn.then(forget, forget)
      function forget(): void {
        if (tails.get(key) === tail) tails.delete(key)
      }
      tails.set(key, tail)
      return scope._wait((resolve, reject) => void turn.then(resolve, reject))
    },

    async _send(scope, operation, body, name) {
      const [method, path, shape] = operations[operation] as (typeof operations)['updateCounter']
      const safe = (method as string) === 'GET' || operation === 'health'
      const target = name === undefined ? path : path.replace('{key}', () => name)
      const text = shape && JSON.stringify(body ?? {})
      for (let attempt = 0; ; attempt++) {
        if (!link._up && options.retry !== false) await link._whenUp(scope)
        try {
          return await link._attempt(scope, operation, target, text)
        } catch (error) {
          if (scope._reason !== undefined)
            throw !safe && (scope._reason as SidecarError).code === 'TIMEOUT'
              ? new SidecarError('UNKNOWN_OUTCOME', 'No answer in time', { operation, cause: scope._reason })
              : scope._reason
          const { _refused, _retryAfter } = error as AttemptError
          if (options.retry === false || !(_refused || (safe && isPassing(error)))) throw error
          await timers._sleep(scope, Math.max(_retryAfter ?? 0, backoff(policy, attempt, random)))
        }
      }
    },
  }
}
