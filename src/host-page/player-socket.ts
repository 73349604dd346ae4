import { MOST_MESSAGE_BYTES, MOST_REASON_BYTES } from '../relay/frame.js'
import { STATES } from '../relay/socket.js'
import type { CloseInit, PageBlob, PageWindow } from './page.js'
import type { PlayerCloseEvent, PlayerMessageEvent, PlayerSocket as PublicPlayerSocket } from './types.js'
import { SentBytes } from './uplink.js'
import type { Uplink } from './uplink.js'

/** What a game may send. */
export type PlayerData = string | ArrayBuffer | ArrayBufferView | PageBlob

/** Bytes that are kept of messages for which nobody listens yet. */
const KEPT_BYTES = 256 * 1024
/** What a message takes besides its bytes, so that empty ones count, too. */
const MESSAGE_BYTES = 64

const { CONNECTING, OPEN, CLOSING, CLOSED } = STATES

type Listener<Type> = ((this: PlayerSocket, event: Type) => unknown) | null

interface Handlers {
  message: Listener<PlayerMessageEvent & Event>
  close: Listener<PlayerCloseEvent & Event>
  error: Listener<Event>
}
type Type = keyof Handlers

/** What the game holds of a player's connection; `types.ts` says what its members mean. */
export class PlayerSocket extends EventTarget implements Record<keyof PublicPlayerSocket, unknown> {
  static readonly CONNECTING = CONNECTING
  static readonly OPEN = OPEN
  static readonly CLOSING = CLOSING
  static readonly CLOSED = CLOSED
  readonly CONNECTING = CONNECTING
  readonly OPEN = OPEN
  readonly CLOSING = CLOSING
  readonly CLOSED = CLOSED
  readonly #connection: Connection
  readonly #handlers: Handlers = { message: null, close: null, error: null }

  constructor(connection: Connection) {
    super()
    this.#connection = connection
  }

  get id(): number {
    return this.#connection.id
  }

  get url(): string {
    return this.#connection.url
  }

  get remoteAddress(): string {
    return this.#connection.remoteAddress
  }

  get readyState(): number {
    return this.#connection.readyState
  }

  get bufferedAmount(): number {
    return this.#connection.bufferedAmount
  }

  get binaryType(): 'arraybuffer' | 'blob' {
    return this.#connection.binaryType
  }

  set binaryType(type: 'arraybuffer' | 'blob') {
    if (type === 'arraybuffer' || type === 'blob') this.#connection.binaryType = type
  }

  get onmessage(): Handlers['message'] {
    return this.#handlers.message
  }

  set onmessage(listener: Handlers['message']) {
    this.#handle('message', listener)
  }

  get onclose(): Handlers['close'] {
    return this.#handlers.close
  }

  set onclose(listener: Handlers['close']) {
    this.#handle('close', listener)
  }

  get onerror(): Handlers['error'] {
    return this.#handlers.error
  }

  set onerror(listener: Handlers['error']) {
    this.#handle('error', listener)
  }

  send(data: PlayerData): void {
    this.#connection.send(data)
  }

  sendUnreliable(data: PlayerData): void {
    this.#connection.send(data, true)
  }

  close(code?: number, reason?: string): void
  close(code?: number, reason: unknown = ''): void {
    const { exception } = this.#connection
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw exception(`code must be 1000, or from 3000 to 4999; got ${code}`, 'InvalidAccessError')
    }
    if (encoder.encode(String(reason)).byteLength > MOST_REASON_BYTES) {
      throw exception(`reason must have at most ${MOST_REASON_BYTES} bytes`, 'SyntaxError')
    }
    // 1005 stands for none.
    this.#connection.close(Math.trunc(code ?? 1005), String(reason))
  }

  override addEventListener(...[type, ...rest]: Parameters<EventTarget['addEventListener']>): void {
    super.addEventListener(type, ...rest)
    if (type === 'message' && rest[0]) this.#connection.listen()
  }

  #handle<Kind extends Type>(type: Kind, listener: Handlers[Kind]): void {
    const isFirst = this.#handlers[type] === null
    this.#handlers[type] = typeof listener === 'function' ? listener : null
    if (this.#handlers[type] === null) return super.removeEventListener(type, this.#forward)
    // One that replaces another takes its turn among the listeners.
    if (isFirst) super.addEventListener(type, this.#forward)
    if (type === 'message') this.#connection.listen()
  }

  readonly #forward = (event: Event): void => {
    this.#handlers[event.type as Type]?.call(this, event as never)
  }
}

export interface ConnectionOptions {
  readonly id: number
  readonly url: string
  readonly remoteAddress: string
  readonly page: PageGlobals
  readonly uplink: Uplink
}

/** The page's globals, as they were before the game's scripts ran. */
export type PageGlobals = Pick<
  PageWindow,
  'Blob' | 'CloseEvent' | 'DOMException' | 'Event' | 'MessageEvent' | 'queueMicrotask' | 'reportError'
>

/** One player's connection at the page's end, behind the socket that the game holds. */
export class Connection {
  readonly id: number
  readonly url: string
  readonly remoteAddress: string
  readonly socket: PlayerSocket
  readyState: number = OPEN
  binaryType: 'arraybuffer' | 'blob' = 'arraybuffer'
  /** Bytes that wait in the host to leave for the player. */
  waiting = 0
  /** Whether the game has been given the socket. */
  isKnown = false
  readonly #page: PageGlobals
  readonly #uplink: Uplink
  readonly #sent: SentBytes
  /** Messages that have come before somebody listened; undefined since somebody has. */
  #kept: (string | Uint8Array)[] | undefined = []
  #keptBytes = 0
  #hasListener = false
  /** Ends when all that was sent before has been handed on. There is one while a Blob is being read. */
  #reading: Promise<void> | undefined
  /** Bytes that wait for a Blob to be read, and those that were sent after the end. */
  #unsent = 0

