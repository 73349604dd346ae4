import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { LineLog } from '../../local/http.js'
import { STALE_BYTES, WITH_CHANNEL, writeText } from '../wire/sockets.js'
import type { PageSocket } from './page-socket.js'
import { Channel, SignalError, type ChannelPort } from './webrtc/channel.js'

/** A burst, such as after a stall of the network, may have as many messages as this many seconds allow. */
const BURST_SECONDS = 2
/** The overhead of each waiting message, so that small and empty messages count too. */
const MESSAGE_BYTES = 128
/** Bytes that may wait for a player before pings go unanswered. */
const MOST_PONG_BACKLOG = 64 * 1024
/** Time for a player to answer the close frame. That answer comes after data already in flight. */
const CLOSING_MS = 5_000

/**
 * Bytes that may come behind the host's close frame. An honest player may still send while that
 * frame is in flight. Beyond this limit, the host stops reading and soon cuts the connection.
 */
const MOST_BEHIND_CLOSE = 64 * 1024
const CUT_MS = 1_000

/** Codes for what `ws` finds wrong with a player's frames. Anything else is a protocol error. */
const FAULTS: Readonly<Record<string, [code: number, reason: string]>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: [1009, 'A message is too long'],
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: [1009, 'A message is too long'],
  WS_ERR_INVALID_UTF8: [1007, 'A text is no UTF-8'],
  WS_ERR_TOO_MANY_BUFFERED_PARTS: [1008, 'A message has too many fragments'],
}

export interface PlayerChange {
  readonly id: number
  readonly state: 'open' | 'closed'
  readonly remoteAddress: string
  readonly code?: number
  /** Text of the player's own, if the player ended the connection. */
  readonly reason?: string
}

/** Counted since the start; bytes are those of the messages, without frames. */
export class PlayersFigures {
  now = 0
  joined = 0
  /** By close code, or HTTP status of a handshake. */
  readonly refused: Record<number, number> = {}
  messagesIn = 0
  bytesIn = 0
  messagesOut = 0
  bytesOut = 0
}

/** What all players share. */
export interface Match {
  readonly page: PageSocket
  readonly figures: PlayersFigures
  /** Messages a second that each player may send. */
  readonly maxRate: number
  /** Bytes that may wait to be sent to one player. */
  readonly maxBuffered: number
  /** A silent player gets a ping after this time, and counts as gone after the same time without an answer. */
  readonly probeInterval: number
  readonly log: LineLog
  readonly onPlayer: (change: PlayerChange) => void
}

/** An opened WebSocket, and what was known of it at the handshake. */
export interface Arrival {
  readonly socket: WebSocket
  readonly raw: Socket
  /** Path and query that the player asked for, such as `/?name=Ada`. */
  readonly url: string
  readonly remoteAddress: string
  /** Where players get data channels, if they do. */
  readonly channelPort: ChannelPort | undefined
}

/**
 * A player: the WebSocket, the data channel beside it, and the limits that hold for both. Messages that the network doesn't
 * take yet wait here instead of in the socket. So the host can drop them when it closes the player, to send the close frame
 * early.
 */
export class Player {
  readonly id: number
  /** The player has left, or the host has decided that. The page was told. */
  hasEnded = false
  /** The waiting bytes of the last report to the page. */
  reported = 0
  readonly #match: Match
  readonly #socket: WebSocket
  readonly #raw: Socket
  readonly #remoteAddress: string
  readonly #channel: Channel | undefined
  #waiting: (string | Buffer)[] = []
  #waitingBytes = 0
  /** Messages that the player may send, as of `#countedAt`. */
  #messagesLeft: number
  #countedAt = performance.now()
  #fault: [code: number, reason: string] | undefined
  #closingTimer: NodeJS.Timeout | undefined
  /** Bytes read before the host closed the connection. */
  #readAtClose: number | undefined
  #isDeaf = false
  /** Whether data has come since the last probe; and the bytes that had left by then. */
  #hasSpoken = true
  #left = 0

