import { bytesOf, view } from './bytes.js'

/** The part of `TextDecoder` that is used; what it does is probed before it is trusted. */
export interface TextDecoderLike {
  decode(bytes: Uint8Array, options?: { stream: boolean }): string
}

export type TextDecoderClass = new (label: string, options: { ignoreBOM: boolean }) => TextDecoderLike

declare const TextDecoder: TextDecoderClass | undefined

/**
 * Takes a piece of a text, cut anywhere: `bytes` from `at` to `end`. Returns the text once it has the last
 * piece, '' before.
 * @throws as soon as what came can't be UTF-8, however it goes on
 */
export type Utf8Reader = (bytes: Uint8Array, at: number, end: number, last: boolean) => string

/** Shorter pieces are decoded here: calling the host's decoder would cost more than the work. */
const SHORT = 9
/** The same once text is pending: each piece is a string of its own, and that costs memory. */
const SHORT_PIECE = 99
/** Longer ones are then decoded in parts: engines are slow to make large strings, but quick to join them. */
const LONG = 65536
/** Characters that are collected before they become a string: well below any engine's limit of arguments. */
const BLOCK = 999

/** A byte order mark and a character beyond 16 bits; then mistakes that a decoder could let pass. */
const SAMPLE = '\xef\xbb\xbf\xf0\x90\x80\x80\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xc3'
const REPLACEMENT = '\ufffd'

/**
 * The host's decoder, if it is right about the sample and minds a view's bounds: some engines' are not.
 * `fatal`, which some don't know, is not needed: a replacement character says where to look again.
 *
 * Node has two decoders in one: until it is asked to stream, the one for ASCII; then one that needs six times
 * as long for that, and half as long for everything else.
 */
const probe = (Decoder: TextDecoderClass | null, stream?: boolean): TextDecoderLike | undefined => {
  try {
    const decoder = new Decoder!('utf-8', { ignoreBOM: true })
    if (stream) decoder.decode(bytesOf(''), { stream })
    const text = decoder.decode(view(bytesOf(' ' + SAMPLE), 1, 19))
    if (text === '\ufeff\ud800\udc00' + REPLACEMENT.repeat(11)) return decoder
  } catch (error) {
    // There is none, or one that is not as it should be.
  }
  return
}

/** @param Decoder the host's `TextDecoder`; `null` for none; by default the global one, if there is one. */
export const createUtf8Reader = (
  Decoder: TextDecoderClass | null = typeof TextDecoder === 'function' ? TextDecoder : null,
): Utf8Reader => {
  const ascii = probe(Decoder)
  // The one to use next: what the last part was says what to expect.
  let native = ascii
  let wide: TextDecoderLike | undefined
  let points: number[] = []
  let parts: string[] = []
  // Inside a character: how many bytes are missing, what the next one may be, the bits so far.
  let missing = 0
  let lowest = 0
  let highest = 0
  let point = 0

  const flush = (): void => {
    if (points.length) parts.push(String.fromCodePoint(...points))
    points = []
  }

  /** Knows every byte's verdict at once, as table 3-7 of the Unicode standard has it. */
  const step = (bytes: Uint8Array, at: number, end: number): void => {
    while (at < end) {
      const byte = bytes[at++]!
      if (missing ? byte < lowest || byte > highest : (byte > 0x7f && byte < 0xc2) || byte > 0xf4) throw 1007
      if (missing) {
        missing--
        point = (point << 6) | (byte & 63)
        lowest = 0x80
        highest = 0xbf
      } else {
        missing = byte < 0x80 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
        point = missing ? byte & (63 >> missing) : byte
        lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
        highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
      }
      if (!missing && points.push(point) > BLOCK) flush()
    }
  }

  return (bytes, at, end, last) => {
    while (native && end - at > (parts.length ? SHORT_PIECE : SHORT)) {
      // The rest of a character that began before, then whole characters; what may be cut is left.
      const whole = at + missing
      step(bytes, at, whole)
      at = parts.length || !last ? Math.min(end, whole + LONG) : end
      // Not past the last character's first byte, which is among the last four.
      if (bytes[at - 1]! > 0x7f) for (let back = 4; back-- && bytes[--at]! >> 6 === 2;);
      flush()
      const part = native.decode(whole || at < bytes.length ? view(bytes, whole, at) : bytes)
      native = part.length < at - whole ? (wide = wide || probe(Decoder, true) || ascii) : ascii
      // Either the text has that character or it is bad.
      if (part.includes(REPLACEMENT)) step(bytes, whole, at)
      else parts.push(part)
    }
    step(bytes, at, end)
    if (!last) return ''
    if (missing) throw 1007
    flush()
    const text = parts.length > 1 ? parts.join('') : parts[0] || ''
    parts = []
    return text
  }
}

/** Lone surrogates become U+FFFD, as in every encoder of the web. */
export const encodeUtf8 = (text: string): Uint8Array =>
  bytesOf(unescape(encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))))
