import {
  BatchWriter,
  OPERATIONS,
  readBatch,
  readClose,
  readNumber,
  readOpen,
  readText,
  REPLACED,
  type Frame,
} from '../wire/batches.js'
import { STATES, type WebSocketLike } from '../wire/sockets.js'
import { keepGlobals, type CloseInit, type PageGlobals, type PageWindow } from './page.js'
import { PlayerSocket, type Uplink } from './player-socket.js'

export type OnConnection = ((socket: PlayerSocket) => void) | null

/** Interval in ms of the redials of a broken socket, after a first redial at once. */
const RETRY_MS = 200
/** How often, and how many times, the page checks whether the host has its last messages. */
const WAIT_MS = 4
const MOST_WAITS = 100

/**
 * The page's one socket to the host, and a player socket for each connection that the host reports over it. All frames of
 * one turn of the event loop go out as one batch.
 */
export class Connections implements Uplink {
  readonly sockets = new Map<number, PlayerSocket>()
  /** Resolves when the socket to the host is open for the first time. */
  readonly opened: Promise<void>
  readonly #globals: PageGlobals
  readonly #url: string
  readonly #writer = new BatchWriter((batch) => {
    if (this.#socket?.readyState !== STATES.OPEN) return
    this.#sent += 1
    this.#socket.send(batch as never)
  })
  #open!: () => void
  #onconnection: OnConnection = null
  #socket: WebSocketLike | undefined
  #retryDelay = 0
  #isFlushing = false
  /** Batches that were sent, and batches that the host has acknowledged. */
  #sent = 0
  #taken = 0
  /** Messages that the host hasn't acknowledged, in the order of their batches. */
  #onTheWay: { readonly sender: PlayerSocket; readonly batch: number; readonly size: number }[] = []

  constructor(page: PageWindow, playersPath: string) {
    this.#globals = keepGlobals(page)
    this.#url = `ws://${page.location.host}${playersPath}`
    this.opened = new Promise((resolve) => (this.#open = resolve))
    this.#connect()
  }

  get onconnection(): OnConnection {
    return this.#onconnection
  }

  set onconnection(listener: OnConnection) {
    this.#onconnection = typeof listener === 'function' ? listener : null
    // In a microtask, so that the rest of the game's script runs before its listener.
    this.#globals.queueMicrotask(() => this.sockets.forEach((socket) => this.#introduce(socket)))
  }

  send(sender: PlayerSocket, data: string | Uint8Array, isUnreliable: boolean): void {
    const size = this.#writer.data(sender.id, data, isUnreliable)
    sender.bytes.onTheWay += size
    this.#onTheWay.push({ sender, batch: this.#sent + 1, size })
    this.#flushSoon()
  }

  close(id: number, code: number, reason: string): void {
    this.#writer.close(id, code, reason)
    this.#flushSoon()
  }

  /** Resolves when the host has acknowledged all messages sent to players so far, or after a short timeout. */
  async handOver(): Promise<void> {
    const isDone = (): boolean => this.#socket === undefined || (!this.#isFlushing && this.#taken >= this.#sent)
    for (let waits = 0; !isDone() && waits < MOST_WAITS; waits += 1) {
      await new Promise<void>((resolve) => this.#globals.setTimeout(resolve, WAIT_MS))
    }
  }

  #connect(): void {
    const { WebSocket, setTimeout } = this.#globals
    const socket = (this.#socket = new WebSocket(this.#url))
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      this.#retryDelay = 0
      this.#open()
    }
    socket.onmessage = ({ data }: { data: ArrayBuffer }) => {
      for (const frame of readBatch(new Uint8Array(data))) this.#take(frame)
    }
    socket.onclose = ({ code }: { code: number }) => {
      this.#socket = undefined
      this.#sent = this.#taken = 0
      this.#onTheWay = []
      this.#writer.clear()
      for (const player of [...this.sockets.values()]) this.#end(player, { code: 1006, reason: '', wasClean: false })
      if (code === REPLACED) return
      setTimeout(() => this.#connect(), this.#retryDelay)
      this.#retryDelay = RETRY_MS
    }
  }

  #take({ connection: id, operation, isBinary, payload }: Frame): void {
    if (operation === OPERATIONS.taken) return this.#acknowledge(readNumber(payload))
    if (operation === OPERATIONS.open) {
      const opened = new PlayerSocket({ id, ...readOpen(payload), page: this.#globals, uplink: this })
      this.sockets.set(id, opened)
      return this.#introduce(opened)
    }
    const socket = this.sockets.get(id)
    if (socket === undefined) return
    if (operation === OPERATIONS.data) return socket.receive(isBinary ? payload : readText(payload))
    if (operation === OPERATIONS.waiting) {
      socket.bytes.inHost = readNumber(payload)
      return
    }
    const { code, reason } = readClose(payload)
    this.#end(socket, { code, reason, wasClean: code !== 1006 })
  }

  /** The host has acknowledged all batches up to this one. */
  #acknowledge(batch: number): void {
    this.#taken = batch
    const first = this.#onTheWay.findIndex((message) => message.batch > batch)
    for (const { sender, size } of this.#onTheWay.splice(0, first === -1 ? this.#onTheWay.length : first)) {
      sender.bytes.onTheWay -= size
    }
  }

  #introduce(socket: PlayerSocket): void {
    if (this.#onconnection === null || socket.isKnown) return
    socket.isKnown = true
    try {
      this.#onconnection(socket)
    } catch (error) {
      this.#globals.reportError(error)
    }
  }

  #end(socket: PlayerSocket, init: CloseInit): void {
    this.sockets.delete(socket.id)
    socket.end(init)
  }

  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#globals.queueMicrotask(() => {
      this.#isFlushing = false
      this.#writer.flush()
    })
  }
}
