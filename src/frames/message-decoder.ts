import { emit } from './emit.js'
import { encodeFrame } from './encode-frame.js'
import { FrameError, type FrameErrorCode } from './frame-error.js'
import { defaultRandom } from './random.js'
import type { Chunk, DecoderOptions, Frame } from './types.js'
import { createUtf8Reader, view } from './utf8.js'

const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10
/** A bit for each opcode that RFC 6455 defines. */
const OPCODES = 1 << 0 | 1 << TEXT | 1 << 2 | 1 << CLOSE | 1 << PING | 1 << PONG

const MEBIBYTE = 1 << 20
const HEAD_LIMIT = 16384
/** Small messages that arrive in pieces share buffers of this size, as each buffer costs time. */
const SLAB = 8192

const none = new Uint8Array(0)

const isCloseCode = (code: number): boolean =>
  code > 2999 ? code < 5000 : code > 999 && code < 1015 && (code < 1004 || code > 1006)

/**
 * What RFC 6455 asks of a client's receiving side: bytes in, messages out. Use one per connection, with one of
 * its three inputs. No input makes it throw.
 */
export class MessageDecoder {
  /** Bytes of a TCP stream, cut anywhere. */
  readonly push: (bytes: Uint8Array) => void
  /** A frame that the host has parsed. */
  readonly pushFrame: (frame: Frame) => void
  /** A piece of a frame's payload. */
  readonly pushChunk: (chunk: Chunk) => void

