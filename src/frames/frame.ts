import type { RandomBytes } from './bytes.js'
import { callHost, frameError } from './errors.js'
import { statusOf } from './handshake.js'
import type { DecoderOptions, FrameError, FrameErrorCode } from './types.js'

export const CONTINUATION = 0
export const TEXT = 1
export const BINARY = 2
export const CLOSE = 8
export const PING = 9
export const PONG = 10

/** The offset of the payload: the first multiple of 4 after the longest header. */
const START = 16
const MASK = START - 4

/** Encodes a client's whole frame with its mask, in a new buffer. */
export function encodeFrame(opcode: number, payload: ArrayLike<number>, randomBytes: RandomBytes): Uint8Array {
  const { length } = payload
  const end = START + length
  const words = new Int32Array((end + 3) >> 2)
  const bytes = new Uint8Array(words.buffer)
  const lengthBytes = length < 126 ? 0 : length < 65536 ? 2 : 8
  const begin = MASK - lengthBytes - 2
  bytes[begin] = 0x80 | opcode
  bytes[begin + 1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)
  // A byte array stores the lowest eight bits of a number, without its fraction.
  for (let at = MASK - 1, rest = length; at > begin + 1; at--, rest /= 256) bytes[at] = rest
  bytes.set(randomBytes(START - MASK), MASK)
  bytes.set(payload, START)
  // The mask is the word before the payload, in the machine's own byte order.
  const mask = words[MASK >> 2]!
  for (let at = START >> 2; at < words.length; at++) words[at]! ^= mask
  return bytes.subarray(begin, end)
}

/** The most bytes of a head, with the interim answers before it. */
const HEAD_LIMIT = 16384
const CR = 13
const LF = 10

/**
 * Reads the HTTP head in front of the frames. The reader takes one byte, and returns whether the head is over. Interim
 * answers (RFC 9110, section 15.2) are skipped.
 *
 * @param options whose `handshake` judges the head: a function, or `true` for any head with status 101
 */
export function createHeadReader(options: DecoderOptions): (byte: number) => boolean {
  let codes: number[] = []
  let size = 0
  let previous = 0

  const text = (): string => codes.map((code) => String.fromCharCode(code)).join('')
  /** A refusing status tells more than a mistake in the head. */
  const refusal = (code: FrameErrorCode, problem: string): FrameError => {
    const status = statusOf(text())
    if (status === undefined) return frameError(code, 'the answer is not HTTP/1.1')
    return frameError(code, status.startsWith('1') ? problem : `HTTP ${status}`)
  }

  const isRight = (head: string): boolean => {
    const status = statusOf(head)
    if (status?.startsWith('1') === true && status !== '101') {
      codes = []
      return false
    }
    const { handshake } = options
    const verdict = typeof handshake === 'function' ? callHost(options, handshake, head) : status === '101'
    if (verdict !== true) throw refusal(1002, typeof verdict === 'string' ? verdict : 'the handshake')
    return true
  }

  return (byte) => {
    // Proxies disagree whether a bare line feed ends a line.
    if ((byte === LF) !== (previous === CR)) throw refusal(1002, 'a line that does not end with CR LF')
    previous = byte
    codes.push(byte)
    size += 1
    if (byte === LF && codes[codes.length - 3] === LF) return isRight(text())
    if (size >= HEAD_LIMIT) throw refusal(1009, `a head of more than ${HEAD_LIMIT} bytes`)
    return false
  }
}

/**
 * Reads one or two bytes of a frame's header at `at`, and returns the offset after them.
 *
 * @param check takes the fields of the first two bytes; any length above 125 is only known to be above 125
 * @param begin takes the length of the payload after the header
 */
export function createHeaderReader(
  check: (opcode: number, isFinal: boolean, length: number) => void,
  begin: (length: number) => void,
): (bytes: Uint8Array, at: number) => number {
  // Of a cut or long header: the number of bytes read, its size, its first byte, the length so far.
  let read = 0
  let size = 2
  let firstByte = 0
  let length = 0

  const start = (first: number, second: number): void => {
    // Nobody may set reserved bits, and only a client sets a mask.
    if ((first & 0x70) !== 0 || second > 0x7f) throw frameError(1002)
    check(first & 0x0f, first > 0x7f, second)
    read = second < 126 ? 0 : 2
    size = second === 126 ? 4 : 10
    length = 0
    if (read === 0) begin(second)
  }

  return (bytes, at) => {
    const byte = bytes[at]!
    if (read === 0 && at + 1 < bytes.length) {
      start(byte, bytes[at + 1]!)
      return at + 2
    }
    read += 1
    if (read === 1) {
      firstByte = byte
    } else if (read === 2) {
      start(firstByte, byte)
    } else {
      length = length * 256 + byte
      if (read === size) {
        read = 0
        begin(length)
      }
    }
    return at + 1
  }
}
