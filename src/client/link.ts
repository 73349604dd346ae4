import type { GameServer } from '../protocol/game-server.js'
import { operations, type Operation, type OperationName } from '../protocol/operations.js'
import { isGameServer } from '../watch/order.js'
import { errorOfAnswer, parseObject } from './answer.js'
import type { Core } from './core.js'
import { isForeign, isOpaque, look, readByWatch, refuseIfDirect } from './direct.js'
import { checkLength, fail, isSidecarError, type SidecarError } from './errors.js'
import { exchange, parseRetryAfter, requestInit } from './http.js'
import { backoff } from './retry.js'
import { createScope, type Scope } from './scope.js'

/** ms that a GET may take which only asks whether the sidecar is there: a dead one is to be noticed within 15 s. */
const probeTimeout = 4000
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
  _up?: boolean
  /** No answer can be read, but the watch's WebSocket opens: this page is of another origin. Never ends once it is so. */
  _direct: boolean
  /**
   * One attempt, without retry. Resolves with the JSON object that a good answer holds. `via`: what else carries it;
   * `again`: that no answer could be read although somebody is there has been seen once before.
   */
  _attempt(
    parent: Scope,
    operation: OperationName,
    timeout: number,
    body?: object,
    name?: string,
    via?: typeof exchange,
    again?: boolean,
  ): Promise<Record<string, unknown>>
  /** Asks for the GameServer, to see whether anybody answers. */
  _probe(scope: Scope): Promise<GameServer>
  /** Runs something until it succeeds or an error isn't worth `again`, with a pause in between. */
  _retry<T>(scope: Scope, run: () => Promise<T>, again: (error: AttemptError) => boolean): Promise<T>
  /** Resolves when the sidecar answers: at once, or after a search that all who wait share. */
  _whenUp(scope: Scope): Promise<void>
  /** `beaten`: a beat has just told. */
  _setUp(up: boolean, reason?: SidecarError, beaten?: boolean): void
  /** Waits for a turn to dial. */
  _turn(scope: Scope): Promise<void>
}

/** Whether it makes no difference if an operation is carried out twice. */
export function isSafe(operation: OperationName): boolean {
  return operations[operation][0] === 'GET' || operation === 'health'
}

/** Whether a later attempt may fare better. */
export function isPassing({ code }: SidecarError): boolean {
  return code === 'UNAVAILABLE' || code === 'TIMEOUT'
}

