import type { RandomByte } from './random.js'

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
export function encodeFrame(opcode: number, payload: ArrayLike<number>, randomByte: RandomByte): Uint8Array {
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
  for (let at = MASK; at < START; at++) bytes[at] = randomByte()
  bytes.set(payload, START)
  // The mask is the word before the payload, in the machine's own byte order.
  const mask = words[MASK >> 2]!
  for (let at = START >> 2; at < words.length; at++) words[at]! ^= mask
  return bytes.subarray(begin, end)
}
