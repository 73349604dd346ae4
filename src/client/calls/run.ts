import { named, toSidecarError, type SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { FollowSignal } from '../runtime/signals.js'
import type { Timers } from '../runtime/timers.js'
import { check, checkNames } from '../runtime/validate.js'
import type { CallOptions } from '../types.js'

/**
 * Runs one call of the user within a scope of its own, which its signal, its timeout or `close()` ends.
 * @param extraOptions the names of options that not every call has
 * @param defaultTimeout ms
 */
export type RunCall = <T, O extends CallOptions>(
  operation: string,
  options: O | undefined,
  call: (scope: Scope, options: O) => Promise<T>,
  extraOptions?: readonly string[],
  defaultTimeout?: number,
) => Promise<T>

interface Parts {
  readonly scope: Scope
  readonly timers: Timers
  readonly followSignal: FollowSignal
  /** ms */
  readonly timeout: number
  /** What to do where a call got no answer in time. */
  hint(): string
  /** The error for an operation that can't be sent from here. */
  refuse(operation: string): SidecarError | undefined
}

/** Every call rejects with a SidecarError and nothing else. */
export function createRunCall({ scope: life, timers, followSignal, timeout, hint, refuse }: Parts): RunCall {
  return async (operation, given, call, extraOptions = [], defaultTimeout = timeout) => {
    const scope = new Scope(life)
    const options = given ?? ({} as NonNullable<typeof given>)
    try {
      check(typeof options === 'object', 'options', options, 'an object', operation)
      checkNames(options, ['signal', 'timeout'].concat(extraOptions), 'option', operation)
      const { signal, timeout: limit = defaultTimeout } = options
      check(limit > 0, 'timeout', limit, 'ms above 0', operation)
      timers.limit(scope, limit, hint)
      followSignal(signal, scope, operation)
      scope.throwIfEnded()
      const refusal = refuse(operation)
      if (refusal) throw refusal
      return await call(scope, options)
    } catch (error) {
      throw named(toSidecarError(error, 'UNKNOWN', 'This call failed', 'See `cause`'), operation)
    } finally {
      scope.end()
    }
  }
}

/** Runs everything with the same key one after the other, in the order in which it was asked for. */
export type RunInOrder = <T>(key: string, scope: Scope, run: () => Promise<T>) => Promise<T>

export function createRunInOrder(): RunInOrder {
  const tails = new Map<string, Promise<unknown>>()
  return (key, scope, run) => {
    const before = tails.get(key) ?? Promise.resolve()
    const turn = before.then(() => {
      scope.throwIfEnded()
      return run()
    })
    const forget = (): void => {
      if (tails.get(key) === tail) tails.delete(key)
    }
    const tail: Promise<void> = turn.then(forget, forget)
    tails.set(key, tail)
    // Once it runs, only `run` knows what has become of it: a request that was sent may have an unknown outcome.
    return scope.race(before).then(() => turn)
  }
}
