import { MOST_MESSAGE_BYTES, MOST_REASON_BYTES } from '../wire/batches.js'
import { STATES } from '../wire/sockets.js'
import type { CloseInit, PageBlob, PageGlobals } from './page.js'
import type { PlayerCloseEvent, PlayerMessageEvent, PlayerSocket as PublicPlayerSocket } from './types.js'

/** What a game may send. */
export type PlayerData = string | ArrayBuffer | ArrayBufferView

/** Most bytes of messages that are kept until the game adds a listener. */
const KEPT_BYTES = 256 * 1024
/** Overhead in bytes that each message counts, so that empty messages count as well. */
const MESSAGE_BYTES = 64

const { CONNECTING, OPEN, CLOSING, CLOSED } = STATES

type Listener<Type> = ((this: PlayerSocket, event: Type) => unknown) | null

/** The way to the player, through the host. */
export interface Uplink {
  send(sender: PlayerSocket, data: string | Uint8Array, isUnreliable: boolean): void
  close(id: number, code: number, reason: string): void
}

export interface ConnectionOptions {
  readonly id: number
  readonly url: string
  readonly remoteAddress: string
  readonly page: PageGlobals
  readonly uplink: Uplink
}

/** The object that the game gets for a player's connection. `types.ts` documents the members that are public. */
export class PlayerSocket extends EventTarget implements Record<keyof PublicPlayerSocket, unknown> {
  readonly CONNECTING = CONNECTING
  readonly OPEN = OPEN
  readonly CLOSING = CLOSING
  readonly CLOSED = CLOSED
  readonly id: number
  readonly url: string
  readonly remoteAddress: string
  onclose: Listener<PlayerCloseEvent & Event> = null
  onerror: Listener<Event> = null
  #onmessage: Listener<PlayerMessageEvent & Event> = null
  #readyState: number = OPEN
  #binaryType: 'arraybuffer' | 'blob' = 'arraybuffer'
  readonly #page: PageGlobals
  readonly #uplink: Uplink
  /** Messages that came before the first listener; undefined once they have been delivered. */
  #kept: (string | Uint8Array)[] | undefined = []
  #keptBytes = 0
  #hasListener = false
  /** Whether the game has been given the socket. */
  isKnown = false
  /** Bytes in flight to the host, bytes that wait there, and bytes that were sent after the end. */
  readonly bytes = { onTheWay: 0, inHost: 0, unsent: 0 }

