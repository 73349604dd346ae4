import { operations, type OperationName } from '../protocol/operations.js'
import { errorOfAnswer, parseObject } from './answer.js'
import { fail, isSidecarError, type SidecarError } from './errors.js'
import { host, pick } from './host.js'
import { exchange, parseRetryAfter } from './http.js'
import type { Location } from './location.js'
import { backoff } from './retry.js'
import { createScope, type Scope } from './scope.js'
import type { Timers } from './timers.js'
import type { ResolvedOptions } from './options.js'

/** ms that a GET may take which only asks whether the sidecar is there; well below the 15 s in which a dead one is noticed. */
export const probeTimeout = 4000
/** ms between two dials that this package decides on by itself. */
const dialSpacing = 110

/** An error of one attempt, and what may be done about it. */
export interface AttemptError extends SidecarError {
  /** The request can't have arrived. */
  _refused?: boolean
  _retryAfter?: number
}

export interface Link {
  /** Whether the last exchange got an answer. */
  _up: boolean
  _url(path: string): string
  /** One attempt, without retry. Resolves with the JSON object that a good answer holds. */
  _attempt(
    scope: Scope,
    operation: OperationName,
    timeout: number,
    path?: string,
    body?: string,
  ): Promise<Record<string, unknown>>
  /** Resolves when the sidecar answers: at once, or after a search that all who wait share. */
  _whenUp(scope: Scope): Promise<void>
  _setUp(up: boolean, reason?: SidecarError): void
  /** Waits for a turn to dial. */
  _turn(scope: Scope): Promise<void>
}

/** Whether it makes no difference if an operation is carried out twice. */
export function isSafe(operation: OperationName): boolean {
  return operations[operation][0] === 'GET' || operation === 'health'
}

/** Whether a later attempt may fare better. */
export function isPassing(error: unknown): boolean {
  const { code } = error as SidecarError
  return code === 'UNAVAILABLE' || code === 'TIMEOUT'
}

export function createLink(
  options: ResolvedOptions,
  location: Location,
  timers: Timers,
  clientScope: Scope,
  onUp: () => void,
  onDown: (reason: SidecarError | undefined) => void,
  onRead: (value: unknown) => void,
): Link {
  let baseUrl = location._baseUrl
  let nextDial = 0
  let searching: Scope | undefined
  const waiting = new Set<(error?: unknown) => void>()

  const link: Link = {
    _up: false,
    _url: (path) => baseUrl + path,

    async _attempt(parent, operation, timeout, path = operations[operation][1], body) {
      const scope = createScope(parent)
      let status = 0
      let retryAfter = 0
      let text = ''
      scope._onEnd(
        timers._after(timeout, () => scope._end(fail('TIMEOUT', 'No answer within ' + timeout + ' ms', operation))),
      )
      try {
        await exchange(
          options,
          scope,
          operations[operation][0],
          baseUrl + path,
          body,
          (code, header) => {
            status = code
            retryAfter = parseRetryAfter(header('Retry-After'))
          },
          (piece) => {
            text += piece
            if (text.length > options.limits.body)
              throw fail('LIMIT', 'The answer is too long', operation, undefined, 'Raise limits.body.')
          },
        )
      } catch (cause) {
        const expired = cause === scope._reason
        if (parent._reason !== undefined) throw cause
        if (isSidecarError(cause) && !expired)
          throw cause.operation ? cause : fail(cause.code, cause.message, operation, cause, cause.hint, status)
        const refused = !expired && wasRefused(cause)
        const error: AttemptError =
          !isSafe(operation) && !refused
            ? fail('UNKNOWN_OUTCOME', 'The connection was lost before the answer', operation, cause)
            : expired
              ? (cause as SidecarError)
              : await explain(scope, operation, cause)
        error._refused = refused
        // `localhost` may not resolve, or lead to an address where nobody listens.
        if (refused && location._anyLoopback)
          baseUrl = baseUrl.replace(/\/\/[^:]+/, (name) => (name === '//localhost' ? '//127.0.0.1' : '//localhost'))
        link._setUp(false, error)
        throw error
      } finally {
        scope._end(0)
      }
      const object = parseObject(text)
      const error: AttemptError | false = (status !== 200 || !object) && errorOfAnswer(operation, status, text)
      if (!error || error.code !== 'UNAVAILABLE') link._setUp(true)
      if (!error) return object!
      error._retryAfter = retryAfter
      throw error
    },

    _whenUp: (scope) =>
      scope._wait((resolve, reject) => {
        if (link._up) return resolve()
        const settle = (error?: unknown): void => (error ? reject(error) : resolve())
        waiting.add(settle)
        if (!searching) void search()
        return () => {
          waiting.delete(settle)
          // Nobody waits any more: nothing may go on dialling.
          if (!waiting.size && searching) searching._end(0)
        }
      }),

    _setUp(up, reason) {
      const changed = link._up !== up
      link._up = up
      if (!up) return onDown(reason)
      waiting.forEach((settle) => settle())
      if (changed) onUp()
    },

    async _turn(scope) {
      const now = timers._now()
      nextDial = Math.max(now, nextDial + dialSpacing)
      if (nextDial > now) await timers._sleep(scope, nextDial - now)
    },
  }

  async function search(): Promise<void> {
    const scope = (searching = createScope(clientScope))
    scope._onEnd(() => (searching = undefined))
    try {
      for (let attempt = 0; ; attempt++) {
        await link._turn(scope)
        let wait = 0
        try {
          onRead(await link._attempt(scope, 'getGameServer', probeTimeout))
        } catch (error) {
          wait = (error as AttemptError)._retryAfter || 0
          if (!isPassing(error)) waiting.forEach((settle) => settle(error))
        }
        await timers._sleep(scope, Math.max(wait, backoff(options, attempt)))
      }
    } catch {
      // The search ends only with its scope, when the last one who waits has gone.
    }
  }

  /** A page can't tell a refused connection from an answer it may not read; a request it need not read can. */
  async function explain(scope: Scope, operation: string, cause: unknown): Promise<SidecarError> {
    const { location: page, document } = host()
    if (document && page && (baseUrl + '/').indexOf(page.origin + '/'))
      try {
        const opaque = { mode: 'no-cors' } as never
        await scope._race(pick(options, 'fetch')!.call(host() as never, baseUrl + '/gameserver', opaque))
        return fail('CROSS_ORIGIN', 'The sidecar is there, but this page may not read it', operation, cause)
      } catch {
        // nobody there
      }
    return fail('UNAVAILABLE', 'No answer from ' + baseUrl, operation, cause)
  }

  return link
}

/** Whether nobody can have received the request. Each runtime says so in its own words; browsers say nothing. */
function wasRefused(error: unknown, depth = 0): boolean {
  const { code, message, cause, errors = [] } = (error || {}) as Record<string, unknown>
  return (
    /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i.test(code + ' ' + message) ||
    (depth < 4 && [cause].concat(errors).some((inner) => wasRefused(inner, depth + 1)))
  )
}
