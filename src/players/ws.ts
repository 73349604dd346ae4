import { internals, type SidecarError } from '../index.js'
import { attach, type AttachedSocketServer, type AttachOptions } from './attached/attached-server.js'
import { closed, override, whenListening, type HttpServerLike } from './attached/hooks.js'

export type { EndWhenEmptyOptions } from './index.js'
export type { AttachedServer, AttachedSocketServer, AttachOptions } from './attached/attached-server.js'
export type { PlayerId } from './attached/connection-seats.js'
export type { HttpServerLike } from './attached/hooks.js'

/** The part of a TCP socket that is used. */
interface TcpSocketLike {
  readonly remoteAddress?: string | undefined
  readonly readable: boolean
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

const WANTED = 'a WebSocketServer of ws or an http.Server; Socket.IO has gameserver-sidecar/socket.io'
type Verify = (verified: boolean, status?: number, message?: string, headers?: object) => void
type Verifier = (info: { req: RequestLike }, done: Verify) => unknown
/** Resolves with the code of the refusal, or undefined if the connection is admitted. */
type Admit = (request: RequestLike) => Promise<string | undefined>

/**
 * Runs a server of `ws`, or an `http.Server` whose upgrades your own code handles, as a GameServer: ready once the
 * server listens, a seat for each connected player, and a graceful shutdown. Call it before players can connect.
 *
 * A connection that gets no seat is refused before it opens: 503 with the error's code as its text, or 401 for a
 * missing or invalid id. By default a player's id is the query parameter `player`, or else a random id. A real game has
 * to authenticate players in `idOf`.
 *
 * @throws SidecarError `CONFIG` for anything but such a server, and for an unknown or invalid option
 */
export function attachServer(
  server: WebSocketServerLike | HttpServerLike,
  options: AttachWsOptions = {},
): AttachedSocketServer {
  const { check } = internals
  const isWs = isFunction(server, 'handleUpgrade') && isFunction(server, 'shouldHandle')
  const ws = isWs ? (server as WebSocketServerLike) : undefined
  const settings = (ws?.options ?? {}) as { server?: HttpServerLike; noServer?: boolean; verifyClient?: Verifier }
  const web = ws ? (options.server ?? settings.server) : (server as HttpServerLike)
  check(isWs || isHttpServer(web), 'server', server, WANTED)
  const isAlone = !options.server && !settings.noServer
  check(isAlone || isHttpServer(web), 'options.server', web, 'the http.Server whose upgrades are handed over')
  const identify = options.idOf ?? idInQuery
  const names = ['trustProxy', ...(ws ? ['server'] : [])]
  return attach<RequestLike>(options, names, ({ seats, keepAddress, onListening, undo }) => {
    async function admit(request: RequestLike): Promise<string | undefined> {
      const socket = socketOf(request)
      keepAddress(request, socket.remoteAddress, request.headers['x-forwarded-for'])
      socket.once('close', () => seats.free(request))
      try {
        await seats.take(
          request,
          () => identify(request),
          () => !socket.readable,
        )
      } catch (error) {
        return (error as SidecarError).code
      }
      return undefined
    }
    const eachSocket = (run: (socket: TcpSocketLike) => unknown): void =>
      seats.connections.forEach((_, request) => run(socketOf(request)))

    undo(
      ws
        ? override(settings, 'verifyClient', (before) => verifier(before as Verifier, admit))
        : override(web!, 'emit', (emit) => (...values) => {
            if (values[0] !== 'upgrade') return emit.apply(web, values)
            void holdBack(values[1]!, admit, () => emit.apply(web, values))
            return true
          }),
    )
    undo(whenListening(web ?? ws!, web ? web.listening : !!ws!.address(), onListening))
    return {
      end() {
        for (const socket of ws?.clients ?? []) socket.close(1001, 'The server ends')
        if (!ws?.clients) eachSocket((socket) => socket.end())
        return Promise.all([closed(ws), closed(web)])
      },
      cut() {
        for (const socket of ws?.clients ?? []) socket.terminate()
        eachSocket((socket) => socket.destroy())
        web?.closeAllConnections()
      },
    }
  })
}

/** Uses `verifyClient`, which `ws` calls after it has validated a request and before it creates the WebSocket. */
function verifier(before: Verifier | null | undefined, admit: Admit): Verifier {
  return function verify(info, done) {
    const next: Verify = (verified, ...refusal) => {
      if (!verified) return done(false, ...refusal)
      void admit(info.req).then((code) => {
        if (code) done(false, parseInt(statusOf(code)), code, { 'Content-Type': 'text/plain' })
        else done(true)
      })
    }
    if (before?.length === 2) before(info, next)
    else next(!before || !!before(info, next))
  }
}

/** Holds back the event `upgrade`, whoever listens to it and whenever the listener was added. */
async function holdBack(request: RequestLike, admit: Admit, handOn: () => void): Promise<void> {
  const socket = socketOf(request)
  // Until a listener takes the socket over, nothing else handles its errors.
  const ignore = (): void => {}
  socket.on('error', ignore)
  const code = await admit(request)
  if (code) {
    socket.once('finish', () => socket.destroy())
    const head = `HTTP/1.1 ${statusOf(code)}\r\nConnection: close\r\nContent-Type: text/plain\r\n`
    socket.end(`${head}Content-Length: ${code.length}\r\n\r\n${code}`)
  } else {
    socket.removeListener('error', ignore)
    handOn()
  }
}

/** The query parameter `player`, or else a random id. A malformed escape gives undefined, which is refused. */
function idInQuery({ url = '' }: RequestLike): string | undefined {
  const found = /[?&]player=([^&#]+)/.exec(url)
  try {
    return found ? decodeURIComponent(found[1]!) : crypto.randomUUID()
  } catch {
    return undefined
  }
}

function isFunction(value: unknown, name: string): boolean {
  return typeof (Object(value) as Record<string, unknown>)[name] === 'function'
}

function isHttpServer(server: unknown): boolean {
  return isFunction(server, 'closeIdleConnections') && isFunction(server, 'listen')
}

function socketOf({ socket }: RequestLike): TcpSocketLike {
  return socket as TcpSocketLike
}

function statusOf(code: string): string {
  return code === 'INVALID_ARGUMENT' ? '401 Unauthorized' : '503 Service Unavailable'
}
