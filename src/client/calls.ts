import type { OperationName } from '../protocol/operations.js'
import { isSafe, type JsonObject } from './answers.js'
import { check, checkNames } from './checks.js'
import type { Connection } from './connection.js'
import { isPassing, named, type SidecarError, toSidecarError } from './errors.js'
import type { AbortSignalLike } from './option-types.js'
import type { ResolvedOptions } from './options.js'
import { race, throwIfAborted } from './signals.js'
import type { State } from './state.js'
import type { Pacing, Timers } from './timers.js'
import type { CallOptions } from './types.js'

/**
 * Runs one call of the user under a signal of its own, which the call's signal, its timeout or `close()` aborts.
 *
 * @param extraOptions the names of options that not every call has
 * @param defaultTimeout ms
 */
export type RunCall = <T, O extends CallOptions>(
  operation: string,
  options: O | null | undefined,
  call: (signal: AbortSignalLike, options: O) => Promise<T>,
  extraOptions?: readonly string[],
  defaultTimeout?: number,
) => Promise<T>

/**
 * Every call rejects only with a SidecarError.
 *
 * @param life aborts when the client is closed
 * @param timeout ms
 * @param refuse the error for an operation that can't be sent from here
 */
export function createRunCall(
  life: AbortSignalLike,
  timers: Timers,
  timeout: number,
  connection: Pick<Connection, 'isUp'>,
  refuse: (operation: string) => SidecarError | undefined,
): RunCall {
  return async (operation, given, call, extraOptions = [], defaultTimeout = timeout) => {
    const options = given ?? ({} as NonNullable<typeof given>)
    try {
      checkNames(options, ['signal', 'timeout'].concat(extraOptions), 'option', operation)
      const { timeout: limit = defaultTimeout } = options
      check(limit > 0, 'timeout', limit, 'ms above 0', operation)
      return await timers.within(
        limit,
        async (signal) => {
          throwIfAborted(signal)
          const refusal = refuse(operation)
          if (refusal) throw refusal
          return call(signal, options)
        },
        life,
        options.signal,
        () => (connection.isUp ? undefined : 'Is the sidecar running?'),
      )
    } catch (error) {
      throw named(toSidecarError(error, 'UNKNOWN', 'This call failed'), operation)
    }
  }
}

/** Runs the functions of one key one after the other, in the order of the calls. */
export type RunInOrder = <T>(key: string, signal: AbortSignalLike, run: () => Promise<T>) => Promise<T>

export function createRunInOrder(): RunInOrder {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, signal, run) => {
    const before = tails.get(key)
    const start = (): ReturnType<typeof run> => {
      throwIfAborted(signal)
      return run()
    }
    const turn = before ? before.then(start) : start()
    const forget = (): void => {
      if (tails.get(key) === tail) tails.delete(key)
    }
    const tail: Promise<void> = turn.then(forget, forget)
    tails.set(key, tail)
    // An abort ends the wait for earlier calls. Once `run` has begun, only `run` knows whether its request was sent.
    if (before) await race(signal, before)
    return turn
  }
}

export interface Answer {
  readonly body: JsonObject
  /** This page couldn't read the answer: `body` is the state before the write, if that was read. */
  readonly unread: boolean
}

/**
 * Sends an operation, and repeats it where that is safe, until an answer comes.
 *
 * @param name the encoded name of a counter or list
 * @throws SidecarError for the failure that the answer reports, or for a missing answer
 */
export type Send = (signal: AbortSignalLike, operation: OperationName, body?: object, name?: string) => Promise<Answer>

/** @param options `timeout` in ms for one attempt, and `once` for a single attempt */
export function createSend(
  timers: Timers,
  pacing: Pacing,
  connection: Connection,
  state: Pick<State, 'ending'>,
  { timeout, once }: Pick<ResolvedOptions, 'timeout' | 'once'>,
): Send {
  return async (signal, operation, body, name) => {
    for (let failures = 0; ; failures++) {
      if (!once) await connection.whenUp(signal)
      const reply = await connection.ask(signal, { operation, body, name, timeout })
      if (reply.body) return { body: reply.body, unread: !!reply.unread }
      const { error, unsent, retryAfter = 0 } = reply
      // Repeats a request that is idempotent or was not sent, unless the sidecar has ended with the pod.
      if (once || (unsent && state.ending && !retryAfter) || !(unsent || (isSafe(operation) && isPassing(error!))))
        throw error!
      await timers.sleep(signal, Math.max(retryAfter, pacing.backoff(failures)))
    }
  }
}
