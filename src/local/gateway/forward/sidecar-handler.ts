import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { OperationName } from '../../../protocol/operations.js'
import type { GuardedServerOptions } from '../../http/guarded-server.js'
import { corsHeaders, isPreflight } from '../../http/request-guard.js'
import { refusalLine } from '../../http/line-log.js'
import type { LineLog } from '../../http/line-log.js'
import { answerRefusal } from '../../http/raw-response.js'
import { forbidden } from '../../http/refusal.js'
import type { Refusal } from '../../http/refusal.js'
import type { Admission } from '../../http/request-guard.js'
import type { Access } from './access.js'
import { createForwarder, OWN_HEADERS, requestHeaders } from './forwarder.js'
import { findSidecarRoute } from './sidecar-route.js'
import type { SidecarRoute } from './sidecar-route.js'
import { createWatchSockets } from './watch-sockets.js'
import { Watches } from './watches.js'

export interface SidecarHandlerOptions {
  readonly sidecar: URL
  /** Milliseconds until the sidecar must have answered a call. */
  readonly timeout: number
  readonly access: Access
  readonly denied: ReadonlySet<OperationName>
  /** Called when a call is about to be forwarded. */
  readonly onCall?: ((operation: OperationName) => void) | undefined
  /** Called when a connection has become a watch's. */
  readonly onWatch?: (socket: Socket) => void
  readonly log: LineLog
}

/** What has been forwarded since the start. */
export interface ForwardedFigures {
  /** By operation and by `OK` or the HTTP status. */
  readonly calls: Record<string, Record<string, { count: number; seconds: number }>>
  readonly beats: { ok: number; failed: number }
  /** The last good beat, by `performance.now()`. */
  lastBeat: number | undefined
  readonly watches: Pick<Watches, 'connections' | 'reconnects'>
}

export type SidecarHandler = ReturnType<typeof createSidecarHandler>

type Headers = Readonly<Record<string, string>>

const WATCH: OperationName = 'watchGameServer'

/** Largest body that is taken; the real sidecar has the same limit. */
const MOST_BYTES = 4 * 1024 * 1024

const STOPPING: Refusal = { status: 503, code: 14, message: 'The gateway is stopping' }
const NO_UPGRADE = forbidden('Only the watch opens as a WebSocket, as GET /watch/gameserver without a query')

