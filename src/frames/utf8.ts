import { bytesOf, view } from './bytes.js'

/** The part of `TextDecoder` that is used; what it does is probed before it is trusted. */
export interface TextDecoderLike {
  decode(bytes: Uint8Array): string
}

export type TextDecoderClass = new (
  label: string,
  options: { ignoreBOM: boolean },
) => TextDecoderLike

declare const TextDecoder: TextDecoderClass | undefined

/**
 * Takes a piece of a text, cut anywhere; returns the text once it has the last piece, '' before.
 * @throws as soon as what came can't be UTF-8, however it goes on
 */
export type Utf8Reader = (piece: Uint8Array, last: boolean) => string

/** Shorter pieces are decoded here: calling the host's decoder would cost more than the work. */
const SHORT = 9
/** The same once text is pending: each piece adds a node to a string, and that costs memory. */
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
 */
const probe = (Decoder: TextDecoderClass | null): TextDecoderLike | undefined => {
  try {
    const decoder = new Decoder!('utf-8', { ignoreBOM: true })
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
  const native = probe(Decoder)
  let points: number[] = []
  let text = ''
  // Inside a character: how many bytes are missing, what the next one may be, the bits so far.
  let missing = 0
  let lowest = 0
  let highest = 0
  let point = 0

  const flush = (): void => {
    if (points.length) text += String.fromCodePoint(...points)
    points = []
  }

  /** Knows every byte's verdict at once, as table 3-7 of the Unicode standard has it. */
  const step = (bytes: Uint8Array, at: number, end: number): void => {
    while (at < end) {
      const byte = bytes[at++]!
      if (missing ? byte < lowest || byte > highest : byte > 0x7f && byte < 0xc2 || byte > 0xf4) throw 1007
      if (missing) {
        missing--
        point = point << 6 | byte & 63
        lowest = 0x80
        highest = 0xbf
      } else {
        missing = byte < 0x80 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
        point = missing ? byte & 63 >> missing : byte
        lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
        highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
      }
      if (!missing && points.push(point) > BLOCK) flush()
    }
  }

  return (piece, last) => {
    const end = piece.length
    let start = 0
    while (native && end - start > (text ? SHORT_PIECE : SHORT)) {
      // The rest of a character that began before, then whole characters; what may be cut is left.
      const whole = start + missing
      step(piece, start, whole)
      start = text || !last ? Math.min(end, whole + LONG) : end
      // Not past the last character's first byte, which is among the last four.
      if (piece[start - 1]! > 0x7f) for (let back = 4; back-- && piece[--start]! >> 6 === 2;);
      flush()
      const part = native.decode(view(piece, whole, start))
      // Either the text has that character or it is bad.
      if (part.includes(REPLACEMENT)) step(piece, whole, start)
      else text += part
    }
    step(piece, start, end)
    if (!last) return ''
    if (missing) throw 1007
    flush()
    const taken = text
    text = ''
    return taken
  }
}

/** Lone surrogates become U+FFFD, as in every encoder of the web. */
export const encodeUtf8 = (text: string): Uint8Array =>
  bytesOf(unescape(encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))))
