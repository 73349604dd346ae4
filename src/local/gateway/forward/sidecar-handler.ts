import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { OperationName } from '../../../protocol/operations.js'
import { readBody, TooLarge } from '../../http/read-body.js'
import { answerRefusal, forbidden, refusalLine, SAFE_HEADERS, unavailable, type Refusal } from '../../http/refusal.js'
import { allowOrigin, type Admission } from '../../http/request-guard.js'
import type { GatewaySettings } from '../gateway-options.js'
import { Access, findSidecarRoute, isForSidecar, type SidecarRoute } from './access.js'
import { relayWatch, Watches } from './watches.js'

export interface SidecarHandlerHooks {
  /** Resolves with the sidecar's URL, or with why there is none. */
  sidecar(): Promise<URL | Refusal>
  /** Called when a call is about to be forwarded. */
  readonly onCall?: ((operation: OperationName) => void) | undefined
  /** Called when a connection has become a watch's. */
  readonly onWatch?: (socket: Socket) => void
}

export interface ForwardedFigures {
  /** By operation and by `OK` or the HTTP status. */
  readonly calls: Record<string, Record<string, { count: number; seconds: number }>>
  readonly beats: { ok: number; failed: number }
  /** The last good beat, by `performance.now()`. */
  lastBeat: number | undefined
  readonly watches: Pick<Watches, 'connections' | 'reconnects'>
}

const WATCH: OperationName = 'watchGameServer'

/** Largest body that is taken; the real sidecar has the same limit. */
const MOST_BYTES = 4 * 1024 * 1024

/** Most milliseconds for a connection: the sidecar is on this machine. Clients hear of a failure within a second. */
const CONNECT_MS = 900

/** Milliseconds for which a call goes on after its client has left: a closing page doesn't wait for its calls' answers. */
const ABANDONED_MS = 500

/**
 * The headers of a request that the sidecar gets. All others concern the connection, are private to a page and its user,
 * or could turn the call into another one: its method, its path, its deadline.
 */
const FORWARDED = ['accept', 'content-type', 'user-agent']

/** The headers of an answer that the client gets. All others could speak for the gateway, to the whole origin. */
const PASSED_BACK = ['content-type', 'content-encoding', 'content-length', 'retry-after']

const pick = (given: IncomingMessage['headers'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])))

/** Headers of every answer behind the sidecar's prefix. */
const OWN_HEADERS = { ...SAFE_HEADERS, 'cross-origin-resource-policy': 'same-origin' } as const

const STOPPING = unavailable('The gateway is stopping')
const NO_UPGRADE = forbidden('Only the watch opens as a WebSocket, as GET /watch/gameserver without a query')

const unreachable = ({ host }: URL, why: string): Refusal => ({
  status: 502,
  code: 14,
  message: `The sidecar at ${host} could not be reached (${why}); nothing was sent`,
})

/** A request that may go to the sidecar, and how its failures are told. */
interface Exchange extends SidecarRoute {
  readonly sidecar: URL
  readonly message: IncomingMessage
  /** Answers with a refusal, before any part of another answer was sent. */
  refuse(refusal: Refusal): void
}

/** Answers what concerns the sidecar: forwards calls and watches to it, and gives pages the script and the token for it. */
export class SidecarHandler {
  readonly figures: ForwardedFigures
  /** Whether the sidecar has accepted a call to `shutdown`. */
  wasShutDown = false
  readonly #settings: GatewaySettings
  readonly #hooks: SidecarHandlerHooks
  readonly #access: Access
  readonly #watches: Watches
  #isStopping = false

  constructor(settings: GatewaySettings, hooks: SidecarHandlerHooks) {
    this.#settings = settings
    this.#hooks = hooks
    this.#access = new Access(settings)
    const watches = new Watches(() => settings.log('A watch was ended whose reader had taken nothing for five seconds'))
    this.#watches = watches
    this.figures = { calls: {}, beats: { ok: 0, failed: 0 }, lastBeat: undefined, watches }
  }

  /** Whether a request concerns the sidecar, so that `serve()` answers it. */
  answers(message: IncomingMessage): boolean {
    return isForSidecar(message.url ?? '') || this.#access.answers(message)
  }

  async serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void> {
    if (isForSidecar(admission.target)) return this.#call(message, reply, admission)
    const refusal = this.#access.serve(message, reply)
    if (refusal !== undefined) this.refuse(message, reply, refusal)
  }

