import { frameError } from './errors.js'

/**
 * Takes a piece of a text, cut anywhere: `bytes` from `at` to `end`. Returns the text after its last piece, and ''
 * before.
 * @throws FrameError at the first byte that can't be UTF-8
 */
export type TextReader = (bytes: Uint8Array, at: number, end: number, last: boolean) => string

/** Characters that are collected for one string; far below any engine's limit of arguments. */
const BLOCK = 999

/**
 * Decodes byte by byte, at some 40 MB a second. A host's `TextDecoder` is faster, but many script VMs lack it or its
 * stream mode.
 */
export function createTextReader(): TextReader {
  let points: number[] = []
  let parts: string[] = []
  // Inside a character: the number of missing bytes, the bounds of the next byte, the bits so far.
  let missing = 0
  let lowest = 0
  let highest = 0
  let point = 0

  const flush = (): void => {
    parts.push(String.fromCodePoint(...points))
    points = []
  }

  return (bytes, at, end, last) => {
    for (let i = at; i < end; i++) {
      const byte = bytes[i]!
      // Refuses the first wrong byte, by table 3-7 of the Unicode standard.
      if (missing > 0) {
        if (byte < lowest || byte > highest) throw frameError(1007)
        missing -= 1
        point = (point << 6) | (byte & 0x3f)
        lowest = 0x80
        highest = 0xbf
      } else {
        if ((byte > 0x7f && byte < 0xc2) || byte > 0xf4) throw frameError(1007)
        missing = byte < 0x80 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
        point = missing > 0 ? byte & (0x3f >> missing) : byte
        lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
        highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
      }
      if (missing === 0 && points.push(point) > BLOCK) flush()
    }
    if (!last) return ''
    if (missing > 0) throw frameError(1007)
    flush()
    const text = parts.join('')
    parts = []
    return text
  }
}

/** Encodes text as UTF-8. Lone surrogates become U+FFFD, as on the web; some hosts' encoders keep them. */
export function encodeUtf8(text: string): Uint8Array {
  // A UTF-16 unit becomes three bytes at most.
  const bytes = new Uint8Array(text.length * 3)
  let end = 0
  for (let i = 0; i < text.length; i++) {
    let point = text.codePointAt(i)!
    if (point > 0xffff) i += 1
    else if (point >> 11 === 0x1b) point = 0xfffd
    // The first byte says how many follow, each with six bits. The array keeps the lowest eight bits of a number.
    let more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3
    bytes[end++] = more === 0 ? point : (0xff00 >> (more + 1)) | (point >> (6 * more))
    while (more-- > 0) bytes[end++] = 0x80 | ((point >> (6 * more)) & 0x3f)
  }
  return bytes.subarray(0, end)
}
