import type { SidecarError } from '../index.js'
import { check } from '../players/checks.js'
import {
  attach,
  checkNames,
  override,
  whenListening,
  type AttachedServer,
  type AttachOptions,
  type Front,
  type HttpServerLike,
} from './attached-server.js'
import type { ConnectionSeats } from './connection-seats.js'

export type { AttachedServer, AttachOptions }
export type { PlayerId } from './connection-seats.js'

/** The part of a socket of Socket.IO that is used. */
export interface SocketLike {
  readonly id: string
  readonly handshake: {
    readonly auth: Readonly<Record<string, unknown>>
    readonly query: Readonly<Record<string, unknown>>
  }
  readonly conn: {
    readonly readyState: string
    once(event: 'close', listener: () => void): unknown
  }
  once(event: 'disconnect', listener: () => void): unknown
  disconnect(close: boolean): unknown
}

/** The part of a namespace that is used. */
export interface NamespaceLike {
  readonly sockets: ReadonlyMap<string, SocketLike>
  readonly local: { disconnectSockets(close: boolean): unknown }
  use(middleware: (socket: SocketLike, next: (error?: Error) => void) => void): unknown
  on(event: 'connection', listener: (socket: SocketLike) => void): unknown
  removeListener(event: 'connection', listener: (socket: SocketLike) => void): unknown
}

/** The part of Socket.IO's `Server` that is used. */
export interface SocketIoServerLike {
  /** One of HTTP/2 can't cut its connections. */
  readonly httpServer?: Pick<HttpServerLike, 'listening' | 'once' | 'removeListener'> & { closeAllConnections?(): void }
  of(namespace: string): NamespaceLike
  attach(...values: never[]): unknown
  close(done: () => void): unknown
}

export interface AttachSocketIoOptions extends AttachOptions<SocketLike> {
  /** The namespace whose sockets are players; default `/` */
  namespace?: string
}

const WANTED = 'a Server of socket.io; ws and an http.Server have gameserver-sidecar/ws'

/**
 * Runs a server of Socket.IO 4 as a GameServer: ready once it listens, a seat for each player who is connected, and an
 * end in order. It may listen later.
 *
 * A socket that gets no seat gets `connect_error`, with the error's code as `error.data.code`. By default a player's id
 * is `auth.player`, or the query parameter `player`, or else the socket's own: a real game has to authenticate, in a
 * middleware before or in `idOf`.
 *
 * @throws SidecarError `CONFIG` where it is no server, or an option doesn't exist or can't be right
 */
export function attachServer(server: SocketIoServerLike, options: AttachSocketIoOptions = {}): AttachedServer {
  const given = Object(server) as { [name in keyof SocketIoServerLike]?: unknown }
  check(typeof given.of === 'function' && typeof given.attach === 'function', 'server', server, WANTED)
  checkNames(options, 'namespace')
  const { end: _, ...attached } = attach<SocketLike>(options, (seats) =>
    frontOf(server, options.namespace ?? '/', seats, options.idOf ?? idOfSocket),
  )
  return attached
}

function idOfSocket({ id, handshake: { auth, query } }: SocketLike): string {
  const given = auth['player'] || query['player']
  return typeof given === 'string' ? given : id
}

function frontOf(
  server: SocketIoServerLike,
  name: string,
  seats: ConnectionSeats<SocketLike>,
  identify: NonNullable<AttachSocketIoOptions['idOf']>,
): Front {
  const namespace = server.of(name)
  let isAttached = true

  async function admit(socket: SocketLike): Promise<void> {
    const free = (): void => seats.free(socket)
    // A socket that another middleware refuses is never disconnected.
    socket.conn.once('close', free)
    socket.once('disconnect', free)
    await seats.take(socket, () => identify(socket))
  }

  function middleware(socket: SocketLike, next: (error?: Error) => void): void {
    if (!isAttached) return next()
    admit(socket).then(
      () => next(),
      (error: unknown) => {
        const { code, message } = error as SidecarError
        next(Object.assign(new Error(message), { data: { code } }))
      },
    )
  }

  /** A connection whose state is recovered skips the middleware. */
  function onConnection(socket: SocketLike): void {
    if (!seats.connections.has(socket)) admit(socket).catch(() => socket.disconnect(true))
  }

  // After all that are added now: who is refused by one of them takes no seat.
  void Promise.resolve().then(() => namespace.use(middleware))
  namespace.on('connection', onConnection)

  return {
    whenListening(tell) {
      let forget = (): void => {}
      const follow = (): void => {
        const { httpServer } = server
        if (httpServer) forget = whenListening(httpServer, httpServer.listening, tell)
      }
      follow()
      // `listen()` calls it too.
      const restore = override(server, 'attach', (attachTo) => (...values) => {
        const result = attachTo.apply(server, values)
        follow()
        return result
      })
      return () => {
        forget()
        restore()
      }
    },
    async end() {
      const gone = Array.from(namespace.sockets.values(), ({ conn }) => closed(conn))
      // Only those of this process, also where an adapter connects it with others.
      namespace.local.disconnectSockets(true)
      await Promise.all(gone)
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
    cut() {
      server.close(() => {})
      server.httpServer?.closeAllConnections?.()
    },
    detach() {
      isAttached = false
      namespace.removeListener('connection', onConnection)
    },
  }
}

function closed(conn: SocketLike['conn']): Promise<void> {
  return new Promise((resolve) => (conn.readyState === 'closed' ? resolve() : conn.once('close', () => resolve())))
}
