import type { OperationName } from '../../protocol/operations.js'
import { isSafe, type Attempted, type JsonObject } from '../connection/answer.js'
import type { Backoff } from '../connection/backoff.js'
import type { Endpoint } from '../connection/endpoint.js'
import type { Reachability } from '../connection/reachability.js'
import { isPassing } from '../runtime/errors.js'
import type { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'

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

interface Parts {
  readonly timers: Timers
  readonly backoff: Backoff
  readonly endpoint: Endpoint
  readonly reachability: Reachability
  /** ms for one attempt */
  readonly timeout: number
  /** One attempt a call. */
  readonly once: boolean
}

export function createSend({ timers, backoff, endpoint, reachability, timeout, once }: Parts): Send {
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
      if (once || !isWorthRepeating(operation, attempted)) throw attempted.error!
      await timers.sleep(scope, Math.max(attempted.retryAfter ?? 0, backoff(failures)))
    }
  }
}

/** An operation is sent again only if that can't carry it out twice, and if it may help. */
function isWorthRepeating(operation: OperationName, { error, unsent }: Attempted): boolean {
  return !!unsent || (isSafe(operation) && isPassing(error!))
}