  constructor({ id, url, remoteAddress, page, uplink }: ConnectionOptions) {
    this.id = id
    this.url = url
    this.remoteAddress = remoteAddress
    this.#page = page
    this.#uplink = uplink
    this.#sent = new SentBytes(uplink)
    this.socket = new PlayerSocket(this)
  }

  get bufferedAmount(): number {
    return this.#unsent + this.#sent.bytes + this.waiting
  }

  send(data: PlayerData, isUnreliable = false): void {
    const message = typeof data === 'string' || this.#isBlob(data) ? data : bytesOf(data)
    if (this.readyState !== OPEN || this.#reading !== undefined || this.#isBlob(message)) {
      this.#sendLater(message, isUnreliable)
    } else {
      this.#send(message, isUnreliable)
    }
  }

  close(code: number, reason: string): void {
    if (this.readyState !== OPEN) return
    this.readyState = CLOSING
    this.#kept = undefined
    if (this.#reading === undefined) this.#uplink.close(this.id, code, reason)
    else void this.#reading.then(() => this.readyState === CLOSING && this.#uplink.close(this.id, code, reason))
  }

  /** Somebody listens for messages from now on. */
  listen(): void {
    if (this.#hasListener) return
    this.#hasListener = true
    if (this.#kept?.length === 0) this.#kept = undefined
    else this.#page.queueMicrotask(() => this.#tellKept())
  }

  /** A message has come. Its bytes are valid until this returns. */
  receive(data: string | Uint8Array): void {
    if (this.readyState !== OPEN) return
    if (this.#kept === undefined) return this.#tell(data)
    this.#keptBytes += MESSAGE_BYTES + (typeof data === 'string' ? 2 * data.length : data.byteLength)
    if (this.#keptBytes <= KEPT_BYTES) this.#kept.push(typeof data === 'string' ? data : data.slice())
    else if (this.isKnown && !this.#hasListener) this.#kept = undefined
    else this.close(1013, 'The game does not read messages yet')
  }

  /** The connection has ended. */
  end(init: CloseInit): void {
    if (this.#hasListener) this.#tellKept()
    this.readyState = CLOSED
    this.#kept = undefined
    if (!init.wasClean) this.#dispatch(new this.#page.Event('error'))
    this.#dispatch(new this.#page.CloseEvent('close', init))
  }

  /** Makes the error that a WebSocket throws. */
  exception = (message: string, name: string): Error => new this.#page.DOMException(message, name)

  #isBlob(data: PlayerData): data is PageBlob {
    return data instanceof this.#page.Blob
  }

  #send(data: string | Uint8Array, isUnreliable: boolean): void {
    const length = typeof data === 'string' ? data.length : data.byteLength
    if (3 * length > MOST_MESSAGE_BYTES && sizeOf(data) > MOST_MESSAGE_BYTES) {
      this.#page.reportError(new RangeError(`A message to a player has at most ${MOST_MESSAGE_BYTES} bytes`))
      return this.close(1009, 'A message of the game is too long')
    }
    const size = this.#uplink.send(this.id, data, isUnreliable)
    this.#sent.add(size, this.#uplink.batch)
  }

  #sendLater(data: string | Uint8Array | PageBlob, isUnreliable: boolean): void {
    const size = this.#isBlob(data) ? data.size : sizeOf(data)
    this.#unsent += size
    if (this.readyState !== OPEN) return
    const copy = data instanceof Uint8Array ? data.slice() : data
    const before = this.#reading ?? Promise.resolve()
    const reading = before
      .then(() => (this.#isBlob(copy) ? copy.arrayBuffer().then((buffer) => new Uint8Array(buffer)) : copy))
      .then((message) => {
        if (this.readyState === CLOSED) return
        this.#unsent -= size
        this.#send(message, isUnreliable)
      })
      .catch(this.#page.reportError)
      .then(() => {
        if (this.#reading === reading) this.#reading = undefined
      })
    this.#reading = reading
  }

  #tellKept(): void {
    const kept = this.#kept ?? []
    this.#kept = undefined
    for (const message of kept) if (this.readyState === OPEN) this.#tell(message)
  }

  #tell(data: string | Uint8Array): void {
    this.#dispatch(new this.#page.MessageEvent('message', { data: typeof data === 'string' ? data : this.#wrap(data) }))
  }

  #wrap(bytes: Uint8Array): ArrayBuffer | PageBlob {
    return this.binaryType === 'blob' ? new this.#page.Blob([bytes]) : bytes.slice().buffer
  }

  #dispatch(event: Event): void {
    this.socket.dispatchEvent(event)
  }
}

/** A WebSocket sends what is neither bytes nor a Blob as text. Bytes may come from another frame of the page. */
function bytesOf(data: unknown): Uint8Array | string {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const isBuffer = Object.prototype.toString.call(data) === '[object ArrayBuffer]'
  return isBuffer ? new Uint8Array(data as ArrayBuffer) : String(data)
}

const encoder = new TextEncoder()

const sizeOf = (data: string | Uint8Array): number =>
  typeof data === 'string' ? encoder.encode(data).byteLength : data.byteLength