  constructor({ id, url, remoteAddress, page, uplink }: ConnectionOptions) {
    super()
    this.id = id
    this.url = url
    this.remoteAddress = remoteAddress
    this.#page = page
    this.#uplink = uplink
    super.addEventListener('message', (event) => this.#onmessage?.(event as PlayerMessageEvent & Event))
    super.addEventListener('close', (event) => this.onclose?.(event as PlayerCloseEvent & Event))
    super.addEventListener('error', (event) => this.onerror?.(event))
  }

  get readyState(): number {
    return this.#readyState
  }

  get bufferedAmount(): number {
    return this.bytes.onTheWay + this.bytes.inHost + this.bytes.unsent
  }

  get binaryType(): 'arraybuffer' | 'blob' {
    return this.#binaryType
  }

  set binaryType(type: 'arraybuffer' | 'blob') {
    if (type === 'arraybuffer' || type === 'blob') this.#binaryType = type
  }

  get onmessage(): Listener<PlayerMessageEvent & Event> {
    return this.#onmessage
  }

  set onmessage(listener: Listener<PlayerMessageEvent & Event>) {
    this.#onmessage = typeof listener === 'function' ? listener : null
    if (this.#onmessage !== null) this.#listen()
  }

  override addEventListener(...[type, ...rest]: Parameters<EventTarget['addEventListener']>): void {
    super.addEventListener(type, ...rest)
    if (type === 'message' && rest[0]) this.#listen()
  }

  send(data: PlayerData): void {
    this.#send(data, false)
  }

  sendUnreliable(data: PlayerData): void {
    this.#send(data, true)
  }

  close(code?: number, reason?: string): void
  close(code?: number, reason: unknown = ''): void {
    const { DOMException } = this.#page
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new DOMException(`code must be 1000, or from 3000 to 4999; got ${code}`, 'InvalidAccessError')
    }
    if (sizeOf(String(reason)) > MOST_REASON_BYTES) {
      throw new DOMException(`reason must have at most ${MOST_REASON_BYTES} bytes`, 'SyntaxError')
    }
    // 1005 means that the close frame had no code.
    this.#close(Math.trunc(code ?? 1005), String(reason))
  }

  /** Delivers a message of the player. Its bytes are valid until this returns. */
  receive(data: string | Uint8Array): void {
    if (this.#readyState !== OPEN) return
    if (this.#kept === undefined) return this.#tell(data)
    this.#keptBytes += MESSAGE_BYTES + (typeof data === 'string' ? 2 * data.length : data.byteLength)
    if (this.#keptBytes <= KEPT_BYTES) this.#kept.push(typeof data === 'string' ? data : data.slice())
    else if (this.isKnown && !this.#hasListener) this.#kept = undefined
    else this.#close(1013, 'The game does not read messages yet')
  }

  /** The connection has ended. */
  end(init: CloseInit): void {
    if (this.#hasListener) this.#tellKept()
    this.#readyState = CLOSED
    this.#kept = undefined
    if (!init.wasClean) this.dispatchEvent(new this.#page.Event('error'))
    this.dispatchEvent(new this.#page.CloseEvent('close', init))
  }

  /** The game has added its first listener for messages. */
  #listen(): void {
    if (this.#hasListener) return
    this.#hasListener = true
    if (this.#kept?.length === 0) this.#kept = undefined
    else this.#page.queueMicrotask(() => this.#tellKept())
  }

  #tellKept(): void {
    const kept = this.#kept ?? []
    this.#kept = undefined
    for (const message of kept) if (this.#readyState === OPEN) this.#tell(message)
  }

  #tell(message: string | Uint8Array): void {
    const data = typeof message === 'string' ? message : this.#wrap(message)
    this.dispatchEvent(new this.#page.MessageEvent('message', { data }))
  }

  #wrap(bytes: Uint8Array): ArrayBuffer | PageBlob {
    return this.#binaryType === 'blob' ? new this.#page.Blob([bytes]) : bytes.slice().buffer
  }

  #send(data: PlayerData, isUnreliable: boolean): void {
    // Converted to text, a Blob would silently become "[object Blob]".
    if (data instanceof this.#page.Blob)
      throw new TypeError('A player gets texts and bytes; send await blob.arrayBuffer()')
    const message = bytesOf(data)
    const length = typeof message === 'string' ? message.length : message.byteLength
    if (this.#readyState !== OPEN) {
      this.bytes.unsent += sizeOf(message)
    } else if (3 * length > MOST_MESSAGE_BYTES && sizeOf(message) > MOST_MESSAGE_BYTES) {
      this.#page.reportError(new RangeError(`A message to a player has at most ${MOST_MESSAGE_BYTES} bytes`))
      this.#close(1009, 'A message of the game is too long')
    } else {
      this.#uplink.send(this, message, isUnreliable)
    }
  }

  #close(code: number, reason: string): void {
    if (this.#readyState !== OPEN) return
    this.#readyState = CLOSING
    this.#kept = undefined
    this.#uplink.close(this.id, code, reason)
  }
}

/** Like a WebSocket, sends everything but bytes as text. An ArrayBuffer of another frame has another class. */
function bytesOf(data: unknown): Uint8Array | string {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const isBuffer = Object.prototype.toString.call(data) === '[object ArrayBuffer]'
  return isBuffer ? new Uint8Array(data as ArrayBuffer) : String(data)
}

const encoder = new TextEncoder()

const sizeOf = (data: string | Uint8Array): number =>
  typeof data === 'string' ? encoder.encode(data).byteLength : data.byteLength
