import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Certificate } from './certificate.js'
import { limitConnections } from './connection-limit.js'
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
  keepAlive: true,
  keepAliveInitialDelay: limits.probeMs,
  // The guard refuses a missing Host itself, in the sidecar's shape.
  requireHostHeader: false,
}

export interface GuardedServerOptions {
  /** PEM texts, to speak HTTPS. */
  readonly tls?: Certificate | undefined
  readonly guard: (head: RequestHead) => Verdict
  /** Connections that aren't exempt. Default 256. */
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
}

const METHOD_NOT_ALLOWED: Refusal = { status: 501, code: 12, message: 'Method Not Allowed' }

/** An error of Node's parser, with the bytes that it could not read. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** What a client is told whose bytes can't be read as HTTP, by the code of the parser's error. */
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 8, message: 'The headers are larger than 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 4, message: 'The request took too long to arrive' },
}

/** An HTTP server with limits, whose every request and upgrade has passed the guard. */
export function createGuardedServer(options: GuardedServerOptions): GuardedServer {
  const { tls, guard, onFault, refusalForm: form = SIDECAR_FORM } = options
  const sockets = new Set<Socket>()
  const replies = new WeakMap<Socket, ServerResponse>()
  const server =
    tls === undefined
      ? createServer(serverOptions)
      : createSecureServer({ ...serverOptions, ...tls, handshakeTimeout: limits.headersMs })
  const { connections = limits.connections, totalConnections = limits.totalConnections } = options
  const { begin, exempt } = limitConnections(server, connections, totalConnections)

  const judge = (message: IncomingMessage): Verdict => {
    const verdict = guard(message)
    if (verdict.refusal !== undefined) options.onRefused?.(message, verdict.refusal)
    return verdict
  }

  const serve = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const { socket } = message
    replies.set(socket, reply)
    begin(socket, reply)
    const verdict = judge(message)
    if (verdict.refusal !== undefined) return answerRefusal(reply, verdict.refusal, undefined, form)
    return options.serve(message, reply, verdict)
  }

  const upgrade = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    if (message.headers.upgrade?.toLowerCase() !== 'websocket') {
      // HTTP allows to answer an offer of another protocol as if it hadn't been made. Node no longer reads from the
      // socket, so nobody would notice that the client leaves.
      const reply = createReply(message, socket)
      socket.once('end', () => socket.destroy()).resume()
      return serve(message, reply)
    }
    begin(socket, socket)
    const verdict = judge(message)
    if (verdict.refusal === undefined) return options.upgrade(message, socket, head, verdict)
    refuseRaw(socket, verdict.refusal, undefined, form)
  }

  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const cutOnFault = (socket: Socket, work: Promise<void>): void =>
    void work.catch((error: unknown) => {
      socket.destroy()
      onFault(error)
    })
  server.on('request', (message, reply) => cutOnFault(message.socket, serve(message, reply)))
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    cutOnFault(socket, upgrade(message, socket, head))
  })
  server.on('clientError', ({ code = '', rawPacket }: ClientError, socket: Socket) => {
    const reply = replies.get(socket)
    const isHalfSent = reply?.headersSent === true && !reply.writableFinished
    // A client that doesn't speak TLS can't be answered in TLS.
    if (isHalfSent || /^(ECONNRESET$|ERR_(SSL|TLS)_)/.test(code)) return void socket.destroy()
    const isUnknownMethod =
      code === 'HPE_INVALID_METHOD' && /^\S+ \S+ HTTP\/1/.test(rawPacket?.toString('latin1') ?? '')
    const refusal = isUnknownMethod ? METHOD_NOT_ALLOWED : UNREADABLE[code]
    refuseRaw(socket, refusal ?? malformed('The request is malformed'), undefined, form)
  })
  return { server, sockets, exempt }
}
