import type { TextEncoderClass, TextEncoderLike } from './types.js'

declare const TextEncoder: TextEncoderClass | undefined

/** Each kind of character, and surrogates without their partners, which some encoders let pass. */
const SAMPLE = 'a\0\xe9\u20ac\ud83d\ude00\udc00\ud800'
const ENCODED_SAMPLE = '97,0,195,169,226,130,172,240,159,152,128,239,191,189,239,191,189'

/** Most bytes that a UTF-16 unit becomes. */
export const UNIT_BYTES = 3

/** The host's encoder, if it encodes the sample right. */
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
 * Writes text as UTF-8 from `at` on, and returns where it ends. Lone surrogates become U+FFFD, as in every encoder of the
 * web.
 * @param target has room for three bytes a unit
 */
export function writeUtf8(text: string, target: Uint8Array, at: number): number {
  const { length } = text
  let end = at
  for (let i = 0; i < length; i++) {
    let point = text.charCodeAt(i)
    if (point < 0x80) {
      target[end++] = point
    } else if (point < 0x800) {
      target[end++] = 0xc0 | (point >> 6)
      target[end++] = 0x80 | (point & 0x3f)
    } else {
      if (point >> 11 === 0x1b) point = text.codePointAt(i)!
      if (point > 0xffff) {
        i += 1
        target[end++] = 0xf0 | (point >> 18)
        target[end++] = 0x80 | ((point >> 12) & 0x3f)
      } else {
        if (point >> 11 === 0x1b) point = 0xfffd
        target[end++] = 0xe0 | (point >> 12)
      }
      target[end++] = 0x80 | ((point >> 6) & 0x3f)
      target[end++] = 0x80 | (point & 0x3f)
    }
  }
  return end
}

/** @param encoder one that was tested; without it the text is encoded here */
export function encodeUtf8(text: string, encoder?: TextEncoderLike): Uint8Array {
  if (encoder !== undefined) return encoder.encode(text)
  const bytes = new Uint8Array(text.length * UNIT_BYTES)
  return bytes.subarray(0, writeUtf8(text, bytes, 0))
}
