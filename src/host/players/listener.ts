import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import { WITH_CHANNEL } from '../wire/sockets.js'
import {
  answerRefusal,
  createGuardedServer,
  forbidden,
  malformed,
  notFound,
  originOf,
  plainAddress,
  refusalLine,
  TEXT_FORM,
  unavailable,
  type Refusal,
  type RequestHead,
  type Verdict,
} from '../../local/http.js'
import type { HostSettings } from '../host-options.js'
import type { PlayerRefusal, Relay } from './relay.js'
import { Connection } from './connection.js'
import type { Channels } from './webrtc/channel.js'

/** Most connections without a player: handshakes, refusals, and health probes. */
const OTHER_CONNECTIONS = 256
/** Time for a player who was refused to answer the close frame. */
const REFUSED_MS = 1_000

/** Any page may measure how far away the host is. */
const MEASURED = { 'access-control-allow-origin': '*', 'timing-allow-origin': '*' } as const
/** Sent with a failed handshake, since the client may speak another version. */
const VERSION = { 'sec-websocket-version': '13' } as const

const NOT_FOUND = notFound('Only WebSocket connections of players are accepted here, and GET /healthz')
const NOT_READY = unavailable('The game is not ready yet')
const NOT_READ: Refusal = { status: 405, code: 12, message: 'GET /healthz' }
const HEALTHY: Refusal = { status: 200, code: 0, message: 'ok' }

/** Paths of the gateway and the sidecar that a client may dial by mistake: its watch would become a silent player. */
const WRONG_PORT = /^\/(_\/|watch\/gameserver(\?|$))/

export interface ListenerOptions {
  readonly relay: Relay
  readonly probeInterval: number
  /** Completes handshakes of players, with the limit of their messages. */
  readonly websockets: WebSocketServer
  /** Data channels, if the host supports them. */
  readonly channels: () => Channels | undefined
}

/** The public server. It only accepts players' WebSockets and answers whether the game runs. */
export class Listener {
  readonly server: Server
  readonly sockets: ReadonlySet<Socket>
  readonly #options: ListenerOptions
  readonly #exempt: (socket: Socket) => void

  constructor(options: ListenerOptions) {
    const { relay, websockets } = options
    const { maxPlayers, tls } = relay.options.settings
    this.#options = options
    websockets.on('wsClientError', ({ message: why }: Error, socket: Socket, message: IncomingMessage) => {
      if (message.method === 'GET') this.#refuse(message, socket, malformed(why), VERSION)
      else this.#refuse(message, socket, { status: 405, code: 12, message: why }, { allow: 'GET' })
    })
    const { server, sockets, exempt } = createGuardedServer({
      tls,
      connections: OTHER_CONNECTIONS,
      totalConnections: maxPlayers + 2 * OTHER_CONNECTIONS,
      refusalForm: TEXT_FORM,
      guard: checkTarget,
      serve: (message, reply, { target }) => Promise.resolve(this.#serve(message, reply, target)),
      upgrade: (message, socket, head, { target }) => Promise.resolve(this.#upgrade(message, socket, head, target)),
      onRefused: ({ method, url = '' }, refusal) => relay.log(refusalLine(method, url, refusal)),
      onFault: relay.options.onFault,
      onWarning: relay.log,
    })
    this.server = server
    this.sockets = sockets
    this.#exempt = exempt
  }

  #serve(message: IncomingMessage, reply: ServerResponse, target: string): void {
    const answer = this.#answer(message, target)
    if (answer === NOT_FOUND) return this.#refuse(message, reply, answer)
    answerRefusal(reply, answer, answer === NOT_READ ? { allow: 'GET, HEAD' } : MEASURED, TEXT_FORM)
  }

  #answer({ method }: IncomingMessage, target: string): Refusal {
    const { relay } = this.#options
    if (target.split('?')[0] !== '/healthz') return NOT_FOUND
    if (method !== 'GET' && method !== 'HEAD') return NOT_READ
    return relay.page.isOpen && !relay.isStopping ? HEALTHY : NOT_READY
  }

  #refuse(
    { method, url = '' }: IncomingMessage,
    to: ServerResponse | Socket,
    refusal: Refusal,
    headers?: Readonly<Record<string, string>>,
  ): void {
    this.#options.relay.log(refusalLine(method, url, refusal))
    answerRefusal(to, refusal, headers, TEXT_FORM)
  }

  #upgrade(message: IncomingMessage, socket: Socket, head: Buffer, target: string): void {
    const { relay, probeInterval, websockets, channels } = this.#options
    const { playerOrigins, addressOf } = relay.options.settings
    if (WRONG_PORT.test(target)) return this.#refuse(message, socket, NOT_FOUND)
    const origin = foreignOrigin(message, playerOrigins)
    if (origin !== undefined) {
      this.#count(403)
      return this.#refuse(message, socket, forbidden(`Pages of ${origin} are not among the origins of players`))
    }
    if (!relay.page.isOpen && !relay.isStopping) {
      this.#count(NOT_READY.status)
      return this.#refuse(message, socket, NOT_READY)
    }
    const remoteAddress = plainAddress(addressOf(socket.remoteAddress, message.headers['x-forwarded-for']))
    websockets.handleUpgrade(message, socket, head, (accepted) => {
      const connection = new Connection(accepted, socket, target, remoteAddress)
      const player = relay.admit(connection)
      if ('code' in player) return this.#dismiss(accepted, player, remoteAddress)
      const offered = accepted.protocol === WITH_CHANNEL ? channels() : undefined
      if (offered) connection.offerChannel(offered, player)
      connection.serve(player)
      this.#exempt(socket)
      // setImmediate: after a stall, read what has arrived before probing.
      const probes = setInterval(() => setImmediate(() => connection.probe()), probeInterval)
      accepted.once('close', () => clearInterval(probes))
    })
  }

  #count(code: number): void {
    const { refused } = this.#options.relay.figures
    refused[code] = (refused[code] ?? 0) + 1
  }

  /** Closes a connection that was opened only for its close code: a page can't read the status of a refused handshake. */
  #dismiss(accepted: WebSocket, { code, reason }: PlayerRefusal, remoteAddress: string): void {
    this.#count(code)
    this.#options.relay.log(`A player from ${remoteAddress} is refused with ${code}: ${reason}`)
    accepted.close(code, reason)
    const timer = setTimeout(() => accepted.terminate(), REFUSED_MS)
    accepted.once('close', () => clearTimeout(timer))
  }
}

/** Players may use any host name, so only the form of the target is checked. */
function checkTarget({ url = '' }: RequestHead): Verdict {
  if (/^\/[!-~]*$/.test(url)) return { target: url, host: '', foreignOrigin: undefined }
  return { refusal: malformed('The request target is malformed') }
}

/** The Origin of a page that may not play. Programs send no Origin. */
function foreignOrigin({ headers }: IncomingMessage, allowed: HostSettings['playerOrigins']): string | undefined {
  const { origin } = headers
  if (allowed === undefined || origin === undefined) return undefined
  return allowed.includes(originOf(origin) ?? '') ? undefined : origin
}
