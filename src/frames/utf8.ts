/** The part of `TextDecoder` that is used; what it does is probed before it is trusted. */
export interface TextDecoderLike {
  decode(bytes: Uint8Array): string
}

export type TextDecoderClass = new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => TextDecoderLike

declare const TextDecoder: TextDecoderClass | undefined

/** Text whose bytes arrive in pieces, cut anywhere. */
export interface Utf8Reader {
  /** Takes `bytes` from `start` up to `end`; `false` as soon as one byte can't be part of valid UTF-8. */
  read(bytes: Uint8Array, start: number, end: number): boolean
  /** The text so far, and a fresh start; `undefined` if it ends within a character. */
  take(): string | undefined
}

/** A view without what `subarray` does for subclasses: Node's Buffer would make it slow. */
export const view = (bytes: Uint8Array, start: number, end: number): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start)

/** Shorter pieces are decoded here: calling the host's decoder would cost more than the work. */
const SHORT = 9
/** The same once text is pending: each piece adds a node to a string, and that costs memory. */
const SHORT_PIECE = 99
/** Longer ones are decoded in parts, since engines are slow to make large strings, but quick to join them. */
const LONG = 65536
/** Code units that are collected before they become a string: well below any engine's argument limit. */
const BLOCK = 999

/** A byte order mark with a character beyond 16 bits; then one of each mistake that a decoder could let pass. */
const SAMPLES = ['\xef\xbb\xbf\xf0\x90\x80\x80', '\xff', '\xc0\x80', '\xe0\x80\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xc3']
const VERDICTS = '\ufeff\ud800\udc00,,,,,,'

/** The host's decoder, if it is right about every sample and minds a view's bounds: some engines' are not. */
const probe = (Decoder: TextDecoderClass | null): TextDecoderLike | undefined => {
  let decoder!: TextDecoderLike
  const results = SAMPLES.map(sample => {
    try {
      decoder = decoder || new Decoder!('utf-8', { fatal: true, ignoreBOM: true })
      return decoder.decode(Uint8Array.from('\xff' + sample, c => c.charCodeAt(0)).subarray(1))
    } catch (error) {
      return ''
    }
  })
  return results.join() === VERDICTS ? decoder : undefined
}

/** @param Decoder the host's `TextDecoder`; `null` for none; by default the global one, if there is one. */
export const createUtf8Reader = (
  Decoder: TextDecoderClass | null = typeof TextDecoder === 'function' ? TextDecoder : null,
): Utf8Reader => {
  const native = probe(Decoder)
  let units: number[] = []
  let text = ''
  // Inside a character: how many bytes are missing, what the next one may be, the bits so far.
  let missing = 0
  let lowest = 0
  let highest = 0
  let point = 0

  const flush = (): void => {
    if (units.length) {
      text += String.fromCharCode.apply(null, units)
      units = []
    }
  }

  /** Knows every byte's verdict at once, as table 3-7 of the Unicode standard has it. */
  const step = (bytes: Uint8Array, at: number, end: number): boolean => {
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (missing) {
        if (byte < lowest || byte > highest) return false
        lowest = 0x80
        highest = 0xbf
        point = point << 6 | byte & 63
        if (--missing) continue
      } else if (byte < 0x80) {
        point = byte
      } else {
        if (byte < 0xc2 || byte > 0xf4) return false
        missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
        lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
        highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
        point = byte & 63 >> missing
        continue
      }
      if (point > 0xffff) {
        units.push(0xd7c0 + (point >> 10))
        point = 0xdc00 | point & 0x3ff
      }
      units.push(point)
      if (units.length > BLOCK) flush()
    }
    return true
  }

  return {
    read: (bytes, start, end) => {
      while (native && end - start > (text ? SHORT_PIECE : SHORT)) {
        // The rest of a character that began before, then whole characters; what may be cut is left.
        const whole = start + missing
        if (!step(bytes, start, whole)) return false
        start = Math.min(end, whole + LONG)
        for (let back = 0; back < 4 && bytes[start - 1]! > 0x7f && (!back || (bytes[start]! & 0xc0) === 0x80); back++) start--
        flush()
        try {
          text += native.decode(view(bytes, whole, start))
        } catch (error) {
          return false
        }
      }
      return step(bytes, start, end)
    },
    take: () => {
      flush()
      const taken = missing ? undefined : text
      text = ''
      missing = 0
      return taken
    },
  }
}

/** Lone surrogates become U+FFFD, as in every encoder of the web. */
export const encodeUtf8 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length * 3)
  let length = 0
  for (const character of text) {
    let point = character.codePointAt(0)!
    if (point >> 11 === 27) point = 0xfffd
    if (point < 0x80) bytes[length++] = point
    else {
      if (point < 0x800) bytes[length++] = 0xc0 | point >> 6
      else {
        if (point < 0x10000) bytes[length++] = 0xe0 | point >> 12
        else {
          bytes[length++] = 0xf0 | point >> 18
          bytes[length++] = 0x80 | point >> 12 & 63
        }
        bytes[length++] = 0x80 | point >> 6 & 63
      }
      bytes[length++] = 0x80 | point & 63
    }
  }
  return bytes.subarray(0, length)
}
