import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import { MOST_BATCH_BYTES } from '../wire/batches.js'
import { WITH_CHANNEL } from '../wire/sockets.js'
import {
  answerRefusal,
  createGuardedServer,
  forbidden,
  isRead,
  listen,
  malformed,
  notFound,
  originOf,
  plainAddress,
  refusalLine,
  TEXT_FORM,
  tokensMatch,
  unavailable,
  urlHost,
  type Refusal,
  type RequestHead,
  type Verdict,
} from '../../local/http.js'
import type { HostSettings } from '../host-options.js'
import type { PlayersFigures } from './player.js'
import { Relay, RESTARTING, STOPPING, type PlayerRefusal, type RelayOptions } from './relay.js'
import type { Reachable } from './webrtc/advertised-address.js'
import { chooseChannelPort, type ChannelPort } from './webrtc/channel.js'
import { loadNative, type Native } from './webrtc/peer.js'

/** A message in more fragments costs many times its size. */
const MOST_FRAGMENTS = 1_024
/** Time that `close()` waits for players to answer their close frames. */
const CLOSE_MS = 1_000

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

export interface PlayersPortOptions extends RelayOptions {
  /**
   * Opens data channels for unreliable messages, on the UDP port with the listener's
   * number. Returns where players reach that port; undefined: at their WebSocket's address.
   */
  readonly channelAddress?: (() => Promise<Reachable | undefined>) | undefined
}

/**
 * Opens the public listener for players, and resolves when it listens.
 *
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 * @throws HostError MISSING_PEER
 */
export async function openPlayersPort(options: PlayersPortOptions): Promise<PlayersPort> {
  const { WebSocketServer } = await import('ws')
  const native = options.channelAddress && (await loadNative())
  const port = new PlayersPort(options, WebSocketServer)
  try {
    await port.open(native)
    return port
  } catch (error) {
    await port.close()
    throw error
  }
}

/**
 * The port of players, and what passes between them and the page. Its public server only accepts players' WebSockets, and
 * answers whether the game runs.
 */
export class PlayersPort {
  /** Path, with a secret, at which the page opens its one socket. */
  readonly pagePath = `/_/host/${randomBytes(16).toString('base64url')}`
  port = 0
  readonly #options: PlayersPortOptions
  readonly #relay: Relay
  /** Completes handshakes of players, with the limit of their messages. */
  readonly #websockets: WebSocketServer
  readonly #guarded: ReturnType<typeof createGuardedServer>
  #channelPort: ChannelPort | undefined
  #closing: Promise<void> | undefined

