import { STALE_BYTES } from '../../wire/sockets.js'
import { rewriteAnswer, writeOffer, type Offer } from './session-description.js'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DataChannel, PeerConnection } from 'node-datachannel'
import { HostError } from '../../host-error.js'

/** Time until the channel must be open. */
const SETUP_MS = 15_000

export interface PeerOptions {
  readonly native: Native
  readonly port: number
  readonly bindAddress: string | undefined
  /** Bytes. */
  readonly maxMessage: number
  receive(data: string | Uint8Array): void
  /** The peer has ended by itself, and its channel with it. */
  ended(reason: string): void
}

/**
 * One data channel to a player.
 *
 * The native objects must not be collected before they have reported that they are closed, or they are used after being
 * freed. Until then, the listeners here reference them. For the same reason, the package's `cleanup()` is never called.
 */
export class Peer {
  readonly #options: PeerOptions
  readonly #connection: NativePeer
  readonly #channel: NativeChannel
  readonly #timer: NodeJS.Timeout
  #hasEnded = false
  /** The answer to the player's offer. */
  readonly answer: string

  /** @throws Error if the offer can't be used, or the port can't be opened */
  constructor(offer: Offer, options: PeerOptions) {
    this.#options = options
    const { native, port, bindAddress, maxMessage } = options
    this.#connection = new native.PeerConnection('player', {
      iceServers: [],
      // All players share one UDP port, the one that the GameServer declares.
      enableIceUdpMux: true,
      portRangeBegin: port,
      portRangeEnd: port,
      ...(bindAddress === undefined ? {} : { bindAddress }),
      disableAutoNegotiation: true,
      // Longer messages are cut to this length, which marks them as too long.
      maxMessageSize: maxMessage + 1,
    })
    try {
      this.#listen()
      this.#connection.setRemoteDescription(writeOffer(offer), 'offer')
      this.#channel = this.#connection.createDataChannel('', {
        negotiated: true,
        id: 0,
        unordered: true,
        maxRetransmits: 0,
      })
      this.#channel.onMessage((data) => {
        if (this.#hasEnded) return
        const size = typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength
        if (size > maxMessage) this.#fail(`A message has more than ${maxMessage} bytes`)
        else options.receive(typeof data === 'string' ? data : new Uint8Array(data))
      })
      this.#channel.onOpen(() => clearTimeout(this.#timer))
      this.#channel.onClosed(() => this.#fail('The channel has closed'))
      this.#connection.setLocalDescription('answer')
      const answer = this.#connection.localDescription()
      if (!answer) throw new Error('There is no answer')
      this.answer = rewriteAnswer(answer.sdp, maxMessage)
    } catch (error) {
      this.#connection.close()
      throw error
    }
    this.#timer = setTimeout(() => this.#fail(`No channel after ${SETUP_MS} ms`), SETUP_MS)
  }

  /** Sends a message, or drops it behind too many that wait. @returns false if the channel can't carry it */
  send(data: string | Uint8Array): boolean {
    if (this.#hasEnded || !this.#channel.isOpen()) return false
    if (this.#channel.bufferedAmount() > STALE_BYTES) return true
    try {
      if (typeof data === 'string') this.#channel.sendMessage(data)
      else this.#channel.sendMessageBinary(data)
      return true
    } catch {
      // The message is too long for the player, or the channel has just closed.
      return false
    }
  }

  close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#connection.close()
  }

  #listen(): void {
    this.#connection.onStateChange((state) => {
      if (state === 'disconnected' || state === 'failed' || state === 'closed') this.#fail(`The connection is ${state}`)
    })
    // The one channel needs no opening. Each further channel that a player opens would cost memory.
    this.#connection.onDataChannel((channel) => {
      channel.onClosed(() => void channel)
      this.#fail('The player has opened another channel')
    })
  }

  #fail(reason: string): void {
    if (this.#hasEnded) return
    this.close()
    this.#options.ended(reason)
  }
}

/** The part of the optional peer `node-datachannel` that is used. */
export interface Native {
  readonly PeerConnection: new (name: string, config: object) => PeerConnection
}

export type NativePeer = PeerConnection
type NativeChannel = DataChannel

const PACKAGE = 'node-datachannel'
/** The tests run this version. */
const INSTALL = `Run: npm install ${PACKAGE}@0.33`

/**
 * Loads the peer from beside this package, or from the project that the host was
 * started in: a globally installed command finds the project's packages only there.
 *
 * @throws HostError MISSING_PEER
 */
export async function loadNative(folder = process.cwd()): Promise<Native> {
  try {
    return (await import('node-datachannel').catch<unknown>((error: unknown) => {
      // A package that is here and can't be loaded must not be called missing.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
      return importFrom(folder)
    })) as Native
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const isMissing = code.endsWith('MODULE_NOT_FOUND')
    const what = isMissing ? "isn't installed" : `can't be loaded here (${message.split('\n')[0]})`
    throw new HostError('MISSING_PEER', `WebRTC needs the package ${PACKAGE}, which ${what}.`, INSTALL, {
      cause: error,
    })
  }
}

async function importFrom(folder: string): Promise<unknown> {
  const path = createRequire(join(folder, 'package.json')).resolve(PACKAGE)
  const loaded = (await import(pathToFileURL(path).href)) as { default?: Native } & Native
  return loaded.PeerConnection ? loaded : loaded.default
}
