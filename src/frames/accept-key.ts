import { bytesOf } from './bytes.js'

/** Base64 of 16 bytes, random but for its last bits. Digits of base 36 are digits of base64 too. */
export const createKey = (random: () => number): string => {
  let key = ''
  while (key.length < 21) key += ((random() * 36) | 0).toString(36)
  return key + 'A=='
}

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

/**
 * What a server must answer to a key: base64 of the SHA-1 of the key and the protocol's GUID. That text has
 * always 60 characters, so that with padding and its length in bits, 480, there are two blocks of 64.
 */
export const acceptOf = (key: string): string => {
  const text = key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11\x80' + '\0'.repeat(65) + '\x01\xe0'
  const data = new DataView(bytesOf(text).buffer)
  const words: number[] = []
  let state = [0x67452301, 0xefcdab89, ~0x67452301, ~0xefcdab89, 0xc3d2e1f0]
  for (let block = 0; block < 128; block += 64) {
    let next = state
    for (let i = 0; i < 80; i++) {
      const [a, b, c, d, e] = next as [number, number, number, number, number]
      const round = (i / 20) | 0
      words[i] =
        i < 16
          ? data.getInt32(block + i * 4)
          : rotate(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1)
      // The constants are the roots of 2, 3, 5 and 10.
      next = [
        (rotate(a, 5) +
          e +
          words[i]! +
          ((Math.sqrt([2, 3, 5, 10][round]!) * 2 ** 30) | 0) +
          (round % 2 ? b ^ c ^ d : round ? (b & c) | (d & (b | c)) : (b & c) | (~b & d))) |
          0,
        a,
        rotate(b, 30),
        c,
        d,
      ]
    }
    state = state.map((word, i) => (word + next[i]!) | 0)
  }
  let accept = ''
  // 160 bits make 26 digits of 6 and one of 4.
  for (let bit = 0; bit < 160; bit += 6) {
    const at = bit >> 5
    const digit = ((state[at]! << bit) | (bit % 32 > 26 ? state[at + 1]! >>> -bit : 0)) >>> 26
    accept += String.fromCharCode(
      digit + (digit < 26 ? 65 : digit < 52 ? 71 : digit < 62 ? -4 : digit < 63 ? -19 : -16),
    )
  }
  return accept + '='
}
