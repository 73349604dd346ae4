import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Certificate } from '../../http/certificate.js'
import { parseOrigin, plainAddress, sameOrigin } from '../../http/authority.js'
import { createGuardedServer } from '../../http/guarded-server.js'
import { refusalLine } from '../../http/line-log.js'
import type { LineLog } from '../../http/line-log.js'
import { answerRaw, SAFE_HEADERS } from '../../http/raw-response.js'
import { malformed, TEXT_FORM } from '../../http/refusal.js'
import { headerValues } from '../../http/request-guard.js'
import type { RequestHead, Verdict } from '../../http/request-guard.js'
import { KeepAlive } from './keep-alive.js'
import { isReserved } from './player-paths.js'
import type { PlayerRefusal } from './players.js'
import type { Relay } from './relay.js'
import type { WebRtc } from './webrtc/webrtc.js'
import { WebSocketTransport } from './websocket-transport.js'
import { WITH_CHANNEL } from '../../../relay/signals.js'

/** Connections that aren't players': those that are being accepted or refused, and probes of health. */
const OTHER_CONNECTIONS = 256
/** Time for a player who was refused to answer the close frame. */
const REFUSED_MS = 1_000

const TEXT = { 'content-type': 'text/plain; charset=utf-8', ...SAFE_HEADERS } as const

/** A handshake that fails may have been for another version. */
const VERSION = { 'sec-websocket-version': '13' } as const

const NOT_FOUND = [404, 'Only WebSocket connections of players are accepted here, and GET /healthz\n'] as const
const NOT_READY = [503, 'The game is not ready yet\n'] as const

export interface PlayerListenerOptions {
  readonly relay: Relay
  readonly isPageOpen: () => boolean
  readonly maxPlayers: number
  readonly origins: readonly string[] | undefined
  readonly tls: Certificate | undefined
  readonly probeInterval: number
  /** Completes handshakes of players, with the limit of their messages. */
  readonly websockets: WebSocketServer
  /** Data channels, if the host has them. */
  readonly webRtc: () => WebRtc | undefined
  readonly log: LineLog
  onFault(error: unknown): void
}

export interface PlayerListener {
  readonly server: Server
  readonly sockets: ReadonlySet<Socket>
}

/** The public server. It accepts WebSockets of players, tells whether the game is there, and has nothing else. */
export function createPlayerListener(options: PlayerListenerOptions): PlayerListener {
  const { relay, isPageOpen, maxPlayers, origins, tls, probeInterval, websockets, log, onFault } = options
  const allowed = origins?.map((text) => parseOrigin(text)!)
  const keepAlive = new KeepAlive(probeInterval)

  const serve = (message: IncomingMessage, reply: ServerResponse, target: string): void => {
    const isHealth = target.split('?')[0] === '/healthz'
    const isRead = message.method === 'GET' || message.method === 'HEAD'
    if (!isHealth) log(line(message, target, ...NOT_FOUND))
    const isServing = isPageOpen() && !relay.isStopping
    const [status, body] = !isHealth
      ? NOT_FOUND
      : !isRead
        ? ([405, 'GET /healthz\n'] as const)
        : isServing
          ? ([200, 'ok\n'] as const)
          : NOT_READY
    reply.writeHead(status, {
      ...TEXT,
      ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
      'content-length': Buffer.byteLength(body),
    })
    reply.end(body)
  }

  const refuse = (
    message: IncomingMessage,
    socket: Socket,
    target: string,
    status: number,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): void => {
    log(line(message, target, status, body))
    answerRaw(socket, status, body, { ...TEXT, ...headers })
  }

  const upgrade = (message: IncomingMessage, socket: Socket, head: Buffer, target: string): void => {
    if (isReserved(target)) return refuse(message, socket, target, ...NOT_FOUND)
    const origin = foreignOrigin(message, allowed)
    if (origin !== undefined) {
      return refuse(message, socket, target, 403, `Pages of ${origin} are not among the origins of players\n`)
    }
    if (!isPageOpen() && !relay.isStopping) return refuse(message, socket, target, ...NOT_READY)
    const remoteAddress = plainAddress(socket.remoteAddress ?? '')
    websockets.handleUpgrade(message, socket, head, (accepted) => {
      const transport = new WebSocketTransport(accepted, socket, target, remoteAddress)
      const player = relay.admit(transport)
      if ('code' in player) return dismiss(accepted, player, remoteAddress)
      const webRtc = accepted.protocol === WITH_CHANNEL ? options.webRtc() : undefined
      if (webRtc) transport.offerChannel(webRtc, player)
      transport.serve(player)
      exempt(socket)
      keepAlive.add(transport)
      accepted.once('close', () => keepAlive.delete(transport))
    })
  }

  /** Closes a connection that was opened only to say so: a page can't read the status of a refused one. */
  const dismiss = (accepted: WebSocket, { code, reason }: PlayerRefusal, remoteAddress: string): void => {
    log(`A player from ${remoteAddress} is refused with ${code}: ${reason}`)
    accepted.close(code, reason)
    const timer = setTimeout(() => accepted.terminate(), REFUSED_MS)
    accepted.once('close', () => clearTimeout(timer))
  }

  websockets.on('wsClientError', ({ message: why }: Error, socket: Socket, message: IncomingMessage) => {
    const status = message.method === 'GET' ? 400 : 405
    refuse(message, socket, message.url ?? '', status, `${why}\n`, status === 400 ? VERSION : { allow: 'GET' })
  })

  const { server, sockets, exempt } = createGuardedServer({
    tls,
    connections: OTHER_CONNECTIONS,
    totalConnections: maxPlayers + 2 * OTHER_CONNECTIONS,
    refusalForm: TEXT_FORM,
    guard: checkTarget,
    serve: (message, reply, { target }) => Promise.resolve(serve(message, reply, target)),
    upgrade: (message, socket, head, { target }) => Promise.resolve(upgrade(message, socket, head, target)),
    onRefused: ({ method, url = '' }, refusal) => log(refusalLine(method, url, refusal)),
    onFault,
  })
  return { server, sockets }
}

/** Players come by any name of this server, so only the form of the target is looked at. */
function checkTarget({ url = '' }: RequestHead): Verdict {
  if (/^\/[!-~]*$/.test(url)) return { target: url, host: '', foreignOrigin: undefined }
  return { refusal: malformed('The request target is malformed') }
}

/** The Origin of a page that may not play. What isn't a page sends none. */
function foreignOrigin(
  message: IncomingMessage,
  allowed: ReturnType<typeof parseOrigin>[] | undefined,
): string | undefined {
  if (allowed === undefined) return undefined
  const texts = headerValues(message.rawHeaders, 'origin')
  if (texts.length === 0) return undefined
  const origin = texts.length === 1 ? parseOrigin(texts[0]!) : undefined
  const isAllowed = origin !== undefined && allowed.some((other) => sameOrigin(origin, other!))
  return isAllowed ? undefined : texts.join()
}

const line = ({ method }: IncomingMessage, target: string, status: number, body: string): string =>
  refusalLine(method, target, { status, code: 0, message: body.trim() })