/** Answers the paths behind the sidecar's prefix. */
export function createSidecarHandler(options: SidecarHandlerOptions) {
  const { sidecar, timeout, onWatch, log } = options
  const watches = new Watches(() => log('A watch was ended whose reader had taken nothing for five seconds'))
  const forwarder = createForwarder({ sidecar, timeout, watches })
  const relaySocket = createWatchSockets({ sidecar, timeout, watches })
  const state = { isStopping: false, wasShutDown: false }
  const figures: ForwardedFigures = { calls: {}, beats: { ok: 0, failed: 0 }, lastBeat: undefined, watches }

  const count = (operation: OperationName, status: number, since: number): void => {
    const now = performance.now()
    const isOk = status === 200
    if (operation === 'health') {
      figures.beats[isOk ? 'ok' : 'failed'] += 1
      if (isOk) figures.lastBeat = now
    }
    const codes = (figures.calls[operation] ??= {})
    const figure = (codes[isOk ? 'OK' : status] ??= { count: 0, seconds: 0 })
    figure.count += 1
    figure.seconds += (now - since) / 1_000
  }

  const begin = (message: IncomingMessage, to: ServerResponse | Socket, admission: Admission, headers?: Headers) => {
    const note = (refusal: Refusal): void => {
      // A client that was told of the end dials again, as it should.
      if (refusal !== STOPPING) log(refusalLine(message.method, admission.target, refusal))
    }
    const refuse = (refusal: Refusal): void => {
      note(refusal)
      answerRefusal(to, refusal, { ...OWN_HEADERS, ...headers })
    }
    const callbacks = { onWatch: () => onWatch?.(message.socket), onFailure: refuse, onBreak: note }
    return { refuse, callbacks, route: admit(options, message, admission) }
  }

  const serve: GuardedServerOptions['serve'] = async (message, reply, admission) => {
    const answerHeaders = corsHeaders(admission, ['content-type', 'authorization'])
    if (isPreflight(message, admission)) return void reply.writeHead(204, answerHeaders).end()
    const { refuse, callbacks, route } = begin(message, reply, admission, answerHeaders)
    if (route.refusal !== undefined) return refuse(route.refusal)
    const { path, operation } = route
    const headers = requestHeaders(message.headers)
    const body = await readBody(message)
    if (body === undefined) return
    if ('status' in body) return refuse(body)
    if (message.socket.destroyed) return
    const isWatch = operation === WATCH
    if (state.isStopping && isWatch) return refuse(STOPPING)
    options.onCall?.(operation)
    const since = performance.now()
    if (message.method !== 'GET' || body.byteLength > 0) headers['content-length'] = String(body.byteLength)
    await forwarder.request(message, reply, { path, headers, body, isWatch, answerHeaders, ...callbacks })
    // An answer that nobody waited for has no status; its connection was closed, which is 499.
    if (!isWatch) count(operation, reply.headersSent ? reply.statusCode : 499, since)
    if (operation === 'shutdown' && reply.statusCode === 200) state.wasShutDown = true
  }

  const upgrade = async (message: IncomingMessage, socket: Socket, admission: Admission): Promise<void> => {
    const { refuse, callbacks, route } = begin(message, socket, admission)
    if (route.refusal !== undefined) return refuse(route.refusal)
    const { path, operation } = route
    if (operation !== WATCH || admission.target.includes('?')) return refuse(NO_UPGRADE)
    if (state.isStopping) return refuse(STOPPING)
    options.onCall?.(operation)
    await relaySocket(message, socket, { path, headers: requestHeaders(message.headers), ...callbacks })
  }

  return {
    figures,
    serve,
    upgrade,
    /** Whether the sidecar has accepted a call to `shutdown`. */
    get wasShutDown(): boolean {
      return state.wasShutDown
    },
    /**
     * Tells each watch's reader the reason and ends every watch, later ones too. Calls are still answered. Returns how
     * many watches there were.
     */
    stopWatches(reason: string): number {
      state.isStopping = true
      return watches.stop(reason)
    },
    /** Begins anew for another GameServer: watches are opened again. */
    startAgain(): void {
      Object.assign(state, { isStopping: false, wasShutDown: false })
      watches.startAgain()
    },
    /** Ends the connections that are kept for later calls. */
    close: () => forwarder.close(),
  }
}

/** The route of a request, or the reason to refuse it. */
function admit(
  { access, denied }: SidecarHandlerOptions,
  message: IncomingMessage,
  { target }: Admission,
): SidecarRoute | { refusal: Refusal } {
  const { method = '' } = message
  const refusal = access.check(message, method !== 'GET' || message.headers.upgrade !== undefined)
  if (refusal !== undefined) return { refusal }
  const route = findSidecarRoute(method, target)
  if (route.refusal !== undefined || !denied.has(route.operation)) return route
  // For clients a denied operation doesn't exist.
  return { refusal: { status: 501, code: 12, message: `The gateway was told not to forward ${route.operation}` } }
}

/** The sidecar's own message. Code 8 is no rate limit, so clients don't retry. */
const tooLarge = (bytes: number): Refusal => ({
  status: 429,
  code: 8,
  message: `grpc: received message larger than max (${bytes} vs. ${MOST_BYTES})`,
})

/**
 * Reads the whole body before anything is forwarded: the sidecar might act on the first half of a body that is too large
 * or breaks off. Resolves with undefined if the client has left.
 */
async function readBody(message: IncomingMessage): Promise<Buffer | Refusal | undefined> {
  const announced = Number(message.headers['content-length'] ?? 0)
  const chunks: Buffer[] = []
  let size = 0
  try {
    if (announced > MOST_BYTES) return tooLarge(announced)
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).byteLength
      if (size > MOST_BYTES) return tooLarge(size)
      chunks.push(chunk as Buffer)
    }
    return Buffer.concat(chunks)
  } catch {
    return undefined
  } finally {
    // Read the rest of a refused body, so that its client gets to read the answer.
    message.resume()
  }
}
