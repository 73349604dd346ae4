import { view } from './bytes.js'
import { emit } from './emit.js'
import { encodeFrame } from './encode-frame.js'
import type { FrameError } from './frame-error.js'
import type { Chunk, DecoderOptions, Frame } from './types.js'
import { createUtf8Reader } from './utf8.js'

const TEXT = 1
const CLOSE = 8
const PING = 9
/** A bit for each opcode that RFC 6455 defines: 0, 1, 2 and 8, 9, 10. */
const OPCODES = 0x707

/** Those that may be sent: 1000 to 1014 without 1004 to 1006, and 3000 to 4999. */
const CLOSE_CODES = /^(100[0-37-9]|101[0-4]|[34]\d{3})$/

const HEAD_LIMIT = 16384
/** Small messages that arrive in pieces share buffers of this size, as each buffer costs time. */
const SLAB = 8192

const none = new Uint8Array(0)

/**
 * What RFC 6455 asks of a client's receiving side: bytes in, messages out. Use one per connection, with one
 * of its three inputs. No input makes it throw.
 */
export class MessageDecoder {
  /** Bytes of a TCP stream, cut anywhere. */
  readonly push: (bytes: Uint8Array) => void
  /** A frame that the host has parsed. */
  readonly pushFrame: (frame: Frame) => void
  /** A piece of a frame's payload. */
  readonly pushChunk: (chunk: Chunk) => void

