import type { TextEncoderClass, TextEncoderLike } from './types.js'

declare const TextEncoder: TextEncoderClass | undefined

/** Each kind of character, and lone surrogates, which some encoders accept. */
const SAMPLE = 'a\0\xe9\u20ac\ud83d\ude00\udc00\ud800'
const ENCODED_SAMPLE = '97,0,195,169,226,130,172,240,159,152,128,239,191,189,239,191,189'

/** The host's encoder, if it encodes the sample correctly. */
export function testedEncoder(
  Encoder: TextEncoderClass | null = typeof TextEncoder === 'function' ? TextEncoder : null,
): TextEncoderLike | undefined {
  if (Encoder === null) return undefined
  try {
    const encoder = new Encoder()
    return encoder.encode(SAMPLE).join() === ENCODED_SAMPLE ? encoder : undefined
  } catch {
    return undefined
  }
}

/**
 * Encodes text as UTF-8. Lone surrogates become U+FFFD, as on the web.
 * @param encoder a tested one; without it this function encodes the text itself
 */
export function encodeUtf8(text: string, encoder?: TextEncoderLike): Uint8Array {
  if (encoder !== undefined) return encoder.encode(text)
  // A UTF-16 unit becomes three bytes at most.
  const bytes = new Uint8Array(text.length * 3)
  let end = 0
  for (let i = 0; i < text.length; i++) {
    let point = text.codePointAt(i)!
    if (point < 0x80) {
      bytes[end++] = point
      continue
    }
    if (point < 0x800) {
      bytes[end++] = 0xc0 | (point >> 6)
    } else {
      if (point > 0xffff) {
        i += 1
        bytes[end++] = 0xf0 | (point >> 18)
        bytes[end++] = 0x80 | ((point >> 12) & 0x3f)
      } else {
        if (point >> 11 === 0x1b) point = 0xfffd
        bytes[end++] = 0xe0 | (point >> 12)
      }
      bytes[end++] = 0x80 | ((point >> 6) & 0x3f)
    }
    bytes[end++] = 0x80 | (point & 0x3f)
  }
  return bytes.subarray(0, end)
}
