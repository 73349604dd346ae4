import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { OperationName } from '../../../protocol/operations.js'
import { corsHeaders, isPreflight } from '../../http/cors.js'
import { refusalLine } from '../../http/line-log.js'
import type { LineLog } from '../../http/line-log.js'
import { answerRefusal, refuseRaw } from '../../http/raw-response.js'
import { forbidden } from '../../http/refusal.js'
import type { Refusal } from '../../http/refusal.js'
import type { Admission } from '../../http/request-guard.js'
import type { Access } from './access.js'
import { OWN_HEADERS, requestHeaders } from './forwarded-headers.js'
import { createForwarder } from './forwarder.js'
import { findSidecarRoute } from './sidecar-route.js'
import type { SidecarRoute } from './sidecar-route.js'
import { createWatchSockets } from './watch-sockets.js'
import { Watches } from './watches.js'

export interface SidecarHandlerOptions {
  readonly sidecar: URL
  /** Milliseconds until the sidecar must have answered a call. */
  readonly timeout: number
  readonly access: Access
  /** Operations that aren't forwarded. */
  readonly denied: ReadonlySet<OperationName>
  /** Called when a call is about to be forwarded. */
  readonly onCall?: ((operation: OperationName) => void) | undefined
  /** Called when a connection is a watch's from now on. */
  readonly onWatch?: (socket: Socket) => void
  readonly log: LineLog
}

/** Answers the paths behind the sidecar's prefix. */
export interface SidecarHandler {
  serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void>
  upgrade(message: IncomingMessage, socket: Socket, admission: Admission): Promise<void>
  /** Whether the sidecar has accepted a call to `shutdown`. */
  readonly wasShutDown: boolean
  /**
   * Ends every watch after telling its reader the reason, and opens none from now on. Calls are still answered. Returns
   * how many watches there were.
   */
  stopWatches(reason: string): number
  /** Begins anew for another GameServer, which nobody has shut down: watches are opened again. */
  startAgain(): void
  /** Ends the connections that are kept for later calls. */
  close(): void
}

const WATCH: OperationName = 'watchGameServer'

/** Largest body that is taken; the real sidecar has the same limit. */
const MOST_BYTES = 4 * 1024 * 1024

const STOPPING: Refusal = { status: 503, code: 14, message: 'The gateway is stopping' }
const NO_UPGRADE = forbidden('Only the watch opens as a WebSocket, as GET /watch/gameserver without a query')

export function createSidecarHandler(options: SidecarHandlerOptions): SidecarHandler {
  const { sidecar, timeout, onWatch, log } = options
  const watches = new Watches(() => log('A watch was ended whose reader had taken nothing for five seconds'))
  const forwarder = createForwarder({ sidecar, timeout, watches })
  const relaySocket = createWatchSockets({ sidecar, timeout, watches })
  const state = { isStopping: false, wasShutDown: false }

  const serve: SidecarHandler['serve'] = async (message, reply, admission) => {
    const answerHeaders = corsHeaders(admission, ['content-type', 'authorization'])
    if (isPreflight(message, admission)) return void reply.writeHead(204, answerHeaders).end()
    const note = noteFor(log, message, admission)
    const refuse = (refusal: Refusal): void => {
      note(refusal)
      answerRefusal(reply, refusal, { ...OWN_HEADERS, ...answerHeaders })
    }
    const route = admit(options, message, admission)
    if (route.refusal !== undefined) return refuse(route.refusal)
    const { path, operation } = route
    const headers = requestHeaders(message.headers)
    const body = await readBody(message)
    if (body === undefined) return
    if ('status' in body) return refuse(body)
    if (message.socket.destroyed) return
    if (state.isStopping && operation === WATCH) return refuse(STOPPING)
    options.onCall?.(operation)
    if (message.method !== 'GET' || body.byteLength > 0) headers['content-length'] = String(body.byteLength)
    await forwarder.request(message, reply, {
      path,
      headers,
      body,
      isWatch: operation === WATCH,
      answerHeaders,
      onWatch: () => onWatch?.(message.socket),
      onFailure: refuse,
      onBreak: note,
    })
    if (operation === 'shutdown' && reply.statusCode === 200) state.wasShutDown = true
  }

  const upgrade: SidecarHandler['upgrade'] = async (message, socket, admission) => {
    const note = noteFor(log, message, admission)
    const refuse = (refusal: Refusal): void => {
      note(refusal)
      refuseRaw(socket, refusal, OWN_HEADERS)
    }
    const route = admit(options, message, admission)
    if (route.refusal !== undefined) return refuse(route.refusal)
    const { path, operation } = route
    if (operation !== WATCH || admission.target.includes('?')) return refuse(NO_UPGRADE)
    if (state.isStopping) return refuse(STOPPING)
    options.onCall?.(operation)
    const headers = requestHeaders(message.headers)
    await relaySocket(message, socket, {
      path,
      headers,
      onWatch: () => onWatch?.(socket),
      onFailure: refuse,
      onBreak: note,
    })
  }

  return {
    serve,
    upgrade,
    get wasShutDown() {
      return state.wasShutDown
    },
    stopWatches(reason) {
      state.isStopping = true
      return watches.stop(reason)
    },
    startAgain() {
      Object.assign(state, { isStopping: false, wasShutDown: false })
      watches.startAgain()
    },
    close: () => forwarder.close(),
  }
}

/** Writes the line about a refusal. Clients that were told of the end dial again, as they should, so it has none. */
const noteFor =
  (log: LineLog, { method }: IncomingMessage, { target }: Admission) =>
  (refusal: Refusal): void => {
    if (refusal !== STOPPING) log(refusalLine(method, target, refusal))
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
  // As an operation that doesn't exist, since for every client it doesn't.
  return { refusal: { status: 501, code: 12, message: `The gateway was told not to forward ${route.operation}` } }
}

/** In the sidecar's own words. Code 8 is no rate limit, so clients don't try again. */
const tooLarge = (bytes: number): Refusal => ({
  status: 429,
  code: 8,
  message: `grpc: received message larger than max (${bytes} vs. ${MOST_BYTES})`,
})

/**
 * Reads a body whole before anything is sent on: one that is too large or breaks off never reaches the sidecar, which
 * might act on its first half. Resolves with undefined if the client has left.
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
    // The rest of a refused body passes unread, so that its client gets to read the answer.
    message.resume()
  }
}
