import { internals, type SidecarError } from '../index.js'
import { attach, type AttachedSocketServer, type AttachOptions } from './attached/attached-server.js'
import { closed, override, whenListening, type HttpServerLike } from './attached/hooks.js'

export type { EndWhenEmptyOptions } from './index.js'
export type { AttachedServer, AttachedSocketServer, AttachOptions } from './attached/attached-server.js'
export type { PlayerId } from './attached/connection-seats.js'

/** The part of a socket of Socket.IO that is used. */
export interface SocketLike {
  readonly id: string
  readonly handshake: {
    readonly auth: Readonly<Record<string, unknown>>
    readonly query: Readonly<Record<string, unknown>>
    readonly address: string
    readonly headers: Readonly<Record<string, string | string[] | undefined>>
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
  use(middleware: (socket: SocketLike, next: (error?: Error) => void) => void): unknown
  on(event: 'connection', listener: (socket: SocketLike) => void): unknown
  removeListener(event: 'connection', listener: (socket: SocketLike) => void): unknown
}

/** The part of Socket.IO's `Server` that is used. */
export interface SocketIoServerLike {
  /** Set once the server listens or is attached. An HTTP/2 server has no method that cuts its connections. */
  readonly httpServer?: Pick<HttpServerLike, 'listening' | 'once' | 'removeListener'> & { closeAllConnections?(): void }
  of(namespace: string): NamespaceLike
  attach(...values: never[]): unknown
  close(done: () => void): unknown
}

export interface AttachSocketIoOptions extends AttachOptions<SocketLike> {
  /** The namespace whose sockets are players; default `/` */
  namespace?: string
}

const WANTED = 'a Server of socket.io 4; ws and an http.Server have gameserver-sidecar/ws'

/**
 * Runs a server of Socket.IO 4 as a GameServer: ready once the server listens, a seat for each connected player,
 * and a graceful shutdown. Call it before or after `listen()`.
 *
 * A socket that gets no seat gets `connect_error`, with the error's code as `error.data.code`. By default a player's id
 * is `auth.player`, or the query parameter `player`, or else the socket's own id. A real game has to authenticate
 * players, in an earlier middleware or in `idOf`.
 *
 * @throws SidecarError `CONFIG` for anything but a Socket.IO server, and for an unknown or invalid option
 */
export function attachServer(server: SocketIoServerLike, options: AttachSocketIoOptions = {}): AttachedSocketServer {
  const { of, attach: attachTo } = Object(server) as Partial<SocketIoServerLike>
  // Namespaces of Socket.IO 2 have no Map.
  internals.check(of && attachTo && server.of('/').sockets instanceof Map, 'server', server, WANTED)
  const identify = options.idOf ?? idOfSocket

  return attach<SocketLike>(options, ['namespace', 'trustProxy'], ({ seats, keepAddress, onListening, undo }) => {
    const namespace = server.of(options.namespace ?? '/')

    async function admit(socket: SocketLike): Promise<void> {
      const free = (): void => seats.free(socket)
      keepAddress(socket, socket.handshake.address, socket.handshake.headers['x-forwarded-for'])
      // A socket that another middleware refuses emits no `disconnect`.
      socket.conn.once('close', free)
      socket.once('disconnect', free)
      await seats.take(
        socket,
        () => identify(socket),
        () => socket.conn.readyState !== 'open',
      )
    }

    function middleware(socket: SocketLike, next: (error?: Error) => void): void {
      admit(socket).then(
        () => next(),
        (error: unknown) => {
          // The summary lacks the hint, which is for developers.
          const { code, summary } = error as SidecarError
          next(Object.assign(new Error(summary), { data: { code } }))
        },
      )
    }

    /** A connection whose state is recovered skips the middleware. */
    function onConnection(socket: SocketLike): void {
      if (!seats.connections.has(socket)) admit(socket).catch(() => socket.disconnect(true))
    }

    // Run after the middleware that is added in this turn: a socket that one of them refuses takes no seat.
    void Promise.resolve().then(() => namespace.use(middleware))
    namespace.on('connection', onConnection)
    undo(() => void namespace.removeListener('connection', onConnection))

    let stopWaiting = (): void => {}
    const follow = (): void => {
      const { httpServer } = server
      if (httpServer) stopWaiting = whenListening(httpServer, httpServer.listening, onListening)
    }
    follow()
    undo(() => stopWaiting())
    // `listen()` calls this method too.
    undo(
      override(server, 'attach', (attachTo) => (...values) => {
        const result = attachTo.apply(server, values)
        follow()
        return result
      }),
    )

    return {
      async end() {
        // Only sockets of this process, even if an adapter connects several processes.
        const gone = Array.from(namespace.sockets.values(), (socket) => {
          const isClosed = new Promise<void>((resolve) => void socket.conn.once('close', resolve))
          socket.disconnect(true)
          return isClosed
        })
        await Promise.all(gone)
        await closed(server)
      },
      cut() {
        server.close(() => {})
        server.httpServer?.closeAllConnections?.()
      },
    }
  })
}

function idOfSocket({ id, handshake: { auth, query } }: SocketLike): string {
  const given = auth['player'] || query['player']
  return typeof given === 'string' ? given : id
}
