import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Certificate } from './certificate.js'
import { answerClientError } from './client-error.js'
import { limitConnections } from './connection-limit.js'
import { announcesBody, BODY_IN_UPGRADE, checkFraming, checkUpgrade, isForWebSocket } from './framing.js'
import { followHalfClosed } from './half-closed.js'
import { answerRefusal, createReply, refuseRaw } from './raw-response.js'
import { malformed, SIDECAR_FORM } from './refusal.js'
import type { Refusal, RefusalForm } from './refusal.js'
import type { Admission, RequestHead, Verdict } from './request-guard.js'

/** Limits that keep clients, one or many, from taking the whole server. */
const limits = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 60_000,
  /** The other end of a silent connection is probed after this time, since a client that lost its network can't tell. */
  probeMs: 30_000,
  /** Requests on one connection that wait for their answers. */
  waiting: 64,
  /** Connections that aren't watchers; also those that are being answered at once. */
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
  keepAlive: true,
  keepAliveInitialDelay: limits.probeMs,
  // The guard refuses a missing Host itself, in the sidecar's shape.
  requireHostHeader: false,
}

export interface GuardedServerOptions {
  /** PEM texts, to speak HTTPS. */
  readonly tls?: Certificate | undefined
  readonly guard: (head: RequestHead) => Verdict
  /** Connections that aren't watchers, and those that are being answered at once. Default 256. */
  readonly connections?: number | undefined
  /** Connections in all. Default 4,096. */
  readonly totalConnections?: number | undefined
  /** How requests are refused here. Default: as the sidecar refuses them. */
  readonly refusalForm?: RefusalForm | undefined
  /** Answers an admitted request. A rejected promise is a fault: it is reported, and the connection is cut. */
  serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void>
  /** Answers an admitted upgrade to `websocket`. Requests for other upgrades are served as plain requests. */
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<void>
  /** Called for each request that the guard refused. */
  readonly onRefused?: ((message: IncomingMessage, refusal: Refusal) => void) | undefined
  /** Called for a fault of this program while it served a request. */
  readonly onFault: (error: unknown) => void
}

export interface GuardedServer {
  readonly server: Server
  /** Every open connection; with TLS, the plain one below it. */
  readonly sockets: ReadonlySet<Socket>
  /** Stops counting a connection that now belongs to a watcher. */
  exempt(socket: Socket): void
  /** Ends connections that are being answered and whose clients have stopped reading, or owe the rest of a request. */
  makeRoom(): void
}

const OTHER_EXPECTATION: Refusal = {
  status: 417,
  code: 12,
  message: 'The only expectation that is met here is 100-continue',
}
const full = (connections: number): Refusal => ({
  status: 503,
  code: 14,
  message: `All ${connections} connections wait for answers to other requests; try again in a moment`,
})

/** An HTTP server with limits, whose every request and upgrade has passed the guard. */
export function createGuardedServer(options: GuardedServerOptions): GuardedServer {
  const { tls, guard, onFault, connections = limits.connections, totalConnections = limits.totalConnections } = options
  const FULL = full(connections)
  const form = options.refusalForm ?? SIDECAR_FORM
  const sockets = new Set<Socket>()
  const replies = new WeakMap<object, ServerResponse>()
  const streams = new WeakSet()
  const server =
    tls === undefined
      ? createServer(serverOptions)
      : createSecureServer({ ...serverOptions, ...tls, handshakeTimeout: limits.headersMs })
  const limit = limitConnections(server, connections, totalConnections)
  // Otherwise a client that has said all, and says so by closing its half, would not get its answer.
  Object.assign(server, { httpAllowHalfOpen: true })

  const judge = (message: IncomingMessage, refusal: Refusal | undefined): Verdict => {
    const verdict = refusal === undefined ? guard(message) : { refusal }
    if (verdict.refusal !== undefined) options.onRefused?.(message, verdict.refusal)
    return verdict
  }

  const serve = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    // These bytes may be a part of the request whose answer was the last on this connection.
    const { socket } = message
    if (socket.destroyed || replies.get(socket)?.shouldKeepAlive === false) return
    replies.set(socket, reply)
    // Each waiting request may add a listener, and their number is limited.
    socket.setMaxListeners(0)
    const isServed = limit.begin(message, reply)
    if (limit.waiting(socket) > limits.waiting) return cut(socket)
    const refusal = isServed ? checkFraming(message) : FULL
    if (refusal !== undefined) reply.shouldKeepAlive = false
    const verdict = judge(message, refusal)
    if (verdict.refusal !== undefined) return answerRefusal(reply, verdict.refusal, undefined, form)
    if (/^100-continue$/i.test(message.headers.expect ?? '')) reply.writeContinue()
    try {
      await options.serve(message, reply, verdict)
    } catch (error) {
      cut(socket)
      onFault(error)
    }
  }

  const upgrade = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    // Nothing may come in between before all answers have left, and nothing may follow a last one.
    const isBusy = limit.waiting(socket) > 0
    if (isBusy || replies.get(socket)?.shouldKeepAlive === false) return void socket.destroy()
    if (!isForWebSocket(message)) return serveWithoutUpgrade(message, socket)
    const verdict = judge(message, limit.begin(message, socket) ? checkUpgrade(message) : FULL)
    if (verdict.refusal === undefined) return options.upgrade(message, socket, head, verdict)
    refuseRaw(socket, verdict.refusal, undefined, form)
  }

  /** Answers a request that offers another upgrade as if it didn't, which HTTP allows. */
  const serveWithoutUpgrade = async (message: IncomingMessage, socket: Socket): Promise<void> => {
    if (announcesBody(message)) return refuseRaw(socket, BODY_IN_UPGRADE, undefined, form)
    const reply = createReply(message, socket)
    // Node no longer reads from the socket, so nobody would notice that the client leaves.
    socket.resume()
    return serve(message, reply)
  }

  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.once('end', () =>
      followHalfClosed(
        socket,
        () => limit.current(socket),
        (answer) => streams.has(answer),
      ),
    )
  })
  const onRequest = (message: IncomingMessage, reply: ServerResponse): void => {
    serve(message, reply).catch(onFault)
  }
  server.on('request', onRequest)
  // The client is asked for its body only after the request has been admitted.
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', (_message, reply: ServerResponse) =>
    answerRefusal(reply, OTHER_EXPECTATION, undefined, form),
  )
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    upgrade(message, socket, head).catch((error: unknown) => {
      socket.destroy()
      onFault(error)
    })
  })
  server.on('connect', (_message, socket) => refuseRaw(socket, malformed('Bad Request'), undefined, form))
  server.on('clientError', (error, socket) => answerClientError(error, socket, replies.get(socket), form))
  const exempt = (socket: Socket): void => {
    const answer = limit.current(socket)
    if (answer !== undefined) streams.add(answer)
    limit.exempt(socket)
  }
  return { server, sockets, exempt, makeRoom: limit.makeRoom }
}

/** Resets a connection, so that nobody takes half an answer for a whole one. TLS knows no reset. */
function cut(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
