import type { GameServer, ListStatus } from '../../protocol/game-server.js'
import { type Operation, operations } from '../../protocol/operations.js'
import type { FindOutcome } from '../calls.js'
import { SidecarError, type SidecarErrorCode } from '../errors.js'
import { type FetchInit, globals } from '../globals.js'
import { requestInit } from '../http.js'
import type { ClientOptions } from '../options.js'
import {
  type Access,
  type Call,
  type Failure,
  failedReply,
  isSafe,
  type JsonObject,
  ONE_ORIGIN,
  type Reply,
  type Request,
  urlOf,
} from '../request.js'
import { own } from '../state.js'
import { follow, type Task, type Time } from '../time.js'
import type { OpenWatch } from '../transports.js'
import type { Watch } from '../watch.js'

/** ms until a refused page probes again, which takes four requests. */
const VERDICT_HOLDS = 10000

/**
 * The only form of request that a browser sends to another origin without a
 * preflight. The page sees only that an answer came.
 */
const blindInit = (method: string, body?: string): FetchInit =>
  Object.assign(requestInit(method, body), {
    headers: { 'Content-Type': 'text/plain' },
    redirect: 'follow',
    mode: 'no-cors',
  } as const)

/** The current form of a POST without fields. */
export const postInit = ({ isDirect }: Access): FetchInit => (isDirect ? blindInit : requestInit)('POST', '{}')

/**
 * Does what a page of another origin can still do (docs/internals/adr/direct-mode.md). The page can read no answer, but
 * the watch's WebSocket opens, and requests without a preflight arrive.
 *
 * @param readable attempts that read their answers
 */
export function createDirectMode(
  readable: Access,
  crossOrigin: ClientOptions['crossOrigin'],
  openWebSocket: OpenWatch,
  time: Time,
): Access {
  const { baseUrl } = readable
  const blind = createBlindRequest(readable, openWebSocket, time)
  /** The time from which a refused page may probe again, and the error that its calls get until then. */
  let refusedUntil = 0
  let refusal: Reply

  /** Whether the latest attempt to read an answer found one. */
  let isThere = false

  /** Whether this is a page, or a page's worker, whose origin isn't the sidecar's. */
  function isForeign(): boolean {
    const { location } = globals()
    return !!location && !`${baseUrl}/`.startsWith(`${location.origin || ''}/`)
  }

  /** Whether the attempt got no answer, for a reason that browsers hide. */
  const isKept = (reply: Reply): reply is Failure =>
    isForeign() && reply.answered === false && reply.error.code === 'UNAVAILABLE'

  const refuseWith = (summary: string, cause?: unknown): SidecarError =>
    new SidecarError('CROSS_ORIGIN', summary, { hint: ONE_ORIGIN, cause })

  const mode = Object.assign({}, readable, {
    isDirect: crossOrigin === 'direct',

    refuse: (operation: string) =>
      mode.isDirect && /^(set|update)/.test(operation)
        ? refuseWith('A browser does not send this to another origin')
        : undefined,

    async request(task: Task, call: Call): Promise<Reply> {
      if (mode.isDirect) {
        const error = mode.refuse(call.operation)
        return error ? { error } : blind(task, call)
      }
      // Browsers log each attempt of a refused page to the console.
      if (time.now() < refusedUntil) return refusal
      // Read first: a write that the browser blocks tells nothing about the sidecar.
      const read: Call = { operation: 'getGameServer', timeout: call.timeout }
      const attempt = isThere || isSafe(call.operation) || !isForeign() ? call : read
      let reply = await readable.request(task, attempt)
      // A `no-cors` read distinguishes a refused connection from an answer that the browser hides from this page.
      const found = isKept(reply) && (await blind(task, read))
      if (found && found.answered) {
        // The sidecar may have begun to listen between both reads.
        reply = await readable.request(task, attempt)
        if (isKept(reply)) {
          if (found.body && crossOrigin !== 'never') mode.isDirect = true
          if (mode.isDirect) return mode.request(task, call)
          refusedUntil = time.now() + VERDICT_HOLDS
          const error = refuseWith(`${baseUrl} answers, but not to a page of another origin`, reply.error.cause)
          return (refusal = { answered: false, error })
        }
      }
      isThere = !!reply.answered
      if (attempt === call) return reply
      return reply.error ? Object.assign(reply, { unsent: reply.answered === false }) : mode.request(task, call)
    },
  })
  return mode
}

