import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Server, type AddressInfo, type Socket } from 'node:net'
import type { WebSocketServer } from 'ws'
import { MOST_BATCH_BYTES } from '../wire/batches.js'
import { WITH_CHANNEL } from '../wire/sockets.js'
import { answerRefusal, listen, notFound, TEXT_FORM, tokensMatch, urlHost } from '../../local/http.js'
import type { HostSettings } from '../host-options.js'
import { Listener } from './listener.js'
import { Relay, RESTARTING, STOPPING, type PlayersFigures, type RelayOptions } from './relay.js'
import type { Reachable } from './webrtc/advertised-address.js'
import { openChannels, type Channels } from './webrtc/channel.js'
import { loadNative } from './webrtc/peer.js'

/** A message in more fragments costs many times its size. */
const MOST_FRAGMENTS = 1_024
/** A silent player gets a ping after this time, and counts as gone after the same time without an answer. */
const PROBE_MS = 20_000
/** Time that `close()` waits for players to answer their close frames. */
const CLOSE_MS = 1_000

export interface PlayersPortOptions extends RelayOptions {
  /**
   * Opens data channels for unreliable messages, on the UDP port with the listener's
   * number. Returns where players reach that port; undefined: at their WebSocket's address.
   */
  readonly channelAddress?: (() => Promise<Reachable | undefined>) | undefined
  readonly probeInterval?: number | undefined
}

/**
 * Opens the public listener for players, and resolves when it listens.
 *
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 * @throws HostError MISSING_PEER
 */
export async function openPlayersPort(options: PlayersPortOptions): Promise<PlayersPort> {
  const { settings, channelAddress } = options
  const { playersPort, playersHost, maxMessage } = settings
  const { WebSocketServer } = await import('ws')
  // Loaded before anything is opened, because the package may be missing.
  const native = channelAddress && (await loadNative())
  const port = new PlayersPort(options, WebSocketServer)
  await port.listen()
  if (channelAddress === undefined || native === undefined) return port
  try {
    port.channels = await openChannels(native, {
      port: port.port,
      anyPort: playersPort === 0,
      bindAddress: playersHost,
      maxMessage,
      address: channelAddress,
    })
    return port
  } catch (error) {
    await port.close()
    throw error
  }
}

/** The port of players, and what passes between them and the page. */
export class PlayersPort {
  /** Path, with a secret, at which the page opens its one socket. */
  readonly pagePath = `/_/host/${randomBytes(16).toString('base64url')}`
  readonly listener: Listener
  port = 0
  channels: Channels | undefined
  readonly #settings: HostSettings
  readonly #relay: Relay
  #closing: Promise<void> | undefined

  constructor(options: PlayersPortOptions, Server: typeof WebSocketServer) {
    const { settings, probeInterval = PROBE_MS } = options
    const common = { noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false } as const
    this.#settings = settings
    this.#relay = new Relay(options, new Server({ ...common, maxPayload: MOST_BATCH_BYTES }))
    this.listener = new Listener({
      relay: this.#relay,
      probeInterval,
      websockets: new Server({
        ...common,
        maxPayload: settings.maxMessage,
        maxFragments: MOST_FRAGMENTS,
        handleProtocols: (offered) =>
          this.channels && offered.has(WITH_CHANNEL)
            ? WITH_CHANNEL
            : ([...offered].find((one) => one !== WITH_CHANNEL) ?? false),
      }),
      channels: () => this.channels,
    })
  }

  async listen(): Promise<void> {
    const { server } = this.listener
    await listen(server, this.#settings.playersPort, this.#settings.playersHost)
    this.port = (server.address() as AddressInfo).port
  }

  /** The address for players, such as `ws://127.0.0.1:7777`. */
  get url(): string {
    const { tls, playersHost } = this.#settings
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
    const { server, sockets } = this.listener
    this.refuse()
    this.#relay.closeAll(STOPPING)
    // The HTTP server's own close() would cut connections whose close frame is on its way.
    Server.prototype.close.call(server)
    await this.#relay.untilEmpty(CLOSE_MS)
    for (const socket of sockets) socket.destroy()
    this.channels?.close()
    this.#relay.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
}
