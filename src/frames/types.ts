/**
 * Why a stream was refused, as the close code for the peer. 1002: the peer broke the protocol, or its handshake isn't that
 * of a WebSocket. 1007: text that isn't UTF-8. 1009: a message, the number of its fragments or the HTTP head is too long.
 */
export type FrameErrorCode = 1002 | 1007 | 1009

/**
 * The only error of this module's streams. It is never thrown: the `error` callback or event gets it. Its message ends
 * with the code, or with the problem of the handshake, such as `HTTP 403`.
 */
export interface FrameError extends Error {
  readonly name: 'FrameError'
  /** The close code for the peer. */
  readonly code: FrameErrorCode
}

/** Bytes as hosts give them. */
export type ByteInput = ArrayBuffer | ArrayBufferView

/** A frame that the host has parsed. */
export interface Frame {
  /** 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong. */
  readonly opcode: number
  readonly fin: boolean
  /** Already unmasked. */
  readonly payload: ByteInput
}

/** A piece of a frame's payload. */
export interface Chunk {
  readonly bytes: ByteInput
  /** Bytes of the same frame that are still to come. */
  readonly remaining: number
  /** Whether the frame ends its message. A frame's last chunk decides. Default: as in the chunk before, or else true. */
  readonly fin?: boolean
  /** As in a frame; only read from its first chunk. Default: 0 within a message, otherwise 1. */
  readonly opcode?: number
}

/** The inputs of a decoder. */
export interface FrameInputs {
  /** Takes bytes of a TCP stream, cut anywhere. */
  readonly push: (bytes: ByteInput) => void
  /** Takes a frame that the host has parsed. */
  readonly pushFrame: (frame: Frame) => void
  /** Takes a piece of a frame's payload. */
  readonly pushChunk: (chunk: Chunk) => void
}

/** Takes the HTTP head with its status line and its empty line. Returns whether it is valid, or its problem in words. */
export type HeadCheck = (head: string) => boolean | string

/** Callbacks of a decoder. An error of a callback becomes an unhandled rejection. */
export interface DecoderCallbacks {
  /**
   * Takes a whole message. Binary data of one piece is a view of the given bytes: copy it if the host reuses its
   * buffer. Other binary data may be a view of a buffer that the decoder doesn't change again.
   */
  message?(data: string | Uint8Array): void
  /** Takes a ping. Answer it with a pong of the same payload, unless `write` was given. */
  ping?(payload: Uint8Array): void
  pong?(payload: Uint8Array): void
  /** Takes the peer's close frame; the code is 1005 if it had none. All later bytes are ignored. */
  close?(code: number, reason: string): void
  /** Takes the error that ends the stream: close it with `error.code`. All later bytes are ignored. */
  error?(error: FrameError): void
}

export interface DecoderLimits {
  /** The most bytes of a message, over all its frames. Default: 16 MiB. */
  readonly maxMessage?: number
  /** The most frames of a message, empty ones included. Default: 131,072. */
  readonly maxFragments?: number
}

/** What a host may lack or replace. */
export interface DecoderHost {
  /** Returns numbers from 0 to below 1, for masks and keys. Default: `crypto.getRandomValues`, or `Math.random`. */
  readonly random?: () => number
}

export interface DecoderOptions extends DecoderCallbacks, DecoderLimits, DecoderHost {
  /** Whether the stream begins with an HTTP head, of at most 16 KiB. `true` requires status 101. Default: false. */
  readonly handshake?: boolean | HeadCheck
  /** Sends a whole masked frame: a pong for each ping, a close frame for the peer's or an error. Default: the host does. */
  write?(frame: Uint8Array): unknown
}

/** A stream of bytes that the host opened. Its methods may return promises. */
export interface ByteStream {
  /** Sends bytes. Return a promise that resolves when they are sent, for `bufferedAmount` and the wait of `close()`. */
  write(bytes: Uint8Array): unknown
  /** Sends what was written, then drops the connection, even if the peer neither ends its side nor reads. Called once. */
  close(): unknown
  onData(listener: (bytes: Uint8Array) => void): unknown
  /** Call the listener when the stream ends, with an error if it failed. */
  onClose(listener: (error?: unknown) => void): unknown
}

/** Opens a stream; if `secure`, over TLS. `host` is a name or an address, IPv6 without brackets. */
export type Connect = (target: {
  readonly host: string
  readonly port: number
  readonly secure: boolean
}) => ByteStream | PromiseLike<ByteStream>

export interface WebSocketOptions extends DecoderLimits, DecoderHost {
  /** The most ms for opening, and for the answer to `close()`; 0 or Infinity: no limit. Default: 10,000. */
  readonly timeout?: number
  /** Runs `call` after `ms` and returns a function that cancels it. Default: the global timers, if any. */
  readonly setTimer?: (ms: number, call: () => void) => () => void
}

export interface ListenerOptions {
  /** Whether the listener is for one event only. */
  readonly once?: boolean
}

/** Every event has `type` and `target`, and other fields by its type. */
export interface SocketEvent {
  readonly type: string
  readonly target: FrameWebSocket
  /** Of `message`: the text or the bytes. */
  readonly data?: string | ArrayBuffer
  /** Of `close`: the server's code; 1005 if it had none, and 1006 after an error or without a close frame. */
  readonly code?: number
  readonly reason?: string
  readonly wasClean?: boolean
  /** Of `error`: a `FrameError`, a timeout, the error of the stream, or an end without a close frame. */
  readonly error?: unknown
}

export type SocketListener = (this: FrameWebSocket, event: SocketEvent) => unknown

export interface ReadyStates {
  readonly CONNECTING: 0
  readonly OPEN: 1
  readonly CLOSING: 2
  readonly CLOSED: 3
}

/** The W3C's WebSocket, as far as it applies outside of a page. */
export interface FrameWebSocket extends ReadyStates {
  readonly url: string
  /** The subprotocol that the server chose, or ''. */
  readonly protocol: string
  readonly extensions: string
  readonly readyState: number
  /** Bytes of frames that the stream still buffers, as far as its `write` tells. */
  readonly bufferedAmount: number
  /** Bytes arrive as an ArrayBuffer, whatever is set here. */
  binaryType: string
  onopen: SocketListener | null
  onmessage: SocketListener | null
  onerror: SocketListener | null
  onclose: SocketListener | null
  addEventListener(type: string, listener: SocketListener | null, options?: ListenerOptions | boolean): void
  removeEventListener(type: string, listener: SocketListener | null): void
  /**
   * Sends text or bytes; like a page, it converts other values to text. Does nothing once the socket is closing.
   * @throws InvalidStateError while the socket is connecting
   * @throws TypeError for a Blob: send its `arrayBuffer()`
   */
  send(data: string | number | ByteInput): void
  /**
   * @param code 1000, which is the default, or 3000 to 4999
   * @param reason at most 123 bytes
   * @throws InvalidAccessError for another code
   * @throws SyntaxError for a longer reason
   */
  close(code?: number, reason?: string): void
}

export interface FrameWebSocketClass extends ReadyStates {
  /**
   * @param url text or a URL object: `ws:` or `wss:` of a host name or address, ASCII only, without a fragment
   * @param protocols the subprotocols to ask for; the server must choose one of them
   * @throws SyntaxError for another URL, or for a subprotocol that isn't a token or is repeated
   */
  new (url: string | { readonly href: string }, protocols?: string | Iterable<string>): FrameWebSocket
}