/**
 * Sends requests whose answers nobody reads. Reads take the first object of a new WebSocket, which
 * a page of any origin may open. A change of a list is answered with the list as it was before.
 */
function createBlindRequest({ baseUrl, http }: Access, openWebSocket: OpenWatch, time: Time): Request {
  /** Whether the latest probe reached a sidecar. */
  let isThere = false

  const ignore = (): void => {}

  const post = (task: Task, url: string, init: FetchInit): Promise<unknown> =>
    time.wait(task, (resolve, reject) =>
      http(url, init, { onHead: ignore, onText: ignore, onEnd: () => resolve(undefined), onError: reject }),
    )

  async function read(task: Task): Promise<GameServer> {
    if (!isThere) {
      // Some browsers delay a WebSocket after a failed one. So a request first checks whether the sidecar is there.
      await post(task, urlOf(baseUrl, 'getGameServer'), blindInit('GET'))
      isThere = true
    }
    return time.wait(task, (resolve, reject) => {
      const link = follow(task)
      openWebSocket(link, { onGameServer: resolve, onOpen: ignore, onProblem: ignore }).then(null, reject)
      return () => link.abort(new SidecarError('ABORTED', 'Read'))
    })
  }

  return async (task, call) => {
    const { operation, name, body = {}, timeout } = call
    const [method, , shape] = operations[operation] as Operation
    const attempt = follow(task)
    attempt.limit = timeout
    attempt.deadline = Math.min(time.now() + timeout, task.deadline ?? Infinity)
    let unread = false
    try {
      const gameServer = !shape || name ? await read(attempt) : undefined
      const found = (name ? resourceIn(gameServer!, call) : gameServer) ?? {}
      unread = !!shape
      if (shape) await post(attempt, urlOf(baseUrl, operation, name), blindInit(method, JSON.stringify(body)))
      isThere = true
      return { body: found as JsonObject, answered: true, unread }
    } catch (cause) {
      const failed = failedReply(baseUrl, task, cause, unread && !isSafe(operation))
      const answered = isThere
      isThere = false
      return unread || failed.answered !== false ? failed : Object.assign(failed, { answered, unsent: true })
    } finally {
      attempt.release()
    }
  }
}

/**
 * The counter or list of a call.
 *
 * @throws SidecarError the error that the sidecar would give, if it can be predicted
 */
function resourceIn({ status }: GameServer, { operation, name, body }: Call): object {
  const kind = /List/.test(operation) ? 'list' : 'counter'
  const key = decodeURIComponent(name!)
  const found = own<object>(status[`${kind}s`], key)
  if (!found) throw new SidecarError('NOT_FOUND', `There is no ${kind} "${key}"`)
  const { value } = (body ?? {}) as { value?: string }
  if (value === undefined) return found
  const refuse = (code: SidecarErrorCode, problem: string): never => {
    throw new SidecarError(code, `The list "${key}" ${problem}`)
  }
  const { capacity, values } = found as ListStatus
  const isHeld = Array.isArray(values) && values.includes(value)
  if (operation !== 'addListValue') return isHeld ? found : refuse('NOT_FOUND', `does not hold "${value}"`)
  if (isHeld) refuse('ALREADY_EXISTS', `already holds "${value}"`)
  return values && values.length >= Number(capacity) ? refuse('OUT_OF_RANGE', 'is full') : found
}

/** ms within which the watch should show a write. */
const DEADLINE = 3000

/** Waits until the watch shows a write in a later object: no answer tells what became of it. */
export const createFindOutcome =
  (watch: Watch): FindOutcome =>
  async (task, before, isShown, ask) => {
    // If the GameServer had the state before the write, the watch can't show the write's effect.
    if (before && isShown(before)) return 'sent'
    const shown = watch.until(task, (gameServer) => gameServer !== before && isShown(gameServer), DEADLINE)
    if (ask) void watch.verify()
    return shown.then(
      () => 'confirmed',
      (error: unknown) => {
        // Whatever ended this wait, the write was sent.
        if (task.aborted && (error as SidecarError).code !== 'TIMEOUT') throw error
        return 'sent'
      },
    )
  }
