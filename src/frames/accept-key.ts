const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base64 of 16 bytes. The last digit holds 2 bits of them, here zeros: 126 bits are random. */
export const createKey = (random: () => number): string => {
  let key = ''
  while (key.length < 21) key += ALPHABET[random() * 64 | 0]
  return key + 'A=='
}

const rotate = (word: number, bits: number): number => word << bits | word >>> 32 - bits

/**
 * What a server must answer to a key: base64 of the SHA-1 of the key and the protocol's GUID. That text always
 * has 60 characters, which fill 15 words of a first block; the second is only the length.
 */
export const acceptOf = (key: string): string => {
  const text = key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
  for (let block = 0; block < 2; block++) {
    const words: number[] = []
    let [a, b, c, d, e] = state as [number, number, number, number, number]
    for (let i = 0; i < 80; i++) {
      words[i] = i > 15
        ? rotate(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1)
        : block
          ? i > 14 ? 480 : 0
          : i > 14 ? 1 << 31 : [0, 1, 2, 3].reduce((word, j) => word << 8 | text.charCodeAt(i * 4 + j), 0)
      const round = i / 20 | 0
      const next = rotate(a, 5) + e + words[i]! + (
        round === 0 ? (b & c | ~b & d) + 0x5a827999
        : round === 2 ? (b & c | b & d | c & d) + 0x8f1bbcdc
        : (b ^ c ^ d) + (round > 1 ? 0xca62c1d6 : 0x6ed9eba1)
      )
      e = d
      d = c
      c = rotate(b, 30)
      b = a
      a = next | 0
    }
    state = [a, b, c, d, e].map((word, i) => word + state[i]! | 0)
  }
  let accept = ''
  // 160 bits make 26 digits of 6 and one of 4.
  for (let bit = 0; bit < 160; bit += 6) {
    const at = bit >> 5
    const high = state[at]! << (bit & 31)
    accept += ALPHABET[(bit % 32 > 26 ? high | state[at + 1]! >>> 32 - bit % 32 : high) >>> 26]
  }
  return accept + '='
}
