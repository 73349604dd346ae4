import { host } from './host.js'
import type { ClientOptions } from './types.js'

/**
 * Bytes to text, in pieces cut anywhere. It needs of a TextDecoder only what every host's can do, a whole array at
 * once: an unfinished character at the end of a piece is held back for the next.
 */
export function createTextDecoder(option: ClientOptions['TextDecoder']): (bytes: Uint8Array) => string {
  const Decoder = option ?? host().TextDecoder
  const native = Decoder && new Decoder('utf-8', { ignoreBOM: true })
  let rest = new Uint8Array(0)
  return (piece) => {
    let bytes = piece
    if (rest.length) {
      bytes = new Uint8Array(rest.length + piece.length)
      bytes.set(rest)
      bytes.set(piece, rest.length)
    }
    let end = bytes.length
    for (let back = 1; back < 4 && back <= end; back++) {
      const byte = bytes[end - back]!
      if (byte < 0x80) break
      if (byte >= 0xc0) {
        // A lead byte: 2, 3 or 4 bytes belong together.
        if (back < (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)) end -= back
        break
      }
    }
    rest = bytes.slice(end)
    const whole = bytes.subarray(0, end)
    return native ? native.decode(whole) : decode(whole)
  }
}

/** The slow way, by the engine's own URI decoder; throws a URIError where bytes aren't UTF-8. */
function decode(bytes: Uint8Array): string {
  let escaped = ''
  bytes.forEach((byte) => {
    escaped += (byte < 16 ? '%0' : '%') + byte.toString(16)
  })
  return decodeURIComponent(escaped)
}