  /** Opens a watch as a WebSocket. Refuses every other upgrade behind the sidecar's prefix. */
  async upgrade(message: IncomingMessage, socket: Socket, admission: Admission): Promise<void> {
    const exchange = await this.#begin(message, socket, admission)
    if (exchange === undefined) return
    const { sidecar, operation, path, refuse } = exchange
    if (operation !== WATCH || admission.target.includes('?')) return refuse(NO_UPGRADE)
    const { timeout } = this.#settings
    this.#hooks.onCall?.(WATCH)
    await relayWatch({
      ...{ url: sidecar.href.replace(/^http/, 'ws').replace(/\/$/, '') + path, message, socket },
      ...{ timeout, connectMs: Math.min(timeout, CONNECT_MS) },
      headers: pick(message.headers, FORWARDED),
      fail: (why) => refuse(unreachable(sidecar, why)),
      onOpen: (upstream, page) => {
        this.#hooks.onWatch?.(socket)
        this.#watches.addSocket(upstream, page, socket)
      },
    })
  }

  /** Refuses a request, and notes it. */
  refuse(message: IncomingMessage, to: ServerResponse | Socket, refusal: Refusal): void {
    this.#note(message, refusal)
    answerRefusal(to, refusal, OWN_HEADERS)
  }

  /**
   * Tells each watch's reader the reason and ends every watch, later ones too. Calls are still answered. Returns how many
   * watches there were.
   */
  stopWatches(reason: string): number {
    this.#isStopping = true
    return this.#watches.stop(reason)
  }

  /** Begins anew for another GameServer: watches are opened again. */
  startAgain(): void {
    this.#isStopping = this.wasShutDown = false
    this.#watches.startAgain()
  }

