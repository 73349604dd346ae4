import { operations, type Operation, type OperationName } from '../../protocol/operations.js'
import { checkLength, isPassing, isSidecarError, SidecarError, toSidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import { interpretAnswer, isSafe, type Attempted } from './answer.js'
import type { Endpoint } from './endpoint.js'
import { requestInit, type SendHttp } from './exchange.js'

export interface Call {
  readonly operation: OperationName
  readonly body?: object | undefined
  /** The encoded name of a counter or list, with a query behind it if there is one. */
  readonly name?: string | undefined
  /** ms */
  readonly timeout: number
}

/** One attempt, without retry. Throws only when the scope has ended, and then its reason. */
export type Attempt = (parent: Scope, call: Call, send?: SendHttp) => Promise<Attempted>

/**
 * Attempts that read their answers.
 * @param limit characters of a body
 */
export function createAttempt(endpoint: Endpoint, http: SendHttp, timers: Timers, limit: number): Attempt {
  return async (parent, { operation, body = {}, name, timeout }, send = http) => {
    parent.throwIfEnded()
    const scope = new Scope(parent)
    timers.limit(scope, timeout)
    const [method, , shape] = operations[operation] as Operation
    try {
      const init = requestInit(method, shape && JSON.stringify(body))
      const response = await send(scope, urlOf(endpoint, operation, name), init)
      let text = ''
      await response.read((piece) => {
        text += piece
        checkLength(text, limit, 'body')
      })
      return interpretAnswer(operation, response.status, response.header, text)
    } catch (cause) {
      return failedAttempt(endpoint, parent, cause, !isSafe(operation))
    } finally {
      scope.end()
    }
  }
}

export function urlOf(endpoint: Endpoint, operation: OperationName, name?: string): string {
  return endpoint.baseUrl + operations[operation][1].replace('{key}', () => name!)
}

/**
 * Interprets an attempt that got no answer.
 * @param risky the request may have been carried out, and doing it again would make a difference
 */
export function failedAttempt(endpoint: Endpoint, parent: Scope, cause: unknown, risky: boolean): Attempted {
  const known = isSidecarError(cause)
  // The caller has given up, or this can't be mended by trying again.
  if (known && !isPassing(cause)) {
    parent.throwIfEnded()
    return { error: cause }
  }
  const refused = wasRefused(cause)
  if (refused) endpoint.onRefused()
  const error =
    risky && !refused
      ? new SidecarError('UNKNOWN_OUTCOME', 'No answer to a request that was sent', { cause })
      : toSidecarError(cause, 'UNAVAILABLE', `No answer from ${endpoint.baseUrl}`, endpoint.hint())
  return { error, answered: parent.reason ? undefined : false, unsent: refused }
}

/** Whether nobody can have received the request. Each runtime says so in its own words; browsers say nothing. */
function wasRefused(error: unknown, depth = 0): boolean {
  const { code, message, cause } = Object(error) as Record<string, unknown>
  return (
    [code, message].some((text) => typeof text === 'string' && REFUSED.test(text)) ||
    (!!cause && depth < 4 && wasRefused(cause, depth + 1))
  )
}

const REFUSED = /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i
