import type { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { Server as NetServer, type Socket } from 'node:net'
import { ConnectionDropped } from '../../platform/sidecar.js'
import { followCertificate, type Certificate } from './certificate.js'
import {
  answerRefusal,
  createReply,
  malformed,
  METHOD_NOT_ALLOWED,
  SIDECAR_FORM,
  type Refusal,
  type RefusalForm,
} from './refusal.js'
import type { Admission, RequestHead, Verdict } from './request-guard.js'

/** Limits that keep one client, or many, from taking the whole server. */
const limits = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 60_000,
  /** TCP probes a silent connection after this time: a client that lost its network sends no FIN. */
  probeMs: 30_000,
  /** Connections that belong to no watcher. */
  connections: 256,
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
  /** Most connections that aren't exempt. Default 256. */
  readonly connections?: number | undefined
  /** Most connections in all. Default 4,096. */
  readonly totalConnections?: number | undefined
  /** The form of refusals. Default: the sidecar's. */
  readonly refusalForm?: RefusalForm | undefined
  /**
   * Answers an admitted request. A rejected promise is a fault: the server reports it and cuts the connection. For a
   * `ConnectionDropped`, the server only resets the connection.
   */
  serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void>
  /** Answers an admitted upgrade to `websocket`. Requests for other upgrades are served as plain requests. */
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<void>
  readonly onRefused?: ((message: IncomingMessage, refusal: Refusal) => void) | undefined
  /** Called for a fault of this program while it served a request. */
  readonly onFault: (error: unknown) => void
  /** Takes a line about a renewed certificate that can't be used. */
  readonly onWarning?: ((line: string) => void) | undefined
}

/** An error of Node's parser, with the bytes that the parser could not read. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** Refusals of bytes that can't be read as HTTP, by the code of the parser's error. */
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 8, message: 'The headers are larger than 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 4, message: 'The request took too long to arrive' },
}

/** An HTTP server with limits, whose every request and upgrade has passed the guard. */
export function createGuardedServer(options: GuardedServerOptions) {
  const { tls, guard, onFault, refusalForm: form = SIDECAR_FORM } = options
  const replies = new WeakMap<Socket, ServerResponse>()
  const secure = tls && createSecureServer({ ...serverOptions, ...tls, handshakeTimeout: limits.headersMs })
  if (secure && tls.files) followCertificate(secure, tls.files, options.onWarning)
  const server = secure ?? createServer(serverOptions)
  const { connections = limits.connections, totalConnections = limits.totalConnections } = options
  const { begin, exempt, sockets } = limitConnections(server, connections, totalConnections)

  /** The admission of a request; undefined once the request was refused. */
  const admit = (message: IncomingMessage, to: ServerResponse | Socket): Admission | undefined => {
    const verdict = guard(message)
    if (verdict.refusal === undefined) return verdict
    options.onRefused?.(message, verdict.refusal)
    answerRefusal(to, verdict.refusal, undefined, form)
    return undefined
  }

  const serve = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const { socket } = message
    replies.set(socket, reply)
    begin(socket, reply)
    const admission = admit(message, reply)
    if (admission !== undefined) return options.serve(message, reply, admission)
  }

  const upgrade = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    if (message.headers.upgrade?.toLowerCase() !== 'websocket') {
      // HTTP allows a server to ignore an offer of another protocol. Node no longer reads from such a socket, so the end
      // of a client would go unnoticed.
      const reply = createReply(message, socket)
      socket.once('end', () => socket.destroy()).resume()
      return serve(message, reply)
    }
    begin(socket, socket)
    const admission = admit(message, socket)
    if (admission !== undefined) return options.upgrade(message, socket, head, admission)
  }

  const cutOnFault = (socket: Socket, work: Promise<void>): void =>
    void work.catch((error: unknown) => {
      if (error instanceof ConnectionDropped) return void socket.resetAndDestroy()
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
    answerRefusal(socket, refusal ?? malformed('The request is malformed'), undefined, form)
  })
  return {
    ...{ server: server as Server, sockets, exempt },
    /** Stops listening. The HTTP server's own close() would cut idle connections, whose clients may have more to say. */
    stopListening: (): void => void NetServer.prototype.close.call(server),
    /** Stops listening, cuts every connection, and resolves when all of them have ended. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** A connection younger than this is spared beyond the limit, since many watchers or players may come at once. */
const GRACE_MS = 1_000

interface Connection {
  /** With TLS, the underlying plain socket. */
  readonly plain: Socket
  /** Requests that wait for their answers. */
  unanswered: number
  /** When the connection was opened, or a request on it was last answered. */
  since: number
}

/**
 * Limits the connections that belong to no watcher or player to `limit`, and all
 * connections to `total`. Beyond a limit, the connections that have been idle longest
 * are closed, so a client that opens connections and stays silent keeps nobody out.
 */
export function limitConnections(server: Server, limit: number, total: number, graceMs = GRACE_MS) {
  /** Keyed by both ends, which a TLS socket shares with its plain one. The connections idle for longest come first. */
  const counted = new Map<string, Connection>()
  const sockets = new Set<Socket>()

  const makeRoom = (now: number): void => {
    for (const [ends, connection] of counted) {
      const isSpared = counted.size <= limit || now - connection.since < graceMs
      if (sockets.size <= total && isSpared) return
      if (connection.unanswered > 0) continue
      sockets.delete(connection.plain)
      counted.delete(ends)
      connection.plain.destroy()
    }
  }

  server.on('connection', (plain: Socket) => {
    const ends = endsOf(plain)
    const connection: Connection = { plain, unanswered: 0, since: performance.now() }
    sockets.add(plain)
    counted.set(ends, connection)
    plain.once('close', () => {
      sockets.delete(plain)
      // The client may have connected again from the same port by now.
      if (counted.get(ends) === connection) counted.delete(ends)
    })
    makeRoom(connection.since)
  })

  return {
    /** The open connections. */
    sockets: sockets as ReadonlySet<Socket>,
    /** Keeps a connection from being ended to make room until `answer` closes. */
    begin(socket: Socket, answer: EventEmitter): void {
      const ends = endsOf(socket)
      const connection = counted.get(ends)
      if (connection === undefined) return
      connection.unanswered += 1
      answer.once('close', () => {
        connection.unanswered -= 1
        connection.since = performance.now()
        if (counted.get(ends) !== connection) return
        counted.delete(ends)
        counted.set(ends, connection)
      })
    },
    /** Stops counting a connection that now belongs to a watcher or a player. */
    exempt: (socket: Socket): void => void counted.delete(endsOf(socket)),
  }
}

const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`
