import type { ClientOptions } from '../types.js'
import { SidecarError } from './errors.js'
import { pick, tryTo } from './host.js'

/**
 * Bytes to text, in pieces cut anywhere. Not every host's TextDecoder has a stream mode, so a character that is
 * unfinished at the end of a piece (3 bytes at most) is held back for the next.
 *
 * @throws SidecarError `PROTOCOL` where bytes aren't UTF-8
 */
export function createTextDecoder(options: Pick<ClientOptions, 'TextDecoder'>): (bytes: Uint8Array) => string {
  const Decoder = pick(options, 'TextDecoder')
  const native = Decoder && new Decoder('utf-8', { ignoreBOM: true, fatal: true })
  // A decoder that ignores `fatal` would not tell where a character was cut.
  const decode = native?.fatal ? (bytes: Uint8Array) => native.decode(bytes) : decodeByUri
  let rest = new Uint8Array(0)
  return (piece) => {
    let bytes = piece
    if (rest.length) {
      bytes = new Uint8Array(rest.length + piece.length)
      bytes.set(rest)
      bytes.set(piece, rest.length)
    }
    for (let end = bytes.length; end >= 0 && end > bytes.length - 4; end--) {
      const text = tryTo(() => decode(bytes.subarray(0, end)))
      if (text !== undefined) {
        rest = bytes.slice(end)
        return text
      }
    }
    throw new SidecarError('PROTOCOL', 'Received bytes that are not UTF-8')
  }
}

/** The slow way, by the engine's own URI decoder; throws a URIError where bytes aren't UTF-8. */
function decodeByUri(bytes: Uint8Array): string {
  let escaped = ''
  bytes.forEach((byte) => {
    escaped += '%' + (256 + byte).toString(16).slice(1)
  })
  return decodeURIComponent(escaped)
}
