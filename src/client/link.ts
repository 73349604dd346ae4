import { operations, type OperationName } from '../protocol/operations.js'
import { errorOfAnswer, parseObject } from './answer.js'
import { SidecarError } from './errors.js'
import { host } from './host.js'
import { exchange, parseRetryAfter, type Head } from './http.js'
import type { Location } from './location.js'
import { backoff } from './retry.js'
import { createScope, type Scope } from './scope.js'
import type { Timers } from './timers.js'
import type { ClientOptions, RetryPolicy } from './types.js'

/** ms that a GET may take which only asks whether the sidecar is there; well below the 15 s in which a dead one is noticed. */
export const probeTimeout = 4000
/** ms between two dials that this package decides on by itself. */
const dialSpacing = 110

/** An error of one attempt, and what may be done about it. */
export interface AttemptError extends SidecarError {
  /** The request can't have arrived. */
  _refused?: boolean
  _retryAfter?: number | undefined
}

export interface Link {
  /** Whether the last exchange got an answer. */
  readonly _up: boolean
  _url(path: string): string
  /** One attempt, without retry. Resolves with the JSON object that a good answer holds. */
  _attempt(
    scope: Scope,
    operation: OperationName,
    path: string,
    body?: string,
    timeout?: number,
  ): Promise<Record<string, unknown>>
  /** Resolves when the sidecar answers: at once, or after a search that all who wait share. */
  _whenUp(scope: Scope): Promise<void>
  _setUp(up: boolean, reason?: SidecarError): void
  /** Waits for a turn to dial. */
  _turn(scope: Scope): Promise<void>
}

export interface LinkEvents {
  _onUp(): void
  _onDown(reason: SidecarError | undefined): void
  /** What the search found on its way. */
  _onObject(value: Record<string, unknown>): void
}

export function createLink(
  options: ClientOptions,
  location: Location,
  policy: Required<RetryPolicy>,
  timers: Timers,
  random: () => number,
  clientScope: Scope,
  events: LinkEvents,
): Link {
  let baseUrl = location._baseUrl
  let nextDial = -Infinity
  let searching: Scope | undefined
  const waiting = new Set<(error?: unknown) => void>()
  const settleAll = (error?: unknown): void => waiting.forEach((settle) => settle(error))

  const link: Link & { _up: boolean } = {
    _up: false,
    _url: (path) => baseUrl + path,

    async _attempt(parent, operation, path, body, timeout = options.timeout ?? 10000) {
      const scope = createScope(parent)
      const limit = (options.limits && options.limits.body) ?? 16 * 1024 * 1024
      const safe = operations[operation][0] === 'GET' || operation === 'health'
      let head: Head | undefined
      let text = ''
      let expired = false
      const cancel = timers._after(timeout, () => {
        expired = true
        scope._end(new SidecarError('TIMEOUT', 'No answer within ' + timeout + ' ms', { operation }))
      })
      try {
        await exchange(options, scope, {
          _method: operations[operation][0],
          _url: link._url(path),
          _body: body,
          _onHead(it) {
            head = it
          },
          _onText(piece) {
            text += piece
            if (text.length > limit)
              throw new SidecarError('LIMIT', 'The answer is longer than ' + limit + ' characters', {
                operation,
                hint: 'Raise limits.body.',
              })
          },
        })
      } catch (cause) {
        if (parent._reason !== undefined || (cause instanceof SidecarError && !expired)) throw cause
        const refused = !expired && wasRefused(cause)
        const error: AttemptError =
          safe || refused
            ? expired
              ? (cause as SidecarError)
              : await explain(scope, operation, cause)
            : new SidecarError('UNKNOWN_OUTCOME', 'The connection was lost before the answer', { operation, cause })
        error._refused = refused
        // `localhost` may not resolve, or lead to an address where nobody listens.
        if (refused && location._anyLoopback) {
          const [from, to] = [/\/\/localhost:/, '//127.0.0.1:']
          baseUrl = from.test(baseUrl) ? baseUrl.replace(from, to) : baseUrl.replace(to, '//localhost:')
        }
        link._setUp(false, error)
        throw error
      } finally {
        cancel()
        scope._end(0)
      }
      const answer = head!
      const object = parseObject(text)
      if (answer._status === 200 && (object || !text)) {
        link._setUp(true)
        return object ?? {}
      }
      const error: AttemptError = errorOfAnswer(operation, answer._status, text)
      if (error.code === 'UNAVAILABLE') error._retryAfter = parseRetryAfter(answer._header('retry-after'))
      else link._setUp(true)
      throw error
    },

    _whenUp: (scope) =>
      link._up
        ? Promise.resolve()
        : scope._wait((resolve, reject) => {
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
      if (up) settleAll()
      if (!up) events._onDown(reason)
      else if (changed) events._onUp()
    },

    async _turn(scope) {
      const now = timers._now()
      const at = Math.max(now, nextDial)
      nextDial = at + dialSpacing
      if (at > now) await timers._sleep(scope, at - now)
    },
  }

  async function search(): Promise<void> {
    const scope = (searching = createScope(clientScope))
    try {
      for (let attempt = 0; ; attempt++) {
        await link._turn(scope)
        let wait = 0
        try {
          events._onObject(
            await link._attempt(scope, 'getGameServer', operations.getGameServer[1], undefined, probeTimeout),
          )
        } catch (error) {
          wait = (error as AttemptError)._retryAfter ?? 0
          if (!isPassing(error) && !link._up) settleAll(error)
        }
        await timers._sleep(scope, Math.max(wait, backoff(policy, attempt, random)))
      }
    } catch {
      // The search ends only with its scope, when the last one who waits has gone.
    }
    if (searching === scope) searching = undefined
  }

  /** A page can't tell a refused connection from an answer it may not read; a request it need not read can. */
  async function explain(scope: Scope, operation: string, cause: unknown): Promise<SidecarError> {
    const { location: page, document } = host()
    const send = options.fetch ?? host().fetch
    if (document && page && page.origin && send && baseUrl.indexOf(page.origin + '/') && baseUrl !== page.origin)
      try {
        const opaque = { method: 'GET', headers: {}, mode: 'no-cors', redirect: 'follow', cache: 'no-store' }
        await scope._wait((resolve, reject) => {
          void send.call(host() as never, link._url(operations.getGameServer[1]), opaque as never).then(resolve, reject)
        })
        return new SidecarError('CROSS_ORIGIN', 'The sidecar is there, but this page may not read it', { operation, cause })
      } catch {
        // nobody there
      }
    return new SidecarError('UNAVAILABLE', 'No answer from ' + baseUrl, { operation, cause })
  }

  return link
}

/** Whether a later attempt may fare better. */
export function isPassing(error: unknown): boolean {
  const { code } = error as SidecarError
  return code === 'UNAVAILABLE' || code === 'TIMEOUT'
}

/** Whether nobody can have received the request. Each runtime says so in its own words; browsers say nothing. */
function wasRefused(error: unknown, depth = 0): boolean {
  const { code, message, cause, errors } = (error ?? {}) as Record<string, unknown>
  return (
    /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i.test(code + ' ' + message) ||
    (depth < 4 && ([] as unknown[]).concat(cause ?? [], errors ?? []).some((inner) => wasRefused(inner, depth + 1)))
  )
}
