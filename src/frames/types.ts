import type { FrameError } from './frame-error.js'
import type { TextDecoderClass } from './utf8.js'

/** A frame that the host has parsed. */
export interface Frame {
  /** 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong. */
  readonly opcode: number
  readonly fin: boolean
  /** Already unmasked. */
  readonly payload: Uint8Array
}

/** A piece of a frame's payload. */
export interface Chunk {
  readonly bytes: Uint8Array
  /** How many bytes of the same frame are still to come. */
  readonly remaining: number
  /**
   * Whether the frame ends its message; what its last chunk says counts, as some hosts know no sooner.
   * Default: what the chunk before said, and true for hosts that never say.
   */
  readonly fin?: boolean
  /** As in a frame; read from its first chunk only. Default: 0 within a message, else 1. */
  readonly opcode?: number
}

/** What a decoder tells its host. What a callback throws becomes an unhandled rejection. */
export interface DecoderCallbacks {
  /**
   * A whole message. Binary data may be a view: of the bytes given, if it came in one piece (copy it if the
   * host uses its buffer again), or of a larger buffer of the decoder's, which never writes to it again.
   */
  message?(data: string | Uint8Array): void
  /** A ping: answer with a pong of the same payload, unless `write` was given. */
  ping?(payload: Uint8Array): void
  pong?(payload: Uint8Array): void
  /** The peer's close frame; 1005 if it named no code. Everything after it is ignored. */
  close?(code: number, reason: string): void
  /** The stream can't be read on: close with `error.code`. Everything after it is ignored. */
  error?(error: FrameError): void
}

export interface DecoderLimits {
  /** Bytes a message may have, over all its frames, and so also a frame. Default: 16 MiB. */
  readonly maxMessage?: number
  /** Frames a message may have, empty ones included. Default: 131,072. */
  readonly maxFragments?: number
}

/** What a host may lack, or want to give itself. */
export interface DecoderHost {
  /** The `TextDecoder` to use if it proves right; `null` for none. Default: the global one, if any. */
  readonly TextDecoder?: TextDecoderClass | null
  /** Numbers from 0 up to 1 for masks and keys. Default: `Math.random`. */
  readonly random?: () => number
}

export interface DecoderOptions extends DecoderCallbacks, DecoderLimits, DecoderHost {
  /**
   * The stream begins with an HTTP head of at most 16 KiB: `true` asks for status 101; a function gets the
   * head, status line and empty line included, and returns whether it is right. Default: false.
   */
  readonly handshake?: boolean | ((head: string) => boolean)
  /**
   * Takes the answers: a pong to each ping, a close frame to the peer's or to an error, each whole and
   * masked. Without it the host answers.
   */
  write?(frame: Uint8Array): void
}
