import { createServer, ServerResponse } from 'node:http'
import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { answerClientError } from './client-error.js'
import { limitConnections } from './connection-limit.js'
import { answerRefusal, refuseRaw } from './raw-response.js'
import { malformed } from './refusal.js'
import type { Refusal } from './refusal.js'
import type { Admission, RequestHead, Verdict } from './request-guard.js'

/** Limits that keep one client, or many, from taking the whole server. */
const limits = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 60_000,
  /** Connections that aren't watchers. */
  connections: 256,
  /** Connections in all. */
  totalConnections: 4_096,
} as const

const serverOptions: ServerOptions = {
  maxHeaderSize: limits.headerBytes,
  headersTimeout: limits.headersMs,
  requestTimeout: limits.requestMs,
  keepAliveTimeout: limits.keepAliveMs,
  connectionsCheckingInterval: 1_000,
  // The guard answers for a missing Host, in the sidecar's own shape.
  requireHostHeader: false,
}

export interface GuardedServerOptions {
  /** PEM texts, to speak HTTPS. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly guard: (head: RequestHead) => Verdict
  /** Answers an admitted request. A rejection is a fault: it is reported and cuts the connection. */
  serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void>
  /** Answers an admitted upgrade to `websocket`; whatever else is offered is served as a plain request. */
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<void>
  /** Called for each request that the guard refused. */
  readonly onRefused?: ((message: IncomingMessage, refusal: Refusal) => void) | undefined
  /** Called for a fault of this program while it served a request. */
  readonly onFault: (error: unknown) => void
}

export interface GuardedServer {
  readonly server: Server
  /** Every connection there is; with TLS, the ones below it. */
  readonly sockets: ReadonlySet<Socket>
  /** The connection now belongs to a watcher, of which there may be more than of others. */
  exempt(socket: Socket): void
}

/** An HTTP server with limits, whose every request and upgrade has passed the guard. */
export function createGuardedServer(options: GuardedServerOptions): GuardedServer {
  const { tls, guard, onFault } = options
  const sockets = new Set<Socket>()
  const replies = new WeakMap<object, ServerResponse>()
  const server = tls === undefined
    ? createServer(serverOptions)
    : createSecureServer({ ...serverOptions, ...tls, handshakeTimeout: limits.headersMs })
  const limit = limitConnections(server, limits.connections, limits.totalConnections)

  const serve = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    replies.set(message.socket, reply)
    const verdict = guard(message)
    if (verdict.refusal !== undefined) {
      options.onRefused?.(message, verdict.refusal)
      return answerRefusal(reply, verdict.refusal)
    }
    try {
      await options.serve(message, reply, verdict)
    } catch (error) {
      cut(message.socket)
      onFault(error)
    }
  }

  const upgrade = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    if (message.headers.upgrade?.toLowerCase() !== 'websocket') return serveWithoutUpgrade(message, socket)
    const verdict = guard(message)
    if (verdict.refusal === undefined) return options.upgrade(message, socket, head, verdict)
    options.onRefused?.(message, verdict.refusal)
    refuseRaw(socket, verdict.refusal)
  }

  /**
   * Other upgrades are only offers: the request is answered as if they weren't made, where it has no body.
   */
  const serveWithoutUpgrade = async (message: IncomingMessage, socket: Socket): Promise<void> => {
    const hasBody =
      message.headers['transfer-encoding'] !== undefined || Number(message.headers['content-length'] ?? 0) > 0
    if (hasBody)
      return refuseRaw(socket, malformed('A request with a body can only be upgraded to websocket'))
    const reply = new ServerResponse(message)
    reply.shouldKeepAlive = false
    reply.assignSocket(socket)
    reply.once('finish', () => socket.end())
    return serve(message, reply)
  }

  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (message, reply) => void serve(message, reply).catch(onFault))
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    upgrade(message, socket, head).catch((error: unknown) => {
      socket.destroy()
      onFault(error)
    })
  })
  server.on('connect', (_message, socket) => refuseRaw(socket, malformed('Bad Request')))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const reply = replies.get(socket)
    answerClientError(error, socket, reply !== undefined && reply.headersSent && !reply.writableEnded)
  })
  return { server, sockets, exempt: limit.exempt }
}

/** Ends a connection so that nobody takes what came for a whole answer: by a reset, which TLS hasn't. */
export function cut(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
