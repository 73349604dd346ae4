import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { writeText } from '../wire/sockets.js'
import { SignalError, type Channel, type Channels } from './webrtc/channel.js'

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

/** The receiver of a player's connection. */
export interface Receiver {
  /** A message has come from the player. While the page reads too slowly, unreliable messages are dropped. */
  receive(data: string | Uint8Array, isUnreliable?: boolean): void
  /** Another frame has come, such as a ping, which counts towards the player's rate. */
  count(): void
  /** The player has done something that ends the connection. */
  end(code: number, reason: string): void
  /** The connection has ended. */
  left(code: number, reason: string): void
}

/**
 * A player's WebSocket, and the data channel beside it. Messages that the network doesn't take yet wait here instead of in
 * the socket. So the host can drop them when it closes the player, to send the close frame early.
 */
export class Connection {
  /** Path and query that the player asked for, such as `/?name=Ada`. */
  readonly url: string
  readonly remoteAddress: string
  readonly #socket: WebSocket
  readonly #raw: Socket
  #player: Receiver | undefined
  /** The data channel beside the WebSocket, for a page that asks for one. */
  #channel: Channel | undefined
  #waiting: (string | Buffer)[] = []
  #waitingBytes = 0
  #fault: [code: number, reason: string] | undefined
  #closingTimer: NodeJS.Timeout | undefined
  /** Bytes read before the host closed the connection. */
  #readAtClose: number | undefined
  #isDeaf = false
  /** Whether data has come since the last probe; and the bytes that had left by then. */
  #hasSpoken = true
  #left = 0

  constructor(socket: WebSocket, raw: Socket, url: string, remoteAddress: string) {
    this.#socket = socket
    this.#raw = raw
    this.url = url
    this.remoteAddress = remoteAddress
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('WS_ERR_') !== true) return
      this.#fault = FAULTS[error.code] ?? [1002, error.message]
      this.#awaitEnd()
    })
    raw.on('drain', this.#drain)
    socket.once('close', (code: number, reason: Buffer) => {
      clearTimeout(this.#closingTimer)
      this.#drop()
      this.#channel?.close()
      this.#player?.left(...(this.#fault ?? ([code, reason.toString()] as const)))
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

  /** Passes everything that arrives to `player`. */
  serve(player: Receiver): void {
    this.#player = player
    this.#socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#heard()
      const message = isBinary ? data : this.#read(data.toString(), player)
      if (message !== undefined) player.receive(message)
    })
    this.#socket.on('ping', (data: Buffer) => {
      this.#heard()
      player.count()
      if (this.#socket.bufferedAmount < MOST_PONG_BACKLOG) this.#socket.pong(data)
    })
    this.#socket.on('pong', () => {
      this.#heard()
      player.count()
    })
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

  /** Lets the player's page have a data channel, which ends with the WebSocket. */
  offerChannel(channels: Channels, player: Receiver): void {
    this.#channel = channels.join({
      localAddress: this.#raw.localAddress ?? '',
      sendText: (text) => this.#send(text),
      receive: (data) => void player.receive(data, true),
    })
  }

  /** Sends a message. Bytes are valid until it returns. */
  send(data: string | Uint8Array): void {
    this.#send(typeof data === 'string' && this.#channel ? writeText(data) : data)
  }

  /** Sends a message that may be lost, over the data channel. Returns false if there is none that can carry it. */
  sendUnreliable(data: string | Uint8Array): boolean {
    return this.#channel?.send(data) === true
  }

  #send(data: string | Uint8Array): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    // Copied, because a small message would keep its whole batch in memory.
    const message = typeof data === 'string' ? data : Buffer.from(data)
    if (this.#waiting.length === 0 && !this.#raw.writableNeedDrain) return this.#socket.send(message)
    this.#waiting.push(message)
    this.#waitingBytes += Buffer.byteLength(message)
  }

  /** The text that goes to the game; undefined for a signal of WebRTC. */
  #read(text: string, player: Receiver): string | undefined {
    try {
      return this.#channel ? this.#channel.read(text) : text
    } catch (error) {
      if (!(error instanceof SignalError)) throw error
      player.end(1008, error.message)
      return undefined
    }
  }

  /** Ends the connection, with 1005 for no code. `left` is called when it has ended. */
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

  /** Checks for a sign of life. A connection without one since the last check is dead. */
  probe(): void {
    const isTaking = this.#raw.writableLength > 0 && this.#raw.bytesWritten - this.#raw.writableLength > this.#left
    if (!this.#hasSpoken && !isTaking && !this.#socket.isPaused) return this.#socket.terminate()
    this.#hasSpoken = false
    this.#left = this.#raw.bytesWritten - this.#raw.writableLength
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }

  readonly #drain = (): void => {
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
}
