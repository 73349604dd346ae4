import { bytesOf, view } from './bytes.js'
import { frameError } from './errors.js'
import type { TextDecoderClass, TextDecoderLike } from './types.js'

declare const TextDecoder: TextDecoderClass | undefined

/**
 * Takes a piece of a text, cut anywhere: `bytes` from `at` to `end`. Returns the text after its last piece, and ''
 * before.
 * @throws FrameError at the first byte that can't be UTF-8
 */
export type TextReader = (bytes: Uint8Array, at: number, end: number, last: boolean) => string

/** Pieces up to this length are decoded here, which is faster than a call of the host's decoder. */
const SHORT = 9
/** The same while text is pending: each piece that the host decodes is a separate string, which costs memory. */
const SHORT_PIECE = 99
/** Longer pieces are decoded in parts: engines create large strings slowly, but join them quickly. */
const LONG = 65536
/** Characters that are collected for one string; far below any engine's limit of arguments. */
const BLOCK = 999

/** A byte order mark and a character beyond 16 bits, then mistakes that a decoder might accept. */
const SAMPLE = '\xef\xbb\xbf\xf0\x90\x80\x80\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xc3'
const REPLACEMENT = '\ufffd'
const DECODED_SAMPLE = '\ufeff\ud800\udc00' + REPLACEMENT.repeat(11)

/**
 * Creates the host's decoder, if it decodes the sample correctly and respects the bounds of a view, which some engines
 * don't. Avoids the option `fatal`, which some don't know: `hasMistake()` checks the replacement characters.
 */
function testedDecoder(Decoder: TextDecoderClass | null): TextDecoderLike | undefined {
  if (Decoder === null) return undefined
  try {
    const decoder = new Decoder('utf-8', { ignoreBOM: true })
    const text = decoder.decode(view(bytesOf(` ${SAMPLE}`), 1, 1 + SAMPLE.length))
    return text === DECODED_SAMPLE ? decoder : undefined
  } catch {
    return undefined
  }
}

/** The start of the character that `end` may cut; `end` itself after ASCII. */
function lastBoundary(bytes: Uint8Array, end: number): number {
  if (bytes[end - 1]! < 0x80) return end
  let at = end
  for (let back = 0; back < 4; back++) {
    at -= 1
    if (bytes[at]! >> 6 !== 2) break
  }
  return at
}

/** Whether a decoded text has more replacement characters than its bytes encode. */
function hasMistake(text: string, bytes: Uint8Array): boolean {
  let surplus = 0
  for (let at = text.indexOf(REPLACEMENT); at >= 0; at = text.indexOf(REPLACEMENT, at + 1)) surplus += 1
  if (surplus === 0) return false
  for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) surplus -= 1
  }
  return surplus > 0
}

/** @param Decoder the host's `TextDecoder`; `null` for none; by default the global one, if there is one. */
export function createTextReader(
  Decoder: TextDecoderClass | null = typeof TextDecoder === 'function' ? TextDecoder : null,
): TextReader {
  const native = testedDecoder(Decoder)
  let points: number[] = []
  let parts: string[] = []
  // Inside a character: the number of missing bytes, the bounds of the next byte, the bits so far.
  let missing = 0
  let lowest = 0
  let highest = 0
  let point = 0

  const flush = (): void => {
    if (points.length > 0) parts.push(String.fromCodePoint(...points))
    points = []
  }

  /** Decodes bytes one by one. Refuses the first wrong byte, by table 3-7 of the Unicode standard. */
  const step = (bytes: Uint8Array, at: number, end: number): void => {
    for (let i = at; i < end; i++) {
      const byte = bytes[i]!
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
  }

  /** Decodes whole characters; undefined if they may hold a mistake. */
  const decode = (decoder: TextDecoderLike, bytes: Uint8Array, at: number, end: number): string | undefined => {
    const piece = at > 0 || end < bytes.length ? view(bytes, at, end) : bytes
    const text = decoder.decode(piece)
    return hasMistake(text, piece) ? undefined : text
  }

  return (bytes, start, end, last) => {
    let at = start
    while (native !== undefined && end - at > (parts.length > 0 ? SHORT_PIECE : SHORT)) {
      // First the rest of a character that began before, then whole characters. A character that may be cut is left.
      const whole = at + missing
      step(bytes, at, whole)
      at = lastBoundary(bytes, parts.length > 0 || !last ? Math.min(end, whole + LONG) : end)
      flush()
      const part = decode(native, bytes, whole, at)
      if (part === undefined) step(bytes, whole, at)
      else parts.push(part)
    }
    step(bytes, at, end)
    if (!last) return ''
    if (missing > 0) throw frameError(1007)
    flush()
    const text = parts.length > 1 ? parts.join('') : (parts[0] ?? '')
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
