import { operations, type OperationName } from '../protocol/operations.js'
import { fail, type SidecarError } from './errors.js'
import { isPassing, isSafe, type AttemptError, type Link } from './link.js'
import type { ResolvedOptions } from './options.js'
import { backoff } from './retry.js'
import { createScope, type Scope } from './scope.js'
import type { Timers } from './timers.js'
import type { AbortSignalLike, CallOptions } from './types.js'

export interface Calls {
  /** Runs one call of the user within a scope of its own, which its signal, its timeout or `close()` ends. */
  _run<T>(operation: string, options: CallOptions | undefined, run: (scope: Scope) => Promise<T>): Promise<T>
  /** Runs calls of one key one after the other, in the order in which they were made. */
  _inOrder<T>(key: string, scope: Scope, run: () => Promise<T>): Promise<T>
  /** Sends an operation, again where that is safe, until it is answered. */
  _send(scope: Scope, operation: OperationName, body?: object, name?: string): Promise<Record<string, unknown>>
}

/** Ends a scope when a signal is aborted. */
export function follow(signal: AbortSignalLike | undefined, scope: Scope): void {
  if (!signal) return
  const abort = (): void => scope._end(fail('ABORTED', 'Aborted by its signal', '', signal.reason))
  if (signal.aborted) return abort()
  signal.addEventListener('abort', abort)
  scope._onEnd(() => signal.removeEventListener('abort', abort))
}

export function createCalls(options: ResolvedOptions, timers: Timers, clientScope: Scope, link: Link): Calls {
  const tails = new Map<string, Promise<unknown>>()

  return {
    async _run(operation, { timeout = options.retry.timeout, signal } = {}, run) {
      const scope = createScope(clientScope)
      scope._onEnd(
        timers._after(timeout, () => scope._end(fail('TIMEOUT', 'Not done within ' + timeout + ' ms', operation))),
      )
      follow(signal, scope)
      try {
        if (scope._reason !== undefined) throw scope._reason
        return await run(scope)
      } finally {
        scope._end(0)
      }
    },

    _inOrder(key, scope, run) {
      const turn = (tails.get(key) || Promise.resolve()).then(() => {
        if (scope._reason !== undefined) throw scope._reason
        return run()
      })
      const forget = (): void => {
        if (tails.get(key) === tail) tails.delete(key)
      }
      const tail: Promise<void> = turn.then(forget, forget)
      tails.set(key, tail)
      return scope._race(turn)
    },

    async _send(scope, operation, body, name) {
      const [, path, shape] = operations[operation] as (typeof operations)['ready']
      for (let attempt = 0; ; attempt++) {
        try {
          if (!options._once) await link._whenUp(scope)
          return await link._attempt(
            scope,
            operation,
            options.timeout,
            path.replace('{key}', () => name!),
            shape && JSON.stringify(body || shape),
          )
        } catch (error) {
          const reason = scope._reason as SidecarError | undefined
          if (reason !== undefined)
            throw !isSafe(operation) && reason.code === 'TIMEOUT' && link._up
              ? fail('UNKNOWN_OUTCOME', 'No answer in time', operation, reason)
              : reason
          const { _refused, _retryAfter } = error as AttemptError
          if (options._once || !(_refused || (isSafe(operation) && isPassing(error)))) throw error
          await timers._sleep(scope, Math.max(_retryAfter || 0, backoff(options, attempt)))
        }
      }
    },
  }
}
