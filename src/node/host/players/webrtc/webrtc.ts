import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { plainAddress } from '../../../http/authority.js'
import { candidatesFor, type Reachable } from './advertised-address.js'
import type { Native } from './native.js'
import { Peer } from './peer.js'
import { Peering } from './peering.js'

export interface WebRtcOptions {
  /** UDP port of all players: that of the listener, so that one port of the GameServer, for TCP and UDP, leads to both. */
  readonly port: number
  /** Another port will do if this one is taken, as when the system has chosen the listener's. */
  readonly anyPort?: boolean
  readonly bindAddress: string
  /** The longest message of a player in bytes. */
  readonly maxMessage: number
  /** Players with a data channel at most. */
  readonly maxPeers: number
  /** ms until a channel must be open. Default 15,000. */
  readonly setupTimeout?: number
  /** Where players reach the port; undefined: where their WebSocket has come. */
  address(): Promise<Reachable | undefined>
}

/** A player whose page speaks of data channels. */
export interface ChannelSeeker {
  /** The address here that the player's WebSocket has reached. */
  readonly localAddress: string
  /** Sends a text over the player's WebSocket. */
  sendText(text: string): void
  /** An unreliable message has come. */
  receive(data: string | Uint8Array): void
}

/** Data channels for players, all on one UDP port. */
export interface WebRtc {
  readonly port: number
  /** Players with a data channel, or on the way to one. */
  readonly peers: number
  join(player: ChannelSeeker): Peering
  /** Ends all channels. */
  close(): void
}

const WILDCARDS = ['', '0.0.0.0', '::']

/**
 * @param native of `loadNative()`
 * @throws NodeJS.ErrnoException if the port can't be opened, such as EADDRINUSE
 */
export async function createWebRtc(native: Native, options: WebRtcOptions): Promise<WebRtc> {
  const plain = plainAddress(options.bindAddress)
  // As for the listener, `localhost` is IPv4.
  const bindAddress = WILDCARDS.includes(plain) ? undefined : plain === 'localhost' ? '127.0.0.1' : plain
  const port = await findPort(options.port, bindAddress, options.anyPort ?? false)
  return new DataChannels(native, { ...options, port, bindAddress })
}

interface DataChannelsOptions extends Omit<WebRtcOptions, 'bindAddress'> {
  readonly bindAddress: string | undefined
}

class DataChannels implements WebRtc {
  readonly #native: Native
  readonly #options: DataChannelsOptions
  readonly #peerings = new Set<Peering>()
  readonly #peers = new Set<object>()

  constructor(native: Native, options: DataChannelsOptions) {
    this.#native = native
    this.#options = options
  }

  get port(): number {
    return this.#options.port
  }

  get peers(): number {
    return this.#peers.size
  }

  join({ localAddress, sendText, receive }: ChannelSeeker): Peering {
    const { port, bindAddress, maxMessage, maxPeers, setupTimeout = 15_000, address } = this.#options
    /** The place of this player among all; a new attempt keeps it. */
    const place = {}
    const peering: Peering = new Peering({
      sendText,
      receive,
      open: async (offer, received, ended) => {
        if (this.#peers.size >= maxPeers && !this.#peers.has(place)) throw new Error('All channels are taken')
        this.#peers.add(place)
        const candidates = await candidatesFor(await address(), { address: localAddress, port })
        const native = this.#native
        const peer = new Peer(offer, { native, port, bindAddress, maxMessage, setupTimeout, receive: received, ended })
        return { peer, candidates }
      },
      released: () => this.#peers.delete(place),
      closed: () => this.#peerings.delete(peering),
    })
    this.#peerings.add(peering)
    return peering
  }

  close(): void {
    for (const peering of [...this.#peerings]) peering.close()
  }
}

/** Finds out early whether the port can be had: a peer that can't would only be told to its player. */
async function findPort(port: number, address: string | undefined, anyPort: boolean): Promise<number> {
  try {
    return await probe(port, address)
  } catch (error) {
    if (anyPort) return probe(0, address)
    throw error
  }
}

const probe = (port: number, address: string | undefined): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = createSocket({ type: address === undefined || isIPv6(address) ? 'udp6' : 'udp4' })
    socket.once('error', (error) => {
      socket.close()
      reject(error)
    })
    socket.bind({ port, exclusive: true, ...(address === undefined ? {} : { address }) }, () => {
      const bound = socket.address().port
      socket.close(() => {
        resolve(bound)
      })
    })
  })