  constructor(options: PlayersPortOptions, WebSockets: typeof WebSocketServer) {
    const { maxMessage, maxPlayers, tls } = options.settings
    const common = { noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false } as const
    this.#options = options
    const relay = (this.#relay = new Relay(options, new WebSockets({ ...common, maxPayload: MOST_BATCH_BYTES })))
    this.#websockets = new WebSockets({
      ...common,
      maxPayload: maxMessage,
      maxFragments: MOST_FRAGMENTS,
      handleProtocols: (offered) =>
        this.#channelPort && offered.has(WITH_CHANNEL)
          ? WITH_CHANNEL
          : ([...offered].find((one) => one !== WITH_CHANNEL) ?? false),
    })
    this.#websockets.on('wsClientError', ({ message: why }: Error, socket: Socket, message: IncomingMessage) => {
      if (message.method === 'GET') this.#refuse(message, socket, malformed(why), VERSION)
      else this.#refuse(message, socket, { status: 405, code: 12, message: why }, { allow: 'GET' })
    })
    this.#guarded = createGuardedServer({
      tls,
      connections: OTHER_CONNECTIONS,
      totalConnections: maxPlayers + 2 * OTHER_CONNECTIONS,
      refusalForm: TEXT_FORM,
      guard: checkTarget,
      serve: (message, reply, { target }) => Promise.resolve(this.#serve(message, reply, target)),
      upgrade: (message, socket, head, { target }) => Promise.resolve(this.#upgrade(message, socket, head, target)),
      onRefused: (message, refusal) => relay.log(refusalLine(message, refusal)),
      onFault: options.onFault,
      onWarning: relay.log,
    })
  }

  async open(native: Native | undefined): Promise<void> {
    const { settings, channelAddress: address } = this.#options
    const { playersPort, playersHost: bindAddress, maxMessage } = settings
    const { server } = this.#guarded
    await listen(server, playersPort, bindAddress)
    const port = (this.port = (server.address() as AddressInfo).port)
    if (native === undefined || address === undefined) return
    const options = { port, anyPort: playersPort === 0, bindAddress, maxMessage, address }
    this.#channelPort = await chooseChannelPort(native, options)
  }

  /** The address for players, such as `ws://127.0.0.1:7777`. */
  get url(): string {
    const { tls, playersHost } = this.#options.settings
    return `${tls === undefined ? 'ws' : 'wss'}://${urlHost(playersHost)}:${this.port}`
  }

  get figures(): PlayersFigures {
    return this.#relay.figures
  }

  /** Makes an upgrade of the page at `pagePath` its socket. */
  acceptPage(message: IncomingMessage, socket: Socket, head: Buffer): void {
    if (tokensMatch(this.pagePath, message.url ?? '')) this.#relay.page.accept(message, socket, head)
    else answerRefusal(socket, notFound('The host has no such path'), undefined, TEXT_FORM)
  }

  /** New players are refused from now on with 1001. */
  refuse(): void {
    this.#relay.isStopping = true
  }

  /** Tells players that the game restarts, and admits nobody until the next page has connected. */
  startAgain(): void {
    this.#relay.closeAll(RESTARTING)
    this.#relay.page.dismiss()
    this.#relay.isStopping = false
  }

  closeAll(code: number, reason: string): void {
    this.#relay.closeAll({ code, reason })
  }

  /** Ends the listener, and resolves when all connections have ended. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.refuse()
    this.#relay.closeAll(STOPPING)
    // Close frames are on their way.
    this.#guarded.stopListening()
    await this.#relay.untilEmpty(CLOSE_MS)
    this.#relay.close()
    await this.#guarded.close()
  }

  #serve(message: IncomingMessage, reply: ServerResponse, target: string): void {
    const { page, isStopping } = this.#relay
    if (target.split('?')[0] !== '/healthz') return this.#refuse(message, reply, NOT_FOUND)
    if (!isRead(message)) return answerRefusal(reply, NOT_READ, { allow: 'GET, HEAD' }, TEXT_FORM)
    answerRefusal(reply, page.isOpen && !isStopping ? HEALTHY : NOT_READY, MEASURED, TEXT_FORM)
  }

  #refuse(
    message: IncomingMessage,
    to: ServerResponse | Socket,
    refusal: Refusal,
    headers?: Readonly<Record<string, string>>,
  ): void {
    this.#relay.log(refusalLine(message, refusal))
    answerRefusal(to, refusal, headers, TEXT_FORM)
  }

  #upgrade(message: IncomingMessage, socket: Socket, head: Buffer, target: string): void {
    const relay = this.#relay
    const { playerOrigins, addressOf } = this.#options.settings
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
    this.#websockets.handleUpgrade(message, socket, head, (accepted) => {
      const channelPort = this.#channelPort
      const refusal = relay.admit({ socket: accepted, raw: socket, url: target, remoteAddress, channelPort })
      if (refusal === undefined) this.#guarded.exempt(socket)
      else this.#dismiss(accepted, refusal, remoteAddress)
    })
  }

  #count(code: number): void {
    const { refused } = this.#relay.figures
    refused[code] = (refused[code] ?? 0) + 1
  }

  /** Closes a connection that was opened only for its close code: a page can't read the status of a refused handshake. */
  #dismiss(accepted: WebSocket, { code, reason }: PlayerRefusal, remoteAddress: string): void {
    this.#count(code)
    this.#relay.log(`A player from ${remoteAddress} is refused with ${code}: ${reason}`)
    accepted.on('error', () => undefined)
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
