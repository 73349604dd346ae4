import type { DecoderHost, DecoderLimits } from './types.js'

/** A stream of bytes that the host opened. Its methods may also return promises. */
export interface ByteStream {
  write(bytes: Uint8Array): unknown
  /** Ends the stream once what was written is on its way. */
  close(): unknown
  onData(listener: (bytes: Uint8Array) => void): unknown
  /** `error`: why, if it was not an orderly end. */
  onClose(listener: (error?: unknown) => void): unknown
}

/** Opens a stream, for `secure` one over TLS. `host` is a name or an address, IPv6 without brackets. */
export type Connect = (target: {
  readonly host: string
  readonly port: number
  readonly secure: boolean
}) => ByteStream | PromiseLike<ByteStream>

export interface WebSocketOptions extends DecoderLimits, DecoderHost {
  /** Milliseconds that opening may take, and closing. Default: 10,000. */
  readonly timeout?: number
  /** Runs `call` after `ms`; returns how to cancel that. Default: the global timers; without any, none. */
  readonly setTimer?: (ms: number, call: () => void) => () => void
}

/** Every event has `type` and `target`; what else it has depends on its type. */
export interface SocketEvent {
  readonly type: string
  readonly target: FrameWebSocket
  /** Of `message`: the text or the bytes. */
  readonly data?: string | ArrayBuffer
  /** Of `close`: the server's code, 1005 if it gave none, 1006 if there was no close frame or an error. */
  readonly code?: number
  readonly reason?: string
  readonly wasClean?: boolean
  /** Of `error`: a `FrameError`, a timeout, or whatever the stream failed with. */
  readonly error?: unknown
}

export type SocketListener = (event: SocketEvent) => void

export interface ReadyStates {
  readonly CONNECTING: 0
  readonly OPEN: 1
  readonly CLOSING: 2
  readonly CLOSED: 3
}

/** The WebSocket of the W3C, as far as it makes sense without a page. */
export interface FrameWebSocket extends ReadyStates {
  readonly url: string
  /** The subprotocol that the server chose, or ''. */
  readonly protocol: string
  readonly extensions: string
  readonly readyState: number
  readonly bufferedAmount: number
  /** Bytes arrive as an ArrayBuffer, whatever is set here. */
  binaryType: string
  onopen: SocketListener | null
  onmessage: SocketListener | null
  onerror: SocketListener | null
  onclose: SocketListener | null
  addEventListener(type: string, listener: SocketListener): void
  removeEventListener(type: string, listener: SocketListener): void
  /**
   * Does nothing once the socket is closing.
   * @throws InvalidStateError while it is still connecting
   */
  send(data: string | ArrayBuffer | ArrayBufferView): void
  /**
   * @param code 1000, the default if there is a reason, or 3000 to 4999
   * @param reason at most 123 bytes
   * @throws InvalidAccessError, SyntaxError for others
   */
  close(code?: number, reason?: string): void
}

export interface FrameWebSocketClass extends ReadyStates {
  /**
   * @param url `ws:` or `wss:` of a host name or address, ASCII only, without a fragment
   * @throws SyntaxError for another, or for a subprotocol that isn't a token
   */
  new (url: string, protocols?: string | readonly string[]): FrameWebSocket
}
