import type { GameServer } from '../../protocol/game-server.js'
import { type Operation, operations } from '../../protocol/operations.js'
import { crossOriginHint, isSafe, type JsonObject, type Reply } from '../answers.js'
import { SidecarError } from '../errors.js'
import { own } from '../game-server.js'
import { host } from '../host.js'
import { requestInit, type SendHttp } from '../http.js'
import type { AbortSignalLike, ClientOptions, FetchInit } from '../option-types.js'
import { type Call, failedReply, type Request, urlOf } from '../requests.js'
import { follow, wait } from '../signals.js'
import type { Pacing, Timers } from '../timers.js'
import type { OpenWatch } from '../transports.js'

/**
 * Does what a page of another origin can still do (docs/internals/adr/direct-mode.md). The page can read no answer, but
 * the watch's WebSocket opens, and requests without a preflight arrive.
 */
export interface DirectMode {
  /** Direct mode never ends once it has begun. */
  readonly isActive: boolean
  /** Makes an attempt in the current mode. */
  readonly request: Request
  /** The error for an operation that every browser sends to another origin only after a preflight. */
  refuse(operation: string): SidecarError | undefined
  /** The current form of a POST without fields. */
  postInit(): FetchInit
}

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

/** @param readable attempts that read their answers */
export function createDirectMode(
  crossOrigin: ClientOptions['crossOrigin'],
  readable: Request,
  baseUrl: string,
  http: SendHttp,
  openWebSocket: OpenWatch,
  timers: Timers,
  { turn }: Pacing,
): DirectMode {
  const blind = createBlindRequest(baseUrl, http, openWebSocket, timers, turn)
  /** The time from which a refused page may probe again, and the error that its calls get until then. */
  let refusedUntil = 0
  let refusal: Reply

  /** Whether the latest attempt to read an answer found one. */
  let isThere = false

  /** Whether this is a page, or a page's worker, whose origin isn't the sidecar's. */
  function isForeign(): boolean {
    const { location } = host()
    return !!location && !`${baseUrl}/`.startsWith(`${location.origin || ''}/`)
  }

  /** Whether the attempt got no answer, for a reason that browsers hide. */
  const isKept = ({ answered, error }: Reply): boolean =>
    isForeign() && answered === false && error!.code === 'UNAVAILABLE'

  const refuseWith = (summary: string, cause?: unknown): SidecarError =>
    new SidecarError('CROSS_ORIGIN', summary, { hint: crossOriginHint(), cause })

  const mode = {
    isActive: crossOrigin === 'direct',

    postInit: () => (mode.isActive ? blindInit : requestInit)('POST', '{}'),

    refuse: (operation: string) =>
      mode.isActive && /^(set|update)/.test(operation)
        ? refuseWith('A browser does not send this to another origin')
        : undefined,

    async request(parent: AbortSignalLike, call: Call): Promise<Reply> {
      if (mode.isActive) {
        const error = mode.refuse(call.operation)
        return error ? { error } : blind(parent, call)
      }
      // Browsers log each attempt of a refused page to the console.
      if (timers.now() < refusedUntil) return refusal
      // Read first: a write that the browser blocks tells nothing about the sidecar.
      const read: Call = { operation: 'getGameServer', timeout: call.timeout }
      const attempt = isThere || isSafe(call.operation) || !isForeign() ? call : read
      let reply = await readable(parent, attempt)
      // A `no-cors` read distinguishes a refused connection from an answer that the browser hides from this page.
      const found = isKept(reply) && (await blind(parent, read))
      if (found && found.answered) {
        // The sidecar may have begun to listen between both reads.
        reply = await readable(parent, attempt)
        if (isKept(reply)) {
          if (found.body && crossOrigin !== 'never') mode.isActive = true
          if (mode.isActive) return mode.request(parent, call)
          refusedUntil = timers.now() + VERDICT_HOLDS
          const error = refuseWith(`${baseUrl} answers, but not to a page of another origin`, reply.error!.cause)
          return (refusal = { answered: false, error })
        }
      }
      isThere = !!reply.answered
      if (attempt === call) return reply
      return reply.error ? Object.assign(reply, { unsent: reply.answered === false }) : mode.request(parent, call)
    },
  }
  return mode
}

/**
 * Sends requests whose answers nobody reads. Reads take the first object of a new WebSocket, which
 * a page of any origin may open. A change of a list is answered with the list as it was before.
 */
function createBlindRequest(
  baseUrl: string,
  http: SendHttp,
  openWebSocket: OpenWatch,
  timers: Timers,
  turn: Pacing['turn'],
): Request {
  /** Whether the latest attempt found somebody. */
  let isThere = false

  async function read(signal: AbortSignalLike): Promise<GameServer> {
    if (!isThere) {
      // Some browsers delay a WebSocket after a failed one. So a request first checks whether the sidecar is there.
      await turn(signal)
      await http(signal, urlOf(baseUrl, 'getGameServer'), blindInit('GET'))
      isThere = true
    }
    const ignore = (): void => {}
    return wait(signal, (resolve, reject) => {
      const task = follow(signal)
      openWebSocket(task.signal, { onGameServer: resolve, onOpen: ignore, onProblem: ignore }).then(null, reject)
      return () => task.abort(new SidecarError('ABORTED', 'Read'))
    })
  }

  return async (parent, call) => {
    const { operation, name, body = {} } = call
    const [method, , shape] = operations[operation] as Operation
    let unread = false
    try {
      return await timers.within(
        call.timeout,
        async (signal) => {
          const gameServer = !shape || name ? await read(signal) : undefined
          const found = (name ? resourceIn(gameServer!, call) : gameServer) ?? {}
          unread = !!shape
          if (shape) await http(signal, urlOf(baseUrl, operation, name), blindInit(method, JSON.stringify(body)))
          isThere = true
          return { body: found as JsonObject, answered: true, unread }
        },
        parent,
      )
    } catch (cause) {
      const failed = failedReply(baseUrl, parent, cause, unread && !isSafe(operation))
      const answered = isThere
      isThere = false
      return unread || failed.answered !== false ? failed : Object.assign(failed, { answered, unsent: true })
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
  const found: { values?: unknown } | undefined = own<object>(status[`${kind}s`], key)
  if (!found) throw new SidecarError('NOT_FOUND', `There is no ${kind} "${key}"`)
  const { value } = (body ?? {}) as { value?: string }
  const isHeld = Array.isArray(found.values) && found.values.includes(value)
  if (value !== undefined && isHeld === (operation === 'addListValue'))
    throw new SidecarError(
      isHeld ? 'ALREADY_EXISTS' : 'NOT_FOUND',
      `The list "${key}" ${isHeld ? 'already holds' : 'does not hold'} "${value}"`,
    )
  return found
}
