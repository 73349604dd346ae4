import { operations, type Operation, type OperationName } from '../protocol/operations.js'
import { interpretAnswer, isSafe, type Reply } from './answers.js'
import { checkLength, isPassing, isSidecarError, SidecarError, toSidecarError } from './errors.js'
import { requestInit, type SendHttp } from './http.js'
import type { Task, Time } from './time.js'

export interface Call {
  readonly operation: OperationName
  readonly body?: object | undefined
  /** The encoded name of a counter or list, with a query behind it if there is one. */
  readonly name?: string | undefined
  /** ms */
  readonly timeout: number
}

/** One attempt, without retry. Never rejects. */
export type Request = (task: Task, call: Call) => Promise<Reply>

/** How this host reaches the sidecar. */
export interface Access {
  /** The sidecar's address, without a slash at its end. */
  readonly baseUrl: string
  readonly http: SendHttp
  readonly request: Request
  /** Whether requests go out in direct mode, which never ends once it has begun. */
  readonly isDirect: boolean
  /** The error for an operation that can't be sent from here. */
  refuse(operation: string): SidecarError | undefined
}

export function createAccess(baseUrl: string, http: SendHttp, time: Time, limit: number): Access {
  return {
    baseUrl,
    http,
    isDirect: false,
    refuse: () => undefined,

    request: (task, { operation, body = {}, name, timeout }) => {
      const [method, , shape] = operations[operation] as Operation
      let status: number
      let retryAfter: string | null | undefined
      let text = ''
      return time
        .wait<Reply>(
          task,
          (resolve, reject) =>
            http(urlOf(baseUrl, operation, name), requestInit(method, shape && JSON.stringify(body)), {
              onHead(code, header) {
                status = code
                retryAfter = header('Retry-After')
              },
              onText(piece) {
                text += piece
                checkLength(text, limit, 'body')
              },
              onEnd: () => resolve(interpretAnswer(operation, status, text, retryAfter)),
              onError: reject,
            }),
          timeout,
        )
        .catch((cause: unknown) => failedReply(baseUrl, task, cause, !isSafe(operation)))
    },
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
export function failedReply(baseUrl: string, task: Task, cause: unknown, isRisky: boolean): Reply {
  // The caller has given up, or a retry can't help.
  if (isSidecarError(cause) && !isPassing(cause)) return { error: cause }
  const unsent = wasRefused(cause)
  const error =
    isRisky && !unsent
      ? new SidecarError('UNKNOWN_OUTCOME', 'No answer to a request that was sent', { cause })
      : toSidecarError(cause, 'UNAVAILABLE', 'No answer from ' + baseUrl)
  return { error, answered: task.aborted ? undefined : false, unsent }
}

/** Whether the request was certainly not received. Each runtime words this differently; browsers don't tell. */
function wasRefused(error: unknown, depth = 0): boolean {
  const { code, message, cause } = Object(error) as Record<string, unknown>
  return REFUSED.test(`${String(code)} ${String(message)}`) || (!!cause && depth < 4 && wasRefused(cause, depth + 1))
}

const REFUSED = /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i
