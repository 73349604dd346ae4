import { readText, writeSignal, writeText, type HostSignal } from '../../../../relay/signals.js'
import type { Peer } from './peer.js'
import { readOffer, type Offer } from './session-description.js'

export interface PeeringOptions {
  /** Makes a peer and the candidates for it. */
  open(offer: Offer, receive: (data: string | Uint8Array) => void, ended: (reason: string) => void): Promise<Opened>
  /** Sends a text to the player's page, over the WebSocket. */
  sendText(text: string): void
  /** An unreliable message has come from the player. */
  receive(data: string | Uint8Array): void
  /** There is no peer, until the next one is opened. */
  released(): void
  closed(): void
}

export interface Opened {
  readonly peer: Peer
  readonly candidates: readonly string[]
}

/** An honest page makes three attempts, and tells of each one's ups and downs. */
const MOST_OFFERS = 5
const MOST_SIGNALS = 200

/** The player's page is none that this package made. */
export class SignalError extends Error {
  override readonly name = 'SignalError'
}

/** The data channel of one player, for as long as the player's WebSocket is open. */
export class Peering {
  readonly #options: PeeringOptions
  #peer: Peer | undefined
  #id = 0
  /** Changes with each offer. Its id is the player's, who may say the same one twice. */
  #attempt = {}
  /** The player's page has said that the channel works. */
  #isUp = false
  #offers = 0
  #signals = 0
  #isClosed = false

  constructor(options: PeeringOptions) {
    this.#options = options
  }

  /**
   * Takes a text that came over the player's WebSocket.
   *
   * @returns the game's text; undefined: the text was for the channel
   * @throws SignalError if it is nothing that a page tells, or the page tells too much
   */
  read(text: string): string | undefined {
    const read = readText(text)
    if ('text' in read) return read.text
    this.#signals += 1
    if (this.#signals > MOST_SIGNALS) throw new SignalError(`More than ${MOST_SIGNALS} signals`)
    const signal = readSignal(read.signal)
    if (!signal) throw new SignalError('A signal is malformed')
    if (this.#isClosed) return undefined
    if (signal.offer !== undefined) this.#answer(signal.id, signal.offer)
    else if (signal.id === this.#id) this.#isUp = signal.up === true
    return undefined
  }

  /** The form in which a text of the game goes over the player's WebSocket. */
  write(text: string): string {
    return writeText(text)
  }

  /** Returns false if there is no channel that can carry the message. */
  send(data: string | Uint8Array): boolean {
    return this.#isUp && this.#peer !== undefined && this.#peer.send(data)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#release()
    this.#options.closed()
  }

  #answer(id: number, text: string): void {
    this.#release()
    this.#id = id
    const attempt = (this.#attempt = {})
    const isOver = (): boolean => attempt !== this.#attempt || this.#isClosed
    const refuse = (ended: string): void => {
      if (isOver()) return
      this.#release()
      this.#tell({ id, ended })
    }
    const offer = readOffer(text)
    if (!offer) return refuse('The offer is not one of a data channel')
    if (++this.#offers > MOST_OFFERS) return refuse(`More than ${MOST_OFFERS} offers`)
    const receive = (data: string | Uint8Array): void => {
      if (!isOver()) this.#options.receive(data)
    }
    this.#options.open(offer, receive, refuse).then(
      ({ peer, candidates }) => {
        if (isOver()) return peer.close()
        this.#peer = peer
        this.#tell({ id, answer: peer.answer, candidates })
      },
      (error: unknown) => {
        refuse((error as Error).message)
      },
    )
  }

  #tell(signal: HostSignal): void {
    this.#options.sendText(writeSignal(signal))
  }

  #release(): void {
    this.#isUp = false
    this.#peer?.close()
    this.#peer = undefined
    this.#options.released()
  }
}

interface ReadSignal {
  readonly id: number
  readonly offer?: string
  readonly up?: boolean
}

function readSignal(json: string): ReadSignal | undefined {
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
