import type { OperationName } from '../../protocol/operations.js'
import { isSafe, type JsonObject } from '../connection/answer.js'
import type { Endpoint } from '../connection/endpoint.js'
import type { Pacing } from '../connection/pacing.js'
import type { Reachability } from '../connection/reachability.js'
import { isPassing } from '../runtime/errors.js'
import type { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { ResolvedOptions } from '../options.js'

export interface Answer {
  readonly body: JsonObject
  /** This page couldn't read the answer: `body` is what the watch showed before. */
  readonly unread: boolean
}

/**
 * Sends an operation, again where that is safe, until it is answered.
 * @param name the encoded name of a counter or list
 * @throws SidecarError what the answer says, or that none came
 */
export type Send = (scope: Scope, operation: OperationName, body?: object, name?: string) => Promise<Answer>

/** @param options `timeout` in ms for one attempt, and whether a call has but `once` attempt */
export function createSend(
  timers: Timers,
  pacing: Pacing,
  endpoint: Endpoint,
  reachability: Reachability,
  { timeout, once }: Pick<ResolvedOptions, 'timeout' | 'once'>,
): Send {
  async function prepare(scope: Scope, operation: OperationName): Promise<void> {
    if (reachability.isUp) return
    if (!once) await reachability.whenUp(scope)
    // Nothing is learnt from a write that a browser keeps from another origin: so a read goes first.
    else if (!isSafe(operation) && endpoint.isForeign()) await reachability.probe(scope)
  }

  return async (scope, operation, body, name) => {
    for (let failures = 0; ; failures++) {
      await prepare(scope, operation)
      const attempted = await reachability.attempt(scope, { operation, body, name, timeout })
      if (attempted.body) return { body: attempted.body, unread: !!attempted.unread }
      const { error, unsent, retryAfter = 0 } = attempted
      // Only what can't be done twice by it is sent again, and only where that may help.
      if (once || !(unsent || (isSafe(operation) && isPassing(error!)))) throw error!
      await timers.sleep(scope, Math.max(retryAfter, pacing.backoff(failures)))
    }
  }
}
