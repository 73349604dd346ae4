import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import type { OperationName } from '../../../protocol/operations.js'
import { corsHeaders, isPreflight } from '../../http/cors.js'
import { answerRefusal, refuseRaw } from '../../http/raw-response.js'
import { forbidden, malformed } from '../../http/refusal.js'
import type { Refusal } from '../../http/refusal.js'
import type { Admission } from '../../http/request-guard.js'
import type { Access } from './access.js'
import { SIDECAR_PREFIX } from '../config-script.js'
import { requestHeaders, upgradeHeaders } from './forwarded-headers.js'
import type { Forwarder } from './forwarder.js'
import { createBodyReader } from './request-body.js'
import { findSidecarRoute } from './sidecar-route.js'
import type { SidecarRoute } from './sidecar-route.js'
import type { Watches } from './watches.js'

export interface SidecarHandlerOptions {
  readonly forwarder: Forwarder
  /** The sidecar's host and port. */
  readonly host: string
  readonly access: Access
  readonly denied: ReadonlySet<OperationName>
  readonly watches: Watches
  /** Whether the gateway is ending, so that no new watch is opened. */
  readonly isStopping: () => boolean
  /** The connection now belongs to a watch. */
  readonly onWatch: (socket: Socket) => void
  /** Told of what was refused or failed, and why. */
  readonly onRefused: (method: string | undefined, target: string, refusal: Refusal) => void
}

/** Answers the paths behind the sidecar's prefix. */
export interface SidecarHandler {
  serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void>
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<void>
}

const WATCH: OperationName = 'watchGameServer'

const STOPPING: Refusal = { status: 503, code: 14, message: 'The gateway is stopping' }
const FULL: Refusal = { status: 503, code: 14, message: 'Too many watches are open' }
const NO_UPGRADE = forbidden('Only the watch opens as a WebSocket, as GET /watch/gameserver without a query')
const TOO_EARLY = malformed('Nothing may be sent before the handshake is done')
const BAD_HEADER = malformed('A header has a value that none may have')

/** What its own answers say beside their content. */
const OWN_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

export function createSidecarHandler(options: SidecarHandlerOptions): SidecarHandler {
  const { forwarder, host, access, denied, watches, isStopping, onWatch, onRefused } = options
  const bodies = createBodyReader()

  /** The route of a request that may go on, or why it may not. */
  const admit = (
    message: IncomingMessage,
    { target }: Admission,
    answer: Writable,
  ): SidecarRoute | { refusal: Refusal } => {
    const { method = '' } = message
    const refusal = access.check(message, method !== 'GET' || message.headers.upgrade !== undefined)
    if (refusal !== undefined) return { refusal }
    const route = findSidecarRoute(method, target.slice(SIDECAR_PREFIX.length))
    if (route.refusal !== undefined) return route
    if (denied.has(route.operation)) {
      // As one that the sidecar hasn't: wherever it is asked from, it doesn't exist here.
      return { refusal: { status: 501, code: 12, message: `The gateway was told not to forward ${route.operation}` } }
    }
    if (route.operation !== WATCH) return route
    if (isStopping()) return { refusal: STOPPING }
    return watches.reserve(answer, message.socket) ? route : { refusal: FULL }
  }

  return {
    async serve(message, reply, admission) {
      const answerHeaders = corsHeaders(admission, ['content-type', 'authorization'])
      if (isPreflight(message, admission)) {
        reply.writeHead(204, answerHeaders)
        reply.end()
        return
      }
      const note = (refusal: Refusal): void => onRefused(message.method, admission.target, refusal)
      const refuse = (refusal: Refusal): void => {
        note(refusal)
        answerRefusal(reply, refusal, { ...OWN_HEADERS, ...answerHeaders })
      }
      const route = admit(message, admission, reply)
      if (route.refusal !== undefined) return refuse(route.refusal)
      const headers = requestHeaders(message.headers)
      if (headers === undefined) return refuse(BAD_HEADER)
      const body = await bodies.read(message)
      if (body === undefined) return
      if ('status' in body) return refuse(body)
      try {
        await itsTurn(message, reply)
        if (message.socket.destroyed) return
        if (message.method !== 'GET' || body.byteLength > 0) headers['content-length'] = String(body.byteLength)
        await forwarder.request(message, reply, {
          path: route.path,
          headers: { ...headers, host },
          body,
          isWatch: route.operation === WATCH,
          answerHeaders,
          onWatch: () => onWatch(message.socket),
          onFailure: refuse,
          onBreak: note,
        })
      } finally {
        bodies.release(body)
      }
    },

    async upgrade(message, socket, head, admission) {
      const note = (refusal: Refusal): void => onRefused(message.method, admission.target, refusal)
      const refuse = (refusal: Refusal): void => {
        note(refusal)
        refuseRaw(socket, refusal, OWN_HEADERS)
      }
      const route = admit(message, admission, socket)
      if (route.refusal !== undefined) return refuse(route.refusal)
      if (route.operation !== WATCH || admission.target.includes('?')) return refuse(NO_UPGRADE)
      if (head.byteLength > 0) return refuse(TOO_EARLY)
      const headers = upgradeHeaders(message.headers)
      if (headers === undefined) return refuse(BAD_HEADER)
      await forwarder.upgrade(message, socket, {
        path: route.path,
        headers: { ...headers, host },
        body: head,
        isWatch: true,
        answerHeaders: undefined,
        onWatch: () => onWatch(socket),
        onFailure: refuse,
        onBreak: note,
      })
    },
  }
}

/**
 * Resolves when what was asked before on the same connection has been answered: who sends several requests at
 * once means them to take effect in that order.
 */
async function itsTurn(message: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { socket } = message
  if (reply.socket !== null || socket.destroyed) return
  // Each that waits listens, and how many may wait is limited elsewhere.
  socket.setMaxListeners(0)
  await new Promise<void>((resolve) => {
    const go = (): void => {
      socket.removeListener('close', go)
      resolve()
    }
    reply.once('socket', go)
    socket.once('close', go)
  })
}