  #note(message: IncomingMessage, refusal: Refusal): void {
    // A client that was told of the end dials again, as it should.
    if (refusal !== STOPPING) this.#settings.log(refusalLine(message, refusal))
  }

  async #call(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void> {
    if (allowOrigin(message, reply, admission, { headers: ['content-type', 'authorization'] })) return
    const exchange = await this.#begin(message, reply, admission)
    if (exchange === undefined) return
    const { operation } = exchange
    const body = await readWhole(message)
    if (body === undefined || hasLeft(reply)) return
    if ('status' in body) return exchange.refuse(body)
    this.#hooks.onCall?.(operation)
    const since = performance.now()
    await this.#forward(exchange, reply, body)
    // An answer that nobody waited for has no status; its connection was closed, which is 499.
    if (operation !== WATCH) this.#count(operation, reply.headersSent ? reply.statusCode : 499, since)
    if (operation === 'shutdown' && reply.statusCode === 200) this.wasShutDown = true
  }

  /** The admitted request; undefined once it was refused. */
  async #begin(
    message: IncomingMessage,
    to: ServerResponse | Socket,
    { target }: Admission,
  ): Promise<Exchange | undefined> {
    const refuse = (refusal: Refusal): void => this.refuse(message, to, refusal)
    const route = this.#admit(message, target)
    if (route.refusal !== undefined) return void refuse(route.refusal)
    const sidecar = await this.#hooks.sidecar()
    if ('status' in sidecar) return void refuse(sidecar)
    return { ...route, sidecar, message, refuse }
  }

  /** The route of a request, or the reason to refuse it. */
  #admit(message: IncomingMessage, target: string): SidecarRoute | { refusal: Refusal } {
    const { denied } = this.#settings
    const { method = '' } = message
    const refusal = this.#access.check(message, method !== 'GET' || message.headers.upgrade !== undefined)
    if (refusal !== undefined) return { refusal }
    const route = findSidecarRoute(method, target)
    if (route.refusal !== undefined) return route
    const { operation } = route
    // For clients a denied operation doesn't exist.
    if (denied.has(operation)) {
      return { refusal: { status: 501, code: 12, message: `The gateway was told not to forward ${operation}` } }
    }
    return operation === WATCH && this.#isStopping ? { refusal: STOPPING } : route
  }

  /** Resolves when the answer was sent, or the client has left. */
  async #forward(exchange: Exchange, reply: ServerResponse, body: Buffer): Promise<void> {
    const { sidecar, message, operation, path, refuse } = exchange
    const { timeout } = this.#settings
    const { method } = message
    // Each request has a connection of its own, for about 0.2 ms. A sidecar may close a kept connection just when a call
    // goes over it, and nobody could tell whether the call was executed.
    const request = httpRequest(sidecar, {
      ...{ method, path: sidecar.pathname.replace(/\/$/, '') + path, agent: false },
      headers: {
        ...pick(message.headers, FORWARDED),
        ...(method === 'GET' && body.byteLength === 0 ? {} : { 'content-length': body.byteLength }),
      },
    })
    let isSent = false
    let isOver = false
    const end = (): void => {
      isOver = true
      clearTimeout(timer)
      request.destroy()
    }
    const report = (refusal: Refusal): void => {
      if (isOver) return
      end()
      if (!reply.headersSent) return refuse(refusal)
      reply.destroy()
      this.#note(message, refusal)
    }
    const doubt = method === 'GET' ? '' : '; it may have acted'
    const failure = (status: number, code: number, problem: string): Refusal => {
      return { status, code, message: `The sidecar at ${sidecar.host} ${problem}${doubt}` }
    }
    const fail = ({ code, message: why }: NodeJS.ErrnoException): void =>
      report(isSent ? failure(502, 2, `broke off (${code ?? why})`) : unreachable(sidecar, code ?? why))
    let timer = setTimeout(() => report(unreachable(sidecar, 'ETIMEDOUT')), Math.min(timeout, CONNECT_MS))
    const onConnect = (): void => {
      if (isOver) return
      isSent = true
      clearTimeout(timer)
      timer = setTimeout(() => report(failure(504, 4, `did not answer within ${timeout} ms`)), timeout)
    }
    request.once('socket', (socket) => void socket.once('connect', onConnect))
    request.on('error', fail)
    request.once('response', (response) => {
      const { statusCode = 502 } = response
      const isStream = operation === WATCH && statusCode === 200
      // A stream has no time limit.
      if (isStream) clearTimeout(timer)
      response.on('error', fail)
      if (reply.destroyed) return void response.resume()
      reply.writeHead(statusCode, { ...OWN_HEADERS, ...pick(response.headers, PASSED_BACK) })
      // Unlike stream.pipeline(), pipe() can be undone, so that a watch can end with a last line of the gateway's own. An
      // error of the response and the end of the reply both end the request, so neither side outlives the other.
      response.pipe(reply)
      if (!isStream) return
      this.#hooks.onWatch?.(message.socket)
      reply.flushHeaders()
      this.#watches.addStream(response, reply)
    })
    request.end(body)
    reply.on('error', () => undefined)
    await new Promise<void>((resolve) => void reply.once('close', resolve))
    // Over HTTP/2, an answer that the client gave up counts as finished without being ended.
    const isGivenUp = !(reply.writableEnded && reply.writableFinished)
    if (isGivenUp && operation !== WATCH) await delay(ABANDONED_MS, undefined, { ref: false })
    end()
  }

  #count(operation: OperationName, status: number, since: number): void {
    const { calls, beats } = this.figures
    const now = performance.now()
    const isOk = status === 200
    if (operation === 'health') {
      beats[isOk ? 'ok' : 'failed'] += 1
      if (isOk) this.figures.lastBeat = now
    }
    const figure = ((calls[operation] ??= {})[isOk ? 'OK' : status] ??= { count: 0, seconds: 0 })
    figure.count += 1
    figure.seconds += (now - since) / 1_000
  }
}

/** Whether the client has left before its answer. Over HTTP/2 only the stream tells. */
const hasLeft = (reply: ServerResponse & { readonly stream?: { readonly destroyed: boolean } }): boolean =>
  reply.destroyed || reply.socket?.destroyed === true || reply.stream?.destroyed === true

/**
 * Reads the whole body before anything is forwarded: the sidecar might act on the first half of a body that is too large
 * or breaks off. Resolves with undefined if the client has left.
 */
async function readWhole(message: IncomingMessage): Promise<Buffer | Refusal | undefined> {
  try {
    return await readBody(
      message,
      MOST_BYTES,
      (bytes) => `grpc: received message larger than max (${bytes} vs. ${MOST_BYTES})`,
    )
  } catch (error) {
    // The sidecar's own answer. Code 8 is no rate limit, so clients don't retry.
    return error instanceof TooLarge ? { status: 429, code: 8, message: error.message } : undefined
  }
}