  constructor(options: DecoderOptions) {
    const {
      handshake,
      maxMessage = 16 * MEBIBYTE,
      maxFrame = 16 * MEBIBYTE,
      maxFragments = MEBIBYTE / 8,
      random = defaultRandom,
    } = options
    const text = createUtf8Reader(options.TextDecoder)
    let done = false
    // The HTTP head, and how much of the empty line that ends it was seen: 4 is all of it.
    let head = ''
    let headEnd = handshake ? 0 : 4
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
    let buffer = none
    let start = 0
    let end = 0
    let previous = 0
    // A control frame, which may stand between the fragments of a message.
    let control: number[] = []

    const answer = (code: number, payload: Uint8Array): void => {
      if (options.write) emit(options, 'write', encodeFrame(code, payload, random))
    }

    const fail = (code: FrameErrorCode, message: string): void => {
      done = true
      if (headEnd > 3) answer(CLOSE, Uint8Array.of(code >> 8, code))
      emit(options, 'error', new FrameError(code, message))
    }

    const finish = (message: string | Uint8Array): void => {
      kind = total = fragments = 0
      emit(options, 'message', message)
    }

    const readControl = (bytes: Uint8Array, from: number, to: number): void => {
      while (from < to) control.push(bytes[from++]!)
      if (left) return
      const payload = Uint8Array.from(control)
      control = []
      if (opcode === CLOSE) {
        const code = payload.length ? payload[0]! << 8 | payload[1]! : 1005
        if (payload.length && !isCloseCode(code)) return fail(1002, 'Bad close code')
        // What is left of an unfinished text is no longer wanted.
        text.take()
        const reason = text.read(payload, 2, payload.length) ? text.take() : undefined
        if (reason === undefined) return fail(1007, 'Bad UTF-8')
        done = true
        answer(CLOSE, payload)
        emit(options, 'close', code, reason)
      } else if (opcode === PING) {
        answer(PONG, payload)
        emit(options, 'ping', payload)
      } else {
        emit(options, 'pong', payload)
      }
    }

    const readText = (bytes: Uint8Array, from: number, to: number): void => {
      const last = !left && final
      const message = text.read(bytes, from, to) ? last ? text.take() : '' : undefined
      if (message === undefined) fail(1007, 'Bad UTF-8')
      else if (last) finish(message)
    }

    const readBinary = (bytes: Uint8Array, from: number, to: number): void => {
      const last = !left && final
      if (last && start === end) return finish(view(bytes, from, to))
      const coming = to - from + left
      if (end + coming > buffer.length) {
        // Doubling keeps the copies linear. Messages often have one size: then the first guess is exact.
        const used = end - start
        const grown = new Uint8Array(Math.max(SLAB, used + coming, used ? 2 * used : final ? 0 : previous))
        grown.set(view(buffer, start, end))
        buffer = grown
        start = 0
        end = used
      }
      buffer.set(view(bytes, from, to), end)
      end += to - from
      if (last) {
        const message = view(buffer, start, end)
        previous = end - start
        start = end
        if (buffer.length > SLAB) {
          buffer = none
          start = end = 0
        }
        finish(message)
      }
    }

    /** Takes a piece of the frame's payload, all of it if there is no more. */
    const payload = (bytes: Uint8Array, from: number, to: number): void => {
      left -= to - from
      if (opcode >= CLOSE) readControl(bytes, from, to)
      else if (kind === TEXT) readText(bytes, from, to)
      else readBinary(bytes, from, to)
      if (!left) left = -1
    }

    /** Everything that a frame can be refused for before its payload. */
    const begin = (code: number, fin: boolean, bytes: number): void => {
      if (!(1 << code & OPCODES)) return fail(1002, 'Reserved opcode')
      if (code >= CLOSE) {
        if (!fin || !(bytes < 126) || code === CLOSE && bytes === 1) return fail(1002, 'Bad control frame')
      } else {
        if (!code !== !!kind) return fail(1002, 'Continuation out of place')
        total += bytes
        fragments++
        if (!(bytes <= maxFrame && total <= maxMessage && fragments <= maxFragments)) return fail(1009, 'Over the limit')
        if (code) kind = code
      }
      opcode = code
      final = fin
      left = bytes
    }

    const readHeader = (byte: number): void => {
      read++
      if (read < 2) {
        first = byte
        return
      }
      if (read < 3) {
        if (first & 0x70) return fail(1002, 'Reserved bit')
        if (byte > 0x7f) return fail(1002, 'Masked')
        size = byte < 126 || first & CLOSE ? 2 : byte < 127 ? 4 : 10
        length = size > 2 ? 0 : byte
      } else {
        length = length * 256 + byte
      }
      if (read === size) {
        read = 0
        // The length must be written as short as it can be.
        if (size > 2 && length < (size > 4 ? 65536 : 126) || length >= 2 ** 63) fail(1002, 'Bad length')
        else begin(first & 15, first > 0x7f, length)
      }
    }

    const readHead = (byte: number): void => {
      head += String.fromCharCode(byte)
      headEnd = byte === (headEnd & 1 ? 10 : 13) ? headEnd + 1 : byte === 13 ? 1 : 0
      if (head.length > HEAD_LIMIT) {
        headEnd = 0
        fail(1009, 'Head too long')
      } else if (headEnd > 3) {
        const complaint = typeof handshake === 'function'
          ? handshake(head)
          : /^HTTP\/1\.1 101\b/.test(head) ? '' : 'No status 101'
        head = ''
        if (complaint) {
          headEnd = 0
          fail(1002, complaint)
        }
      }
    }

    this.push = bytes => {
      let at = 0
      while (!done && at < bytes.length) {
        if (left > 0) {
          const from = at
          at = Math.min(bytes.length, at + left)
          payload(bytes, from, at)
        } else if (headEnd < 4) {
          readHead(bytes[at++]!)
        } else {
          readHeader(bytes[at++]!)
          if (!left && !done) payload(none, 0, 0)
        }
      }
    }

    this.pushChunk = ({ bytes, remaining, fin = true, opcode: code = kind ? 0 : TEXT }) => {
      if (done) return
      const coming = bytes.length + remaining
      if (!(remaining >= 0) || left >= 0 && left !== coming) return fail(1002, 'A chunk is missing')
      if (left < 0) begin(code, fin, coming)
      if (!done) payload(bytes, 0, bytes.length)
    }

    this.pushFrame = ({ payload, fin, opcode }) => this.pushChunk({ bytes: payload, remaining: 0, fin, opcode })
  }
}
