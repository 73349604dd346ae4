import { createServer, ServerResponse } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { ConnectionDropped } from '../sidecar/index.js'
import { answerClientError } from './client-error.js'
import { limitConnections } from './connection-limit.js'
import { checkControlAccess, CONTROL_PREFIX, isControlTarget } from './control-access.js'
import { handleControl, readSince } from './control-api.js'
import type { ControlTarget } from './control-api.js'
import { serveEvents } from './control-events.js'
import { corsHeaders, isPreflight } from './cors.js'
import { ClientGone, toRequest, writeResponse } from './http-adapter.js'
import { refuseRaw } from './raw-response.js'
import { malformed, refusalResponse } from './refusal.js'
import type { Admission, RequestHead, Verdict } from './request-guard.js'
import { serveUpgrade } from './sidecar-upgrade.js'
import { createAcceptor } from './websocket-server.js'

/** Limits that keep one client, or many, from taking the whole server. */
const serverLimits = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 60_000,
  /** Connections that aren't watchers. */
  connections: 256,
  /** Connections in all. */
  totalConnections: 4_096,
} as const

export interface SidecarServerOptions {
  readonly target: ControlTarget
  readonly guard: (head: RequestHead) => Verdict
  /** What the control interface asks for where others than this machine can reach it. */
  readonly token: string | undefined
  /** Bytes of a line over WebSocket, its line end included; Infinity for no limit. */
  readonly lineLimit: number
  /** Called for a fault of this program while it served a request. */
  readonly onFault: (error: unknown) => void
}

export interface SidecarServer {
  readonly server: Server
  /**
   * Cuts every connection to the sidecar, as the end of its process would; those of the control interface
   * stay.
   */
  dropConnections(): void
  /** Cuts every connection. */
  destroyConnections(): void
}

/** Serves a sidecar and its control interface over HTTP and WebSocket on one port. */
export function createSidecarServer(options: SidecarServerOptions): SidecarServer {
  const { target, guard, token, lineLimit, onFault } = options
  const sockets = new Set<Socket>()
  const controlSockets = new WeakSet<Socket>()
  const replies = new WeakMap<object, ServerResponse>()
  const accept = createAcceptor()
  const server = createServer({
    maxHeaderSize: serverLimits.headerBytes,
    headersTimeout: serverLimits.headersMs,
    requestTimeout: serverLimits.requestMs,
    keepAliveTimeout: serverLimits.keepAliveMs,
    connectionsCheckingInterval: 1_000,
    // The guard answers for a missing Host, in the sidecar's own shape.
    requireHostHeader: false,
  })
  const limit = limitConnections(server, serverLimits.connections, serverLimits.totalConnections)

  const serve = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    replies.set(message.socket, reply)
    const verdict = guard(message)
    if (verdict.refusal !== undefined) return writeResponse(refusalResponse(verdict.refusal), reply)
    const extraHeaders = corsHeaders(verdict)
    const onStream = (): void => limit.exempt(message.socket)
    try {
      const response = await answer(message, verdict)
      await writeResponse(response, reply, { extraHeaders, onStream })
    } catch (error) {
      message.socket.resetAndDestroy()
      if (!(error instanceof ConnectionDropped || error instanceof ClientGone)) onFault(error)
    }
  }

  const answer = async (message: IncomingMessage, admission: Admission): Promise<Response> => {
    const { host, target: path } = admission
    if (path === '*' && message.method === 'OPTIONS')
      return new Response(null, { headers: { 'content-length': '0' } })
    if (isPreflight(message, admission)) return new Response(null, { status: 204 })
    const isControl = isControlTarget(path)
    markControl(message.socket, isControl)
    if (isControl) {
      const refusal = checkControlAccess(message, admission, token)
      if (refusal !== undefined) return refusalResponse(refusal)
      return handleControl(target, toRequest(message, host, path))
    }
    const raw = { method: message.method ?? 'GET', target: path }
    return target.sidecar.handle(toRequest(message, host, path), raw)
  }

  const upgrade = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    if (message.headers.upgrade?.toLowerCase() !== 'websocket') return serveWithoutUpgrade(message, socket)
    const verdict = guard(message)
    if (verdict.refusal !== undefined) return refuseRaw(socket, verdict.refusal)
    const isControl = isControlTarget(verdict.target)
    markControl(socket, isControl)
    limit.exempt(socket)
    if (!isControl) return serveUpgrade(target.sidecar, accept, lineLimit, verdict, message, socket, head)
    const query = new URLSearchParams(verdict.target.split('?')[1] ?? '')
    const refusal = checkControlAccess(message, verdict, token) ?? checkEvents(verdict.target, query)
    if (refusal !== undefined) return refuseRaw(socket, refusal)
    const accepted = await accept(message, socket, head)
    if (accepted !== undefined)
      serveEvents(target.sidecar, accepted, query.has('since') ? readSince(query) : undefined)
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

  const markControl = (socket: Socket, isControl: boolean): void => {
    if (isControl) controlSockets.add(socket)
    else controlSockets.delete(socket)
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

  return {
    server,
    dropConnections() {
      for (const socket of sockets) if (!controlSockets.has(socket)) socket.resetAndDestroy()
    },
    destroyConnections() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function checkEvents(target: string, query: URLSearchParams): ReturnType<typeof malformed> | undefined {
  if (target.split('?')[0] !== `${CONTROL_PREFIX}/events`) {
    return {
      status: 404,
      code: 5,
      message: `The only WebSocket of the control interface is ${CONTROL_PREFIX}/events`,
    }
  }
  return readSince(query) === undefined ? malformed('since must be the number of a log entry') : undefined
}
