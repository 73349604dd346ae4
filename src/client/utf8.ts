import { fail } from './errors.js'
import { pick } from './host.js'
import type { ClientOptions } from './types.js'

/**
 * Bytes to text, in pieces cut anywhere. It needs of a TextDecoder only what every host's can do, a whole array at
 * once: an unfinished character at the end of a piece is held back for the next.
 */
export function createTextDecoder(options: ClientOptions): (bytes: Uint8Array) => string {
  const Decoder = pick(options, 'TextDecoder')
  const native = Decoder && new Decoder('utf-8', { ignoreBOM: true, fatal: true })
  let rest: number[] = []
  return (piece) => {
    let bytes = piece
    if (rest.length) {
      bytes = new Uint8Array(rest.length + piece.length)
      bytes.set(rest)
      bytes.set(piece, rest.length)
    }
    // Back to the last lead byte, 3 at most: 2, 3 or 4 bytes belong together.
    let end = bytes.length
    let back = 1
    while (back < 4 && (bytes[end - back]! & 0xc0) === 0x80) back++
    const lead = bytes[end - back]!
    if (lead >= 0xc0 && back < (lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)) end -= back
    rest = Array.from(bytes.subarray(end))
    const whole = bytes.subarray(0, end)
    try {
      return native ? native.decode(whole) : decode(whole)
    } catch (error) {
      throw fail('PROTOCOL', 'Not UTF-8', '', error)
    }
  }
}

/** The slow way, by the engine's own URI decoder; throws a URIError where bytes aren't UTF-8. */
function decode(bytes: Uint8Array): string {
  let escaped = ''
  bytes.forEach((byte) => {
    escaped += '%' + (256 + byte).toString(16).slice(1)
  })
  return decodeURIComponent(escaped)
}