export function createLink(core: Core): Link {
  let nextDial = 0
  let searching: Scope | undefined
  const waiting = new Map<Scope, (value: void) => void>()

  const link: Link = {
    _direct: core.crossOrigin === 'direct',
    async _attempt(parent, operation, timeout, body, name, via = exchange, again) {
      if (parent._reason) throw parent._reason
      const scope = createScope(parent, parent._operation || operation)
      core._limit(scope, timeout)
      const [method, path, shape] = operations[operation] as Operation
      const url = core._baseUrl + path.replace('{key}', () => name!)
      const { _direct: direct } = core
      let object: Record<string, unknown> | undefined
      /** It may be carried out though no answer comes, and that would make a difference. */
      let risky: boolean | undefined
      let text = ''
      try {
        refuseIfDirect(core, scope)
        if (direct) object = await look(core, scope, operation, name, body)
        if (!direct || shape) {
          risky = !isSafe(operation)
          await via(core, scope, url, requestInit(method, shape && JSON.stringify(body || shape), direct), (piece) => {
            text += piece
            checkLength(core.limits, 'body', text, scope)
          })
        }
      } catch (cause) {
        const known = isSidecarError(cause)
        if (known ? !isPassing(cause) : parent._reason) throw cause
        const refused = wasRefused(cause)
        let error: AttemptError | undefined
        if (risky && !refused) error = fail('UNKNOWN_OUTCOME', 'No answer to what was sent', scope, undefined, cause)
        // Where direct mode has begun meanwhile, it was not sent that way.
        else if (known || direct || !core._direct) error = known ? cause : await explain(scope, cause, again)
        if (!error) return link._attempt(parent, operation, timeout, body, name, undefined, true)
        // `localhost` may not resolve, or lead to an address where nobody listens.
        if (refused && core._anyLoopback)
          core._baseUrl = core._baseUrl.replace(/localhost|127[.\d]+/, (name) =>
            name === 'localhost' ? '127.0.0.1' : 'localhost',
          )
        error._refused = refused || (!risky && !isSafe(operation))
        if (!parent._reason) core._setUp(false, error)
        throw error
      } finally {
        scope._end()
      }
      object = object || parseObject(text)
      let error: AttemptError | undefined
      if (!object || (!direct && scope._status !== 200)) {
        // The sidecar's own word, and the gateway's, for a request that reached nobody.
        const refused = !!object && object.code === 14
        // A gateway that got no answer can't know what has become of a write.
        const unknown = risky && !refused && /50[24]/.test('' + scope._status)
        error = errorOfAnswer(scope, text, unknown ? 'UNKNOWN_OUTCOME' : undefined)
        error._refused = refused
      }
      if (!error || error.code !== 'UNAVAILABLE') core._setUp(true, undefined, operation === 'health')
      if (!error && operation === 'getGameServer') {
        // Beside a watch, which may have told of a later state, only the first read counts.
        if (!isGameServer(object)) error = fail('PROTOCOL', 'Not a GameServer', scope)
        else if (!core._last || !core._isWatching()) core._offer(object)
      }
      if (!error) return object!
      error._retryAfter = parseRetryAfter(scope._header!('Retry-After'))
      throw error
    },

    _probe: (scope) => link._attempt(scope, 'getGameServer', probeTimeout) as Promise<object> as Promise<GameServer>,

    async _retry(scope, run, again) {
      for (let attempt = 0; ; attempt++)
        try {
          return await run()
        } catch (error) {
          if (!again(error as AttemptError)) throw error
          await core._sleep(scope, Math.max((error as AttemptError)._retryAfter || 0, backoff(core, attempt)))
        }
    },

    _whenUp: (scope) =>
      scope._wait((wait, resolve) => {
        if (core._up) return resolve()
        waiting.set(wait, resolve)
        wait._onEnd(() => {
          waiting.delete(wait)
          // Nobody waits any more: nothing may go on dialling.
          if (!waiting.size && searching) searching._end()
        })
        if (!searching) search()
      }),

    _setUp(up, reason, beaten) {
      const isBack = up && !core._up
      core._up = up
      // A watch speaks for itself.
      if (!core._isWatching() && (isBack || !up))
        core._setConnection(up ? 'connected' : undefined, undefined, reason && reason.message)
      if (!up) return
      waiting.forEach((resolve) => resolve())
      if (isBack && !beaten && core._healthy === false && core._beatNow) core._beatNow()
    },

    async _turn(scope) {
      const now = core._now()
      nextDial = Math.max(now, nextDial + dialSpacing)
      if (nextDial > now) await core._sleep(scope, nextDial - now)
    },
  }

  /** Asks until somebody answers, or until the last one who waits has gone. */
  function search(): void {
    const scope = (searching = createScope(core._scope))
    scope._onEnd(() => (searching = undefined))
    link
      ._retry(
        scope,
        () => link._turn(scope).then(() => link._probe(scope)),
        (error) => {
          // A search that was given up has nothing to tell those who have begun to wait since.
          if (!scope._reason && !isPassing(error)) waiting.forEach((_, wait) => wait._end(error))
          return true
        },
      )
      .then(null, () => {})
  }

  /**
   * A page can't tell a refused connection from an answer it may not read; a request it need not read can. Nothing, where
   * that is how direct mode has begun, or where it may have begun to listen only between the two.
   */
  async function explain(scope: Scope, cause: unknown, again?: boolean): Promise<SidecarError | undefined> {
    let there
    try {
      there = !core._direct && isForeign(core) && (await isOpaque(core, scope))
      if (there && !again) return
      if (there && core.crossOrigin !== 'never') {
        await readByWatch(core, scope)
        core._direct = true
        return
      }
    } catch {
      // Nobody there, or no watch.
    }
    const message = 'No answer from ' + core._baseUrl
    return there
      ? fail('CROSS_ORIGIN', message + ' to another origin', scope, undefined, cause)
      : fail('UNAVAILABLE', message, scope, undefined, cause)
  }

  return link
}

/** Whether nobody can have received the request. Each runtime says so in its own words; browsers say nothing. */
function wasRefused(error: unknown, depth = 0): boolean {
  const { code, message, cause } = (error || {}) as Record<string, unknown>
  return (
    /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i.test(code + ' ' + message) ||
    (!!cause && depth < 4 && wasRefused(cause, depth + 1))
  )
}