  constructor(id: number, { socket, raw, remoteAddress, channelPort }: Arrival, match: Match) {
    this.id = id
    this.#match = match
    this.#socket = socket
    this.#raw = raw
    this.#remoteAddress = remoteAddress
    this.#messagesLeft = match.maxRate * BURST_SECONDS
    if (channelPort && socket.protocol === WITH_CHANNEL) {
      const seeker = {
        localAddress: raw.localAddress ?? '',
        sendText: (text: string) => this.#send(text),
        receive: (data: string | Uint8Array) => this.#receive(data, true),
      }
      this.#channel = new Channel(seeker, channelPort)
    }
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#heard()
      const message = isBinary ? data : this.#read(data.toString())
      if (message !== undefined) this.#receive(message)
    })
    socket.on('ping', (data: Buffer) => {
      this.#heard()
      this.#mayCome()
      if (socket.bufferedAmount < MOST_PONG_BACKLOG) socket.pong(data)
    })
    socket.on('pong', () => {
      this.#heard()
      this.#mayCome()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('WS_ERR_') !== true) return
      this.#fault = FAULTS[error.code] ?? [1002, error.message]
      this.#awaitEnd()
    })
    raw.on('drain', () => this.#drain())
    // setImmediate: after a stall, read what has arrived before probing.
    const probes = setInterval(() => setImmediate(() => this.#probe()), match.probeInterval)
    socket.once('close', (code: number, reason: Buffer) => {
      clearInterval(probes)
      clearTimeout(this.#closingTimer)
      this.#drop()
      this.#channel?.close()
      this.#tellLeft(...(this.#fault ?? ([code, reason.toString()] as const)))
    })
  }

  /** Bytes that wait to be sent to the player. */
  get bufferedAmount(): number {
    return this.#socket.bufferedAmount + this.#waitingBytes
  }

  /** Memory that these bytes take, which is more for many small messages. */
  get heldBytes(): number {
    return this.bufferedAmount + MESSAGE_BYTES * this.#waiting.length
  }

  /** Sends a message, whose bytes are valid until this returns. Closes a player for whom too many bytes wait. */
  send(data: string | Uint8Array): void {
    const { maxBuffered } = this.#match
    const held = this.heldBytes
    this.#send(typeof data === 'string' && this.#channel ? writeText(data) : data)
    // A single message may exceed the limit.
    if (held > 0 && this.heldBytes > maxBuffered) this.end(1013, `More than ${maxBuffered} bytes wait to be read`)
  }

  /** Sends a message that may be lost, over the data channel if that can carry it. */
  sendUnreliable(data: string | Uint8Array): void {
    if (!this.#channel?.send(data) && this.bufferedAmount <= STALE_BYTES) this.send(data)
  }

  /** Ends the connection by the host's decision, and tells the page at once. */
  end(code: number, reason: string): void {
    if (this.hasEnded) return
    if (code === 1008 || code === 1009 || code === 1013) {
      this.#match.log(`Player ${this.id} (${this.#remoteAddress}) is closed with ${code}: ${reason}`)
    }
    this.#tellLeft(code, reason)
    this.close(code, reason)
  }

  /** Ends the connection, with 1005 for no code. The page is told when it has ended. */
  close(code: number, reason: string): void {
    this.#channel?.close()
    this.#drop()
    this.#readAtClose ??= this.#raw.bytesRead
    // The player's close frame has to be read.
    this.resume()
    if (code === 1005) this.#socket.close()
    else this.#socket.close(code, reason)
    this.#awaitEnd()
  }

  /** Ends the connection at once, and drops all waiting data. */
  cut(): void {
    this.#socket.terminate()
  }

  /** Reads nothing from the player until `resume()`, so that messages wait at the player's end. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#hasSpoken = true
    if (!this.#isDeaf) this.#socket.resume()
  }

  /** Passes a message to the page. While the page reads too slowly, unreliable messages are dropped. */
  #receive(data: string | Uint8Array, isUnreliable = false): void {
    if (!this.#mayCome()) return
    const { figures, page } = this.#match
    if (page.isFull && isUnreliable) return
    figures.messagesIn += 1
    figures.bytesIn += page.writer.data(this.id, data)
  }

  /** Counts a message or another frame. Closes a player who sends too many. */
  #mayCome(): boolean {
    if (this.hasEnded) return false
    const { maxRate } = this.#match
    const now = performance.now()
    const earned = ((now - this.#countedAt) / 1_000) * maxRate
    this.#messagesLeft = Math.min(maxRate * BURST_SECONDS, this.#messagesLeft + earned) - 1
    this.#countedAt = now
    if (this.#messagesLeft >= 0) return true
    this.end(1008, `More than ${maxRate} messages a second`)
    return false
  }

  /** The text that goes to the game; undefined for a signal of WebRTC. */
  #read(text: string): string | undefined {
    try {
      return this.#channel ? this.#channel.read(text) : text
    } catch (error) {
      if (!(error instanceof SignalError)) throw error
      this.end(1008, error.message)
      return undefined
    }
  }

  #heard(): void {
    this.#hasSpoken = true
    if (this.#isDeaf || this.#readAtClose === undefined) return
    if (this.#raw.bytesRead - this.#readAtClose <= MOST_BEHIND_CLOSE) return
    this.#isDeaf = true
    this.#socket.pause()
    clearTimeout(this.#closingTimer)
    this.#closingTimer = setTimeout(() => this.#socket.terminate(), CUT_MS)
  }

  /** Checks for a sign of life. A connection without one since the last check is dead. */
  #probe(): void {
    const left = this.#raw.bytesWritten - this.#raw.writableLength
    const isTaking = this.#raw.writableLength > 0 && left > this.#left
    if (!this.#hasSpoken && !isTaking && !this.#socket.isPaused) return this.#socket.terminate()
    this.#hasSpoken = false
    this.#left = left
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }

  #send(data: string | Uint8Array): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    // Copied, because a small message would keep its whole batch in memory.
    const message = typeof data === 'string' ? data : Buffer.from(data)
    if (this.#waiting.length === 0 && !this.#raw.writableNeedDrain) return this.#socket.send(message)
    this.#waiting.push(message)
    this.#waitingBytes += Buffer.byteLength(message)
  }

  #drain(): void {
    let sent = 0
    while (sent < this.#waiting.length && !this.#raw.writableNeedDrain) {
      const message = this.#waiting[sent]!
      sent += 1
      this.#waitingBytes -= Buffer.byteLength(message)
      this.#socket.send(message)
    }
    this.#waiting.splice(0, sent)
  }

  #drop(): void {
    this.#waiting = []
    this.#waitingBytes = 0
  }

  #awaitEnd(): void {
    if (this.#socket.readyState === this.#socket.CLOSED) return
    this.#closingTimer ??= setTimeout(() => this.#socket.terminate(), CLOSING_MS)
  }

  #tellLeft(code: number, reason: string): void {
    if (this.hasEnded) return
    this.hasEnded = true
    const { page, onPlayer } = this.#match
    page.tellLeft(this.id, code, reason)
    onPlayer({ id: this.id, state: 'closed', remoteAddress: this.#remoteAddress, code, reason })
  }
}
