import { bytesOf } from './bytes.js'
import type { RandomByte } from './random.js'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Makes the key of a handshake: the base64 of 16 random bytes. */
export const createKey = (randomByte: RandomByte): string => base64(Uint8Array.from({ length: 16 }, randomByte))

/** The answer that a server must give to a key: base64 of the SHA-1 of the key and the protocol's GUID. */
export const acceptOf = (key: string): string => base64(sha1(key + GUID))

const ROUND_CONSTANTS = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6]

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

type FiveWords = [number, number, number, number, number]

/** The SHA-1 of a text of 60 characters, to which padding and the length make two blocks of 64 bytes. */
function sha1(text: string): Uint8Array {
  const data = new DataView(bytesOf(`${text}\x80${'\0'.repeat(65)}\x01\xe0`).buffer)
  const words: number[] = []
  let state: FiveWords = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
  for (let block = 0; block < 128; block += 64) {
    let [a, b, c, d, e] = state
    for (let i = 0; i < 80; i++) {
      const round = Math.floor(i / 20)
      words[i] =
        i < 16
          ? data.getInt32(block + i * 4)
          : rotate(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1)
      const mixed = round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (d & (b | c)) : b ^ c ^ d
      const next = (rotate(a, 5) + mixed + e + words[i]! + ROUND_CONSTANTS[round]!) | 0
      ;[a, b, c, d, e] = [next, a, rotate(b, 30), c, d]
    }
    const [A, B, C, D, E] = state
    state = [(A + a) | 0, (B + b) | 0, (C + c) | 0, (D + d) | 0, (E + e) | 0]
  }
  return Uint8Array.from({ length: 20 }, (_, at) => state[at >> 2]! >> (24 - 8 * (at & 3)))
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Three bytes are four digits. A digit without bits of a byte is `=`. */
function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    for (let digit = 0; digit < 4; digit++) {
      text += at + digit > bytes.length ? '=' : DIGITS.charAt((bits >> (18 - 6 * digit)) & 63)
    }
  }
  return text
}
