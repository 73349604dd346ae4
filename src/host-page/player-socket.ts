import { MOST_REASON_BYTES } from '../relay/frame.js'
import type { PageBlob } from './page.js'
import type { PlayerSocket as PublicPlayerSocket } from './types.js'

/** What a game may send. */
export type PlayerData = string | ArrayBuffer | ArrayBufferView | PageBlob

/** A message has come. */
export interface PlayerMessageEvent extends Event {
  readonly data: unknown
}

/** The connection has ended. */
export interface PlayerCloseEvent extends Event {
  readonly code: number
  readonly reason: string
  readonly wasClean: boolean
}

/** What stands behind a socket. */
export interface PlayerConnection {
  readonly id: number
  readonly url: string
  readonly remoteAddress: string
  readonly readyState: number
  readonly bufferedAmount: number
  binaryType: 'arraybuffer' | 'blob'
  send(data: PlayerData, isUnreliable?: boolean): void
  close(code: number, reason: string): void
  /** Somebody listens for messages from now on. */
  listen(): void
  /** Makes the error that a WebSocket throws. */
  exception(message: string, name: string): Error
}

type Listener<Type> = ((this: PlayerSocket, event: Type) => unknown) | null

interface Handlers {
  message: Listener<PlayerMessageEvent>
  close: Listener<PlayerCloseEvent>
  error: Listener<Event>
}
type Type = keyof Handlers

const encoder = new TextEncoder()

/** A player's connection in the hosted page. It has the shape of a WebSocket that is open. */
export class PlayerSocket extends EventTarget implements Record<keyof PublicPlayerSocket, unknown> {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSING = 2
  static readonly CLOSED = 3
  readonly CONNECTING = 0
  readonly OPEN = 1
  readonly CLOSING = 2
  readonly CLOSED = 3
  readonly #connection: PlayerConnection
  readonly #handlers: Handlers = { message: null, close: null, error: null }

  constructor(connection: PlayerConnection) {
    super()
    this.#connection = connection
  }

  /** Number of the connection, which no other of this server gets. */
  get id(): number {
    return this.#connection.id
  }

  /** Path and query that the player asked for, such as `/?name=Ada`. */
  get url(): string {
    return this.#connection.url
  }

  get remoteAddress(): string {
    return this.#connection.remoteAddress
  }

  get readyState(): number {
    return this.#connection.readyState
  }

  /** Bytes that were sent here and wait to leave for the player. A server may skip updates for players with many. */
  get bufferedAmount(): number {
    return this.#connection.bufferedAmount
  }

  /** What binary messages come as. Unlike that of a WebSocket it begins as `arraybuffer`. */
  get binaryType(): 'arraybuffer' | 'blob' {
    return this.#connection.binaryType
  }

  set binaryType(type: 'arraybuffer' | 'blob') {
    if (type === 'arraybuffer' || type === 'blob') this.#connection.binaryType = type
  }

  get onmessage(): Listener<PlayerMessageEvent> {
    return this.#handlers.message
  }

  set onmessage(listener: Listener<PlayerMessageEvent>) {
    this.#handle('message', listener)
  }

  get onclose(): Listener<PlayerCloseEvent> {
    return this.#handlers.close
  }

  set onclose(listener: Listener<PlayerCloseEvent>) {
    this.#handle('close', listener)
  }

  get onerror(): Listener<Event> {
    return this.#handlers.error
  }

  set onerror(listener: Listener<Event>) {
    this.#handle('error', listener)
  }

  /** Sends a message. To a player who has left it does nothing but add to `bufferedAmount`. */
  send(data: PlayerData): void {
    this.#connection.send(data)
  }

  /**
   * Sends a message that may be lost or come out of order, but never twice, and that no other message waits for: over the
   * player's data channel, or over the WebSocket if there is none. It is dropped behind 64 KiB that wait to be sent.
   */
  sendUnreliable(data: PlayerData): void {
    this.#connection.send(data, true)
  }

  /**
   * Ends the connection.
   *
   * @param code 1000, or from 3000 to 4999
   * @throws DOMException for another code, or a reason of more than 123 bytes
   */
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
