import type { OperationName } from '../protocol/operations.js'
import type { Core } from './core.js'
import { isForeign, refuseIfDirect } from './direct.js'
import { check, fail } from './errors.js'
import { isPassing, isSafe } from './link.js'
import { createScope, type Scope } from './scope.js'
import type { AbortSignalLike, CallOptions } from './types.js'

export interface Calls {
  /** Runs one call of the user within a scope of its own, which its signal, its timeout or `close()` ends. */
  _run<T>(
    operation: string,
    options: CallOptions | undefined,
    run: (scope: Scope) => Promise<T>,
    timeout?: number,
  ): Promise<T>
  /** Runs calls of one key one after the other, in the order in which they were made. */
  _inOrder<T>(key: string, scope: Scope, run: () => Promise<T>): Promise<T>
  /** Sends an operation, again where that is safe, until it is answered. */
  _send(scope: Scope, operation: OperationName, body?: object, name?: string): Promise<Record<string, unknown>>
}

/** Ends a scope when a signal is aborted. */
export function follow(signal: AbortSignalLike | undefined, scope: Scope): void {
  if (!signal) return
  check(signal.addEventListener, 'signal', signal, 'an AbortSignal')
  const abort = (): void => scope._end(fail('ABORTED', 'Aborted by its signal', undefined, undefined, signal.reason))
  if (signal.aborted) return abort()
  signal.addEventListener('abort', abort)
  scope._onEnd(() => signal.removeEventListener('abort', abort))
}

export function createCalls(core: Core): Calls {
  const tails = new Map<string, Promise<unknown>>()

  return {
    async _run(operation, options, run, byDefault = core.retry.timeout) {
      const { timeout = byDefault, signal } = options || {}
      const scope = createScope(core._scope, operation)
      core._limit(scope, timeout)
      follow(signal, scope)
      try {
        if (scope._reason) throw scope._reason
        refuseIfDirect(core, scope)
        return await run(scope)
      } finally {
        scope._end()
      }
    },

    _inOrder(key, scope, run) {
      const before = tails.get(key) || Promise.resolve()
      const turn = before.then(() => {
        if (scope._reason) throw scope._reason
        return run()
      })
      const forget = (): void => {
        if (tails.get(key) === tail) tails.delete(key)
      }
      const tail: Promise<void> = turn.then(forget, forget)
      tails.set(key, tail)
      // Once it runs, only that knows what has become of it: what was sent in vain has an unknown outcome.
      return scope._race(before).then(() => turn)
    },

    _send: (scope, operation, body, name) =>
      core._retry(
        scope,
        async () => {
          // Nothing is learnt from a write that a browser keeps from another origin: then a read goes first.
          if (!core._up)
            await (!core._once ? core._whenUp(scope) : !isSafe(operation) && isForeign(core) && core._probe(scope))
          return core._attempt(scope, operation, core.timeout, body, name)
        },
        (error) => !core._once && (error._refused || (isSafe(operation) && isPassing(error))),
      ),
  }
}
