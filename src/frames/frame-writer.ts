import { encodeUtf8, testedEncoder, UNIT_BYTES, writeUtf8 } from './encode-text.js'
import { BINARY, createFrameBuffer, encodeFrame, PAYLOAD_START, sealFrame, TEXT, wholeWords } from './frame.js'
import type { RandomByte } from './random.js'
import type { TextEncoderClass } from './types.js'

/** Small frames share buffers of this size, because each new buffer costs time. No byte of one is used twice. */
const SLAB = 16384
/** The largest payload that goes into a shared buffer. */
const SMALL = 4096
/** Text up to this length is encoded here: a call of the host's encoder would cost more than the work. */
const SHORT = 48

/** Makes the frames of a client's messages, each whole and with its mask. */
export interface FrameWriter {
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
