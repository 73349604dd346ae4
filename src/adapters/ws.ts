import { type SidecarError } from '../index.js'
import { check } from '../players/checks.js'
import {
  attach,
  checkNames,
  override,
  randomId,
  whenListening,
  type AttachedServer,
  type AttachOptions,
  type Front,
  type HttpServerLike,
} from './attached-server.js'
import type { ConnectionSeats } from './connection-seats.js'

export type { AttachedServer, AttachOptions, HttpServerLike }
export type { PlayerId } from './connection-seats.js'

/** The part of a TCP socket that is used. */
interface TcpSocketLike {
  on(event: 'error', listener: () => void): unknown
  once(event: 'close' | 'finish', listener: () => void): unknown
  removeListener(event: 'error', listener: () => void): unknown
  end(text?: string): unknown
  destroy(): unknown
}

/** The part of an upgrade's request that is used. */
export interface RequestLike {
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly socket: object
}

/** The part of a `WebSocketServer` of `ws` that is used. */
export interface WebSocketServerLike {
  readonly options: object
  readonly clients?: Iterable<{ close(code: number, reason: string): void; terminate(): void }>
  address(): unknown
  shouldHandle(request: never): unknown
  handleUpgrade(...values: never[]): unknown
  once(event: 'listening', listener: () => void): unknown
  removeListener(event: 'listening', listener: () => void): unknown
  close(done: () => void): void
}

export interface AttachWsOptions extends AttachOptions<RequestLike> {
  /** The `http.Server` whose upgrades your own code hands to a WebSocketServer with `noServer`. */
  server?: HttpServerLike
}

const WANTED =
  "a WebSocketServer of ws or an http.Server, as an app's listen() returns it; Socket.IO has gameserver-sidecar/socket.io"
const REASON = 'The server ends'
type Verify = (verified: boolean, status?: number, message?: string, headers?: object) => void
type Verifier = ((info: { req: RequestLike }, done: Verify) => unknown) | null | undefined
type Seats = ConnectionSeats<RequestLike>
type Admit = (request: RequestLike) => Promise<void>

/**
 * Runs a server of `ws`, or an `http.Server` whose upgrades your own code handles, as a GameServer: ready once it
 * listens, a seat for each player who is connected, and an end in order. Call it before players can come.
 *
 * A connection that gets no seat is refused before it opens: 503 with the error's code as its text, 401 where there is
 * no id or one that can't be right. By default a player's id is the query parameter `player`, or
 * else a random one: a real game has to authenticate in `idOf`.
 *
 * @throws SidecarError `CONFIG` where it is no server, or an option doesn't exist or can't be right
 */
export function attachServer(
  server: WebSocketServerLike | HttpServerLike,
  options: AttachWsOptions = {},
): AttachedServer {
  const given = Object(server) as WebSocketServerLike & HttpServerLike & { of?: unknown }
  const isWs = isFunction(given.handleUpgrade) && isFunction(given.shouldHandle)
  check(isWs || isHttpServer(given), 'server', server, WANTED)
  checkNames(options, ...(isWs ? ['server'] : []))
  const identify = options.idOf ?? idInQuery
  const { end: _, ...attached } = attach<RequestLike>(options, (seats) => {
    const admit = (request: RequestLike): Promise<void> => {
      socketOf(request).once('close', () => seats.free(request))
      return seats.take(request, () => identify(request))
    }
    return isWs ? frontOfWebSockets(given, options.server, seats, admit) : frontOfHttp(given, seats, admit)
  })
  return attached
}

function isHttpServer(server: object): boolean {
  const { closeIdleConnections, listen } = server as { [name in 'closeIdleConnections' | 'listen']?: unknown }
  return isFunction(closeIdleConnections) && isFunction(listen)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

/** The query parameter `player`, or else a random id. One that is escaped wrongly is nobody's. */
function idInQuery({ url = '' }: RequestLike): string | undefined {
  const found = /[?&]player=([^&#]+)/.exec(url)
  try {
    return found ? decodeURIComponent(found[1]!) : randomId()
  } catch {
    return undefined
  }
}

/** `ws` asks `verifyClient` when it knows that a request is right, and only then makes a WebSocket of it. */
function frontOfWebSockets(
  server: WebSocketServerLike,
  http: HttpServerLike | undefined,
  seats: Seats,
  admit: Admit,
): Front {
  const options = server.options as { server?: HttpServerLike; noServer?: boolean; verifyClient: Verifier }
  const web = http ?? options.server
  check(
    http || options.noServer ? isHttpServer(Object(web) as object) : true,
    'options.server',
    web,
    'the http.Server whose upgrades are handed over',
  )
  const { verifyClient: before } = options

  function verify(info: { req: RequestLike }, done: Verify): void {
    const next: Verify = (verified, ...refusal) => {
      if (!verified) return done(false, ...refusal)
      admit(info.req).then(
        () => done(true),
        (error: unknown) => {
          const { code } = error as SidecarError
          done(false, Number(statusOf(code).slice(0, 3)), code, { 'Content-Type': 'text/plain' })
        },
      )
    }
    if (!before) next(true)
    else if (before.length === 2) before(info, next)
    else next(!!before(info, next))
  }

  options.verifyClient = verify
  return {
    whenListening: (tell) =>
      web ? whenListening(web, web.listening, tell) : whenListening(server, !!server.address(), tell),
    end() {
      for (const socket of server.clients ?? []) socket.close(1001, REASON)
      if (!server.clients) endSockets(seats)
      return Promise.all([closed(server), web && closed(web)])
    },
    cut() {
      for (const socket of server.clients ?? []) socket.terminate()
      cutSockets(seats, web)
    },
    detach() {
      if (options.verifyClient === verify) options.verifyClient = before
    },
  }
}

/** Holds back the event `upgrade`, so that it doesn't matter who listens to it, and since when. */
function frontOfHttp(server: HttpServerLike, seats: Seats, admit: Admit): Front {
  let isAttached = true

  async function holdBack(request: RequestLike, tell: () => void): Promise<void> {
    const socket = socketOf(request)
    // Until somebody takes it over, nobody else hears of its errors.
    const ignore = (): void => {}
    socket.on('error', ignore)
    try {
      await admit(request)
    } catch (error) {
      const { code } = error as SidecarError
      socket.once('finish', () => socket.destroy())
      socket.end(
        `HTTP/1.1 ${statusOf(code)}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
          `Content-Length: ${code.length}\r\n\r\n${code}`,
      )
      return
    }
    socket.removeListener('error', ignore)
    tell()
  }

  const restore = override(server, 'emit', (emit) => (...values) => {
    const tell = (): unknown => emit.apply(server, values)
    if ((values[0] as unknown) !== 'upgrade' || !isAttached) return tell()
    void holdBack(values[1]!, tell)
    return true
  })
  return {
    whenListening: (tell) => whenListening(server, server.listening, tell),
    end() {
      endSockets(seats)
      return closed(server)
    },
    cut: () => cutSockets(seats, server),
    detach() {
      isAttached = false
      restore()
    },
  }
}

function socketOf({ socket }: RequestLike): TcpSocketLike {
  return socket as TcpSocketLike
}

function statusOf(code: string): string {
  return code === 'INVALID_ARGUMENT' ? '401 Unauthorized' : '503 Service Unavailable'
}

function closed(server: { close(done: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()))
}

function endSockets(seats: Seats): void {
  seats.connections.forEach((_, request) => socketOf(request).end())
}

function cutSockets(seats: Seats, server: HttpServerLike | undefined): void {
  seats.connections.forEach((_, request) => socketOf(request).destroy())
  server?.closeAllConnections()
}
