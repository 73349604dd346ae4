import { operations, type Operation, type OperationName } from '../protocol/operations.js'
import { interpretAnswer, isSafe, type Reply } from './answers.js'
import { checkLength, isPassing, isSidecarError, SidecarError, toSidecarError } from './errors.js'
import { requestInit, type SendHttp } from './http.js'
import { throwIfAborted } from './signals.js'
import type { Timers } from './timers.js'
import type { AbortSignalLike } from './option-types.js'

export interface Call {
  readonly operation: OperationName
  readonly body?: object | undefined
  /** The encoded name of a counter or list, with a query behind it if there is one. */
  readonly name?: string | undefined
  /** ms */
  readonly timeout: number
}

/** One attempt, without retry. Throws only the signal's reason, once the signal has aborted. */
export type Request = (parent: AbortSignalLike, call: Call) => Promise<Reply>

/**
 * Requests whose answers are read.
 *
 * @param limit characters of a body
 */
export function createRequest(baseUrl: string, http: SendHttp, timers: Timers, limit: number): Request {
  return async (parent, { operation, body = {}, name, timeout }) => {
    throwIfAborted(parent)
    const [method, , shape] = operations[operation] as Operation
    try {
      return await timers.within(
        timeout,
        async (signal) => {
          const init = requestInit(method, shape && JSON.stringify(body))
          const response = await http(signal, urlOf(baseUrl, operation, name), init)
          let text = ''
          await response.read((piece) => {
            text += piece
            checkLength(text, limit, 'body')
          })
          return interpretAnswer(operation, response.status, text, response.header('Retry-After'))
        },
        parent,
      )
    } catch (cause) {
      return failedReply(baseUrl, parent, cause, !isSafe(operation))
    }
  }
}

export function urlOf(baseUrl: string, operation: OperationName, name?: string): string {
  return baseUrl + operations[operation][1].replace('{key}', () => name!)
}

/**
 * Interprets an attempt that got no answer.
 *
 * @param isRisky the request isn't idempotent and may have been carried out
 */
export function failedReply(baseUrl: string, parent: AbortSignalLike, cause: unknown, isRisky: boolean): Reply {
  // The caller has given up, or a retry can't help.
  if (isSidecarError(cause) && !isPassing(cause)) {
    throwIfAborted(parent)
    return { error: cause }
  }
  const unsent = wasRefused(cause)
  const error =
    isRisky && !unsent
      ? new SidecarError('UNKNOWN_OUTCOME', 'No answer to a request that was sent', { cause })
      : toSidecarError(cause, 'UNAVAILABLE', 'No answer from ' + baseUrl)
  return { error, answered: parent.aborted ? undefined : false, unsent }
}

/** Whether the request was certainly not received. Each runtime words this differently; browsers don't tell. */
function wasRefused(error: unknown, depth = 0): boolean {
  const { code, message, cause } = Object(error) as Record<string, unknown>
  return REFUSED.test(`${String(code)} ${String(message)}`) || (!!cause && depth < 4 && wasRefused(cause, depth + 1))
}

const REFUSED = /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i
