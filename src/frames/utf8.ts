import { bytesOf, concat, none, view } from './bytes.js'

/** The part of `TextDecoder` that is used; what it does is probed before it is trusted. */
export interface TextDecoderLike {
  decode(bytes: Uint8Array): string
}

export type TextDecoderClass = new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => TextDecoderLike

declare const TextDecoder: TextDecoderClass | undefined

/**
 * Takes a piece of a text, cut anywhere. Returns the text once it has the last piece, '' before; `undefined` as soon
 * as what came can't be UTF-8, however it goes on.
 */
export type Utf8Reader = (piece: Uint8Array, last: boolean) => string | undefined

/** Longer pieces are decoded in parts: engines are slow to make large strings, but quick to join them. */
const LONG = 65536
/** What may be given to a function as arguments, in any engine. */
const FEW = 4096
/** How many strings wait to be joined: joining costs time, keeping them apart memory. */
const PARTS = 999

/** A byte order mark with a character beyond 16 bits; then mistakes that a decoder could let pass. */
const SAMPLES = '\xef\xbb\xbf\xf0\x90\x80\x80 \xff \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xc3'.split(' ').map(bytesOf)

/** @param Decoder the host's `TextDecoder`; `null` for none; by default the global one, if there is one. */
export const createUtf8Reader = (
  Decoder: TextDecoderClass | null = typeof TextDecoder === 'function' ? TextDecoder : null,
): Utf8Reader => {
  let native: TextDecoderLike | null
  /** `undefined` for what isn't UTF-8. */
  const decode = (bytes: Uint8Array): string | undefined => {
    try {
      return native ? native.decode(bytes) : decodeURIComponent(escape(String.fromCharCode.apply(null, bytes as never)))
    } catch (error) {
      return
    }
  }
  try {
    native = new Decoder!('utf-8', { fatal: true, ignoreBOM: true })
    // Some engines' let bad text pass, or see more than the view they are given.
    if (SAMPLES.map(sample => decode(concat(none, sample).subarray(0))).join('') !== '\ufeff\ud800\udc00') native = null
  } catch (error) {
    native = null
  }
  const limit = native! ? LONG : FEW
  let text = ''
  let parts: string[] = []
  let tail = none

  const read: Utf8Reader = (piece, last) => {
    for (; piece.length > limit && (text || !native); piece = piece.subarray(limit)) {
      if (read(piece.subarray(0, limit), false) === undefined) return
    }
    const bytes = tail.length ? concat(tail, piece) : piece
    const { length } = bytes
    let cut = length
    // A character that needs more bytes than follow.
    for (let back = 1; back < 4; back++) if (bytes[length - back]! >= 256 - (128 >> back)) cut = length - back
    const part = decode(view(bytes, 0, cut))
    tail = bytes.slice(cut)
    const first = tail[0]!
    if (part === undefined || cut < length && (last || ![0xbf, 0x80].some(
      // It can become one if either the highest or the lowest bytes make it one.
      fill => decode(Uint8Array.of(...tail, fill, fill, fill).subarray(0, first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4)),
    ))) return
    if (parts.push(part) > PARTS || last) {
      text += parts.join('')
      parts = []
    }
    if (!last) return ''
    const whole = text
    text = ''
    return whole
  }
  return read
}

/** Lone surrogates become U+FFFD, as in every encoder of the web. */
export const encodeUtf8 = (text: string): Uint8Array =>
  bytesOf(unescape(encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))))
