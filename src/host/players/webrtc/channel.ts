import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { readText, writeSignal, type HostSignal } from '../../wire/sockets.js'
import { plainAddress } from '../../../local/http.js'
import { candidatesFor, type Reachable } from './advertised-address.js'
import { Peer, type Native, type PeerOptions } from './peer.js'
import { readOffer } from './session-description.js'

export interface ChannelsOptions {
  /** UDP port of all players: that of the listener, so that one port of the GameServer, for TCP and UDP, leads to both. */
  readonly port: number
  /** Use another port if this port is taken: for a listener whose port the system chose. */
  readonly anyPort?: boolean
  readonly bindAddress: string
  /** The longest message of a player in bytes. */
  readonly maxMessage: number
  /** Where players reach the port; undefined: at their WebSocket's address. */
  address(): Promise<Reachable | undefined>
}

/** The UDP port of all channels, once it was chosen. A `bindAddress` that is undefined stands for all addresses. */
export type ChannelPort = Omit<ChannelsOptions, 'bindAddress'> & Pick<PeerOptions, 'native' | 'bindAddress'>

/** A player whose page supports data channels. */
export interface ChannelSeeker {
  /** The address here that the player's WebSocket has reached. */
  readonly localAddress: string
  /** Sends a text over the player's WebSocket. */
  sendText(text: string): void
  /** An unreliable message has come. */
  receive(data: string | Uint8Array): void
}

const WILDCARDS = ['', '0.0.0.0', '::']
/** Limits of offers and signals: an honest page makes three attempts, and reports each change of a channel. */
const MOST_OFFERS = 5
const MOST_SIGNALS = 200

/** @param native of `loadNative()` @throws NodeJS.ErrnoException if the port can't be opened, such as EADDRINUSE */
export async function chooseChannelPort(native: Native, options: ChannelsOptions): Promise<ChannelPort> {
  const plain = plainAddress(options.bindAddress)
  // As for the listener, `localhost` is IPv4.
  const bindAddress = WILDCARDS.includes(plain) ? undefined : plain === 'localhost' ? '127.0.0.1' : plain
  // Probe first: only the player would hear of a peer that can't open the port.
  const port = await probe(options.port, bindAddress).catch((error: unknown) => {
    if (options.anyPort) return probe(0, bindAddress)
    throw error
  })
  return { ...options, native, port, bindAddress }
}

async function probe(port: number, address: string | undefined): Promise<number> {
  const socket = createSocket({ type: address === undefined || isIPv6(address) ? 'udp6' : 'udp4' })
  try {
    socket.bind({ port, exclusive: true, ...(address === undefined ? {} : { address }) })
    await once(socket, 'listening')
    return socket.address().port
  } finally {
    await new Promise<void>((resolve) => void socket.close(resolve))
  }
}

/** The player's page doesn't follow this package's protocol. */
export class SignalError extends Error {
  override readonly name = 'SignalError'
}

/** The data channel of one player, for as long as the player's WebSocket is open. */
export class Channel {
  readonly #player: ChannelSeeker
  readonly #port: ChannelPort
  #peer: Peer | undefined
  #id = 0
  /** Changes with each offer. The player chooses its id, and may repeat an id. */
  #attempt = {}
  /** The player's page has said that the channel works. */
  #isUp = false
  #offers = 0
  #signals = 0
  #isClosed = false

  constructor(player: ChannelSeeker, port: ChannelPort) {
    this.#player = player
    this.#port = port
  }

  /**
   * Takes a text that came over the player's WebSocket.
   *
   * @returns the game's text; undefined: the text was for the channel
   * @throws SignalError for a malformed signal, or for too many signals
   */
  read(text: string): string | undefined {
    const read = readText(text)
    if ('text' in read) return read.text
    this.#signals += 1
    if (this.#signals > MOST_SIGNALS) throw new SignalError(`More than ${MOST_SIGNALS} signals`)
    const signal = readSignal(read.signal)
    if (!signal) throw new SignalError('A signal is malformed')
    if (this.#isClosed) return undefined
    if (signal.offer !== undefined) void this.#answer(signal.id, signal.offer)
    else if (signal.id === this.#id) this.#isUp = signal.up === true
    return undefined
  }

  /** Returns false if there is no channel that can carry the message. */
  send(data: string | Uint8Array): boolean {
    return this.#isUp && this.#peer !== undefined && this.#peer.send(data)
  }

  close(): void {
    this.#isClosed = true
    this.#release()
  }

  async #answer(id: number, text: string): Promise<void> {
    this.#release()
    this.#id = id
    const attempt = (this.#attempt = {})
    const isOver = (): boolean => attempt !== this.#attempt || this.#isClosed
    const ended = (reason: string): void => {
      if (isOver()) return
      this.#release()
      this.#tell({ id, ended: reason })
    }
    const offer = readOffer(text)
    if (!offer) return ended('The offer is not one of a data channel')
    if (++this.#offers > MOST_OFFERS) return ended(`More than ${MOST_OFFERS} offers`)
    const receive = (data: string | Uint8Array): void => {
      if (!isOver()) this.#player.receive(data)
    }
    const port = this.#port
    try {
      const own = { address: this.#player.localAddress, port: port.port }
      const candidates = await candidatesFor(await port.address(), own)
      if (isOver()) return
      this.#peer = new Peer(offer, { ...port, receive, ended })
      this.#tell({ id, answer: this.#peer.answer, candidates })
    } catch (error) {
      ended((error as Error).message)
    }
  }

  #tell(signal: HostSignal): void {
    this.#player.sendText(writeSignal(signal))
  }

  #release(): void {
    this.#isUp = false
    this.#peer?.close()
    this.#peer = undefined
  }
}

function readSignal(json: string): { readonly id: number; readonly offer?: string; readonly up?: boolean } | undefined {
  let value: Partial<Record<'id' | 'offer' | 'up', unknown>> | null
  try {
    value = JSON.parse(json) as typeof value
  } catch {
    return undefined
  }
  const { id, offer, up } = value ?? {}
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) return undefined
  if (typeof offer === 'string') return { id, offer }
  return typeof up === 'boolean' ? { id, up } : undefined
}