  constructor(options: DecoderOptions) {
    const { handshake, maxMessage = 1 << 24, maxFragments = 1 << 17, random = Math.random, write } = options
    const readText = createUtf8Reader(options.TextDecoder)
    let done = false
    // The HTTP head so far; undefined once it is over.
    let head = handshake ? '' : undefined
    // The header: how many of its bytes were read, how many it has, the first of them, the length so far.
    let read = 0
    let size = 2
    let first = 0
    let length = 0
    // The frame: its opcode, whether it is the last, how much of its payload is missing; -1 between frames.
    let opcode = 0
    let final = true
    let left = -1
    // The message: its opcode, 0 between messages; its bytes and its frames so far.
    let kind = 0
    let total = 0
    let fragments = 0
    // A message of bytes: what was copied of it is from `start` up to `end`; how large the last one was.
    let buffer: Uint8Array = none
    let start = 0
    let end = 0
    let previous = 0
    // A control frame, which may stand between the fragments of a message.
    let control: number[] = []

    const answer = (code: number, payload: ArrayLike<number>): void => {
      if (head === undefined && write) emit(write, encodeFrame(code, payload, random))
    }

    /** Runs a step of the decoder, which throws a close code; or anything else if there is no memory left. */
    const guard = (work: () => void): void => {
      try {
        if (!done) work()
      } catch (problem) {
        done = true
        const code = (problem as number) > 0 ? (problem as number) : 1009
        answer(CLOSE, [code >> 8, code])
        // Of an HTTP answer that is not right, its status says most.
        const reason = /^HTTP/.test(head!) ? 'HTTP' + head!.slice(8, 12) : code
        emit(
          options.error,
          Object.assign(Error('WebSocket refused: ' + reason), { name: 'FrameError', code }) as FrameError,
        )
      }
    }

    const finish = (message: string | Uint8Array): void => {
      kind = total = fragments = 0
      emit(options.message, message)
    }

    const readControl = (payload: Uint8Array): void => {
      control = []
      if (opcode === CLOSE) {
        const code = payload.length ? (payload[0]! << 8) | payload[1]! : 1005
        if (payload.length && !CLOSE_CODES.test(code as never)) throw 1002
        const reason = createUtf8Reader(options.TextDecoder)(payload, 2, payload.length, true)
        done = true
        answer(CLOSE, payload)
        emit(options.close, code, reason)
      } else if (opcode === PING) {
        answer(10, payload)
        emit(options.ping, payload)
      } else emit(options.pong, payload)
    }

    const readBinary = (bytes: Uint8Array, at: number, until: number, last: boolean): void => {
      const piece = view(bytes, at, until)
      if (last && start === end) return finish(piece)
      if (start + total > buffer.length) {
        // Doubling keeps the copies linear. Messages often have one size: then the first guess is exact.
        const used: Uint8Array = view(buffer, start, end)
        buffer = new Uint8Array(Math.max(SLAB, total, 2 * used.length, final ? 0 : previous))
        buffer.set(used)
        end -= start
        start = 0
      }
      buffer.set(piece, end)
      end += piece.length
      if (last) {
        const message = view(buffer, start, (start = end))
        previous = message.length
        if (buffer.length > SLAB) {
          buffer = none
          start = end = 0
        }
        finish(message)
      }
    }

    /** Takes a piece of the frame's payload: what `bytes` has from `at` to `until`. */
    const readPayload = (bytes: Uint8Array, at: number, until: number): void => {
      left = left - until + at || -1
      const last = left < 0 && final
      if (opcode >= CLOSE) {
        while (at < until) control.push(bytes[at++]!)
        if (last) readControl(Uint8Array.from(control))
      } else if (kind === TEXT) {
        const message = readText(bytes, at, until, last)
        if (last) finish(message)
      } else readBinary(bytes, at, until, last)
    }

    /** Refuses what a frame may not be; `bytes` need not be its true length if that is above 125. */
    const check = (code: number, fin: boolean, bytes: number): void => {
      // A control frame is whole and short, and a close frame has no half of a code; a message begins once.
      if (
        !((1 << code) & OPCODES) ||
        (code < CLOSE ? !code !== !!kind : !fin || bytes > 125 || (code === CLOSE && bytes === 1))
      )
        throw 1002
      opcode = code
      final = fin
    }

    const begin = (bytes: number): void => {
      if (opcode < CLOSE) {
        total += bytes
        if (total > maxMessage || ++fragments > maxFragments) throw 1009
        kind = opcode || kind
      }
      left = bytes
    }

    const readHeader = (byte: number): void => {
      if (!read++) first = byte
      else if (read < 3) {
        // Reserved bits, and a mask, which only a client sets.
        if (first & 0x70 || byte > 0x7f) throw 1002
        check(first & 15, first > 0x7f, byte)
        size = byte < 126 ? 2 : byte < 127 ? 4 : 10
        length = size > 2 ? 0 : byte
      } else length = length * 256 + byte
      if (read === size) {
        read = 0
        begin(length)
      }
    }

    const readHead = (byte: number): void => {
      head += String.fromCharCode(byte)
      if (head!.endsWith('\r\n\r\n')) {
        if (typeof handshake === 'function' ? !handshake(head!) : !/^HTTP\/1\.1 101 /.test(head!)) throw 1002
        head = undefined
      } else if (head!.length >= HEAD_LIMIT) throw 1009
    }

    this.push = (bytes) =>
      guard(() => {
        for (let at = 0; !done && at < bytes.length;) {
          if (left > 0) readPayload(bytes, at, (at = Math.min(bytes.length, at + left)))
          else {
            ;(head === undefined ? readHeader : readHead)(bytes[at++]!)
            if (!left) readPayload(none, 0, 0)
          }
        }
      })

    this.pushFrame = this.pushChunk = ({
      payload,
      bytes = payload!,
      remaining = 0,
      fin = left < 0 || final,
      opcode: code = kind ? 0 : TEXT,
    }: Partial<Frame & Chunk>) =>
      guard(() => {
        const coming = bytes.length + remaining
        // A chunk that is missing shows in what remains.
        if (!(remaining >= 0) || (left >= 0 && left !== coming)) throw 1002
        if (left < 0) {
          check(code, fin, coming)
          begin(coming)
        }
        final = fin
        readPayload(bytes, 0, bytes.length)
      })
  }
}
