import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import { BatchWriter, readBatch, REPLACED, type Frame } from '../wire/batches.js'
import { STATES } from '../wire/sockets.js'

/** Above the first number of bytes that wait for the page, nothing is read from players; below the second, reading resumes. */
const FULL_BYTES = 4 * 1024 * 1024
const ROOM_BYTES = 1024 * 1024
/** Longest time for which an acknowledgement waits for a batch to travel with. */
const TAKEN_MS = 4

/** Takes what comes from the page. */
export interface PageReader {
  take(frame: Frame): void
  /** The frames of a batch are taken. */
  batchTaken(): void
  /** The socket has ended, by itself or because another page has taken its place. */
  pageLost(): void
  /** The page has stopped reading, or reads again. */
  setFull(isFull: boolean): void
  /** The page has sent something that can't be read. */
  onFault(error: unknown): void
}

/** The one socket of the page. What players send within one turn goes to the page in one batch. */
export class PageSocket {
  readonly #server: WebSocketServer
  readonly #reader: PageReader
  readonly #writer: BatchWriter
  #socket: WebSocket | undefined
  #isFull = false
  #flushing: NodeJS.Immediate | undefined
  #takenTimer: NodeJS.Timeout | undefined
  #batches = 0

  /** @param server completes handshakes for batches, without extensions */
  constructor(server: WebSocketServer, reader: PageReader) {
    this.#server = server
    this.#reader = reader
    this.#writer = new BatchWriter((batch) => this.#send(batch))
  }

  get isOpen(): boolean {
    return this.#socket !== undefined
  }

  /** Whether the page reads more slowly than players write. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Completes the handshake of a page, which takes the place of the one before it. */
  accept(message: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#server.handleUpgrade(message, socket, head, (accepted) => {
      this.#end(REPLACED, 'Another page has taken the place')
      this.#socket = accepted
      accepted.on('error', () => accepted.terminate())
      accepted.on('message', (batch: Buffer) => {
        if (accepted === this.#socket) this.#take(batch)
      })
      accepted.once('close', () => {
        if (accepted === this.#socket) this.#end(1000, '')
      })
    })
  }

  /** The batch for the page, which is sent at the end of this turn. */
  get writer(): BatchWriter {
    this.#flushing ??= setImmediate(() => this.#flush())
    return this.#writer
  }

  tellLeft(player: number, code: number, reason: string): void {
    if (this.#socket !== undefined) this.writer.close(player, code, reason)
  }

  /** Ends the socket of a page that must not dial again. */
  dismiss(): void {
    this.#end(REPLACED, 'Another page takes the place')
  }

  close(): void {
    this.#end(1001, 'The host ends')
  }

  #take(batch: Buffer): void {
    try {
      for (const frame of readBatch(batch)) this.#reader.take(frame)
    } catch (error) {
      this.#end(1002, 'This is no batch')
      return this.#reader.onFault(error)
    }
    this.#batches += 1
    this.#reader.batchTaken()
    this.#takenTimer ??= setTimeout(() => this.#flush(), TAKEN_MS)
  }

  #flush(): void {
    clearImmediate(this.#flushing)
    clearTimeout(this.#takenTimer)
    if (this.#takenTimer !== undefined) this.#writer.taken(this.#batches)
    this.#flushing = this.#takenTimer = undefined
    // While the page doesn't read, collect one batch: many small ones would take many times their size.
    if (!this.#socket?.bufferedAmount) this.#writer.flush()
  }

  #send(batch: Uint8Array): void {
    const socket = this.#socket
    if (socket === undefined) return
    // Copied, since the writer reuses its bytes.
    socket.send(Buffer.from(batch), () => {
      if (socket !== this.#socket) return
      if (this.#isFull && socket.bufferedAmount <= ROOM_BYTES) this.#setFull(false)
      if (socket.bufferedAmount === 0) this.#writer.flush()
    })
    if (!this.#isFull && socket.bufferedAmount > FULL_BYTES) this.#setFull(true)
  }

  #setFull(isFull: boolean): void {
    this.#isFull = isFull
    this.#reader.setFull(isFull)
  }

  #end(code: number, reason: string): void {
    const socket = this.#socket
    if (socket === undefined) return
    this.#socket = undefined
    this.#writer.clear()
    this.#batches = 0
    clearTimeout(this.#takenTimer)
    this.#takenTimer = undefined
    socket.close(code, reason)
    // A page that hangs never answers a close frame.
    if (socket.readyState !== STATES.CLOSED) {
      const timer = setTimeout(() => socket.terminate(), 1_000)
      socket.once('close', () => clearTimeout(timer))
    }
    this.#reader.pageLost()
    if (this.#isFull) this.#setFull(false)
  }
}
