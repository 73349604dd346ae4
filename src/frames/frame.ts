import { UNIT_BYTES, encodeUtf8, testedEncoder, writeUtf8 } from './encode-text.js'
import type { RandomByte } from './random.js'
import type { TextEncoderClass } from './types.js'

export const CONTINUATION = 0
export const TEXT = 1
export const BINARY = 2
export const CLOSE = 8
export const PING = 9
export const PONG = 10

/** The first place for a payload, behind the longest header, that a word of 4 bytes may begin at. */
const PAYLOAD_START = 16

/** Rounds up to whole words of 4 bytes. */
const wholeWords = (length: number): number => (length + 3) & ~3

/** Bytes in which frames are made, and the same memory as words. */
interface FrameBuffer {
  readonly bytes: Uint8Array
  readonly words: Int32Array
}

/** @param size whole words */
const createFrameBuffer = (size: number): FrameBuffer => {
  const bytes = new Uint8Array(size)
  return { bytes, words: new Int32Array(bytes.buffer) }
}

/**
 * Makes a client's frame of the payload that stands in the buffer: writes the header in front of it, and masks it where
 * it is.
 * @param start where the payload begins, at a whole word and with room for the header
 */
function sealFrame(
  { bytes, words }: FrameBuffer,
  start: number,
  length: number,
  opcode: number,
  randomByte: RandomByte,
): Uint8Array {
  const lengthBytes = length < 126 ? 0 : length < 65536 ? 2 : 8
  const mask = start - 4
  const begin = mask - lengthBytes - 2
  bytes[begin] = 0x80 | opcode
  bytes[begin + 1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)
  // An element of a byte array takes the lowest eight bits of a number, without its fraction.
  for (let at = mask - 1, rest = length; at > begin + 1; at--, rest /= 256) bytes[at] = rest
  for (let at = mask; at < start; at++) bytes[at] = randomByte()
  // The mask is the word in front of the payload, in whatever order this machine has the bytes of a word.
  const maskWord = words[mask >> 2]!
  const end = start + length
  const lastWord = end >> 2
  for (let at = start >> 2; at < lastWord; at++) words[at]! ^= maskWord
  for (let at = lastWord << 2; at < end; at++) bytes[at]! ^= bytes[mask + (at & 3)]!
  return new Uint8Array(bytes.buffer, begin, end - begin)
}

/** Encodes a client's frame, whole and with its mask, in memory of its own. */
export function encodeFrame(opcode: number, payload: ArrayLike<number>, randomByte: RandomByte): Uint8Array {
  const buffer = createFrameBuffer(PAYLOAD_START + wholeWords(payload.length))
  buffer.bytes.set(payload, PAYLOAD_START)
  return sealFrame(buffer, PAYLOAD_START, payload.length, opcode, randomByte)
}

/** Small frames share buffers of this size, because each new buffer costs time. No byte of one is used twice. */
const SLAB = 16384
/** The largest payload that goes into a shared buffer. */
const SMALL = 4096
/** Text up to this length is encoded here: a call of the host's encoder would cost more than the work. */
const SHORT = 48

/** Makes the frames of a client's messages, each whole and with its mask. */
interface FrameWriter {
  text(text: string): Uint8Array
  binary(bytes: Uint8Array): Uint8Array
}

/** @param Encoder the host's `TextEncoder`; `null` for none; by default the global one, if there is one */
export function createFrameWriter(randomByte: RandomByte, Encoder?: TextEncoderClass | null): FrameWriter {
  const encoder = testedEncoder(Encoder)
  let slab = createFrameBuffer(0)
  let used = 0

  /** Where a payload of up to `size` bytes may begin. */
  const reserve = (size: number): number => {
    let start = wholeWords(used) + PAYLOAD_START
    if (start + size > slab.bytes.length) {
      slab = createFrameBuffer(SLAB)
      start = PAYLOAD_START
    }
    return start
  }

  const seal = (opcode: number, start: number, end: number): Uint8Array => {
    used = end
    return sealFrame(slab, start, end - start, opcode, randomByte)
  }

  return {
    text(text) {
      const most = text.length * UNIT_BYTES
      if (most > SMALL) return encodeFrame(TEXT, encodeUtf8(text, encoder), randomByte)
      const start = reserve(most)
      if (encoder?.encodeInto === undefined || text.length <= SHORT) {
        return seal(TEXT, start, writeUtf8(text, slab.bytes, start))
      }
      return seal(TEXT, start, start + encoder.encodeInto(text, slab.bytes.subarray(start)).written)
    },

    binary(bytes) {
      if (bytes.length > SMALL) return encodeFrame(BINARY, bytes, randomByte)
      const start = reserve(bytes.length)
      slab.bytes.set(bytes, start)
      return seal(BINARY, start, start + bytes.length)
    },
  }
}
