import { fail } from './errors.js'
import { pick, tryTo } from './host.js'
import type { Scope } from './scope.js'
import type { ClientOptions } from './types.js'

/**
 * Bytes to text, in pieces cut anywhere. A TextDecoder's stream mode isn't known to every host's, so a character that
 * is unfinished at the end of a piece, 3 bytes at most, is held back for the next.
 */
export function createTextDecoder(options: ClientOptions, scope: Scope): (bytes: Uint8Array) => string {
  const Decoder = pick(options, 'TextDecoder')
  const native = Decoder && new Decoder('utf-8', { ignoreBOM: true, fatal: true })
  let rest: number[] = []
  return (piece) => {
    const bytes = new Uint8Array(rest.length + piece.length)
    bytes.set(rest)
    bytes.set(piece, rest.length)
    for (let end = bytes.length; end > bytes.length - 4; end--) {
      const whole = bytes.subarray(0, Math.max(end, 0))
      // A decoder that knows nothing of `fatal` would tell nothing of where a character was cut.
      const text = tryTo(() => (native && native.fatal ? native.decode(whole) : decode(whole)))
      if (text !== undefined) {
        rest = Array.from(bytes.subarray(whole.length))
        return text
      }
    }
    throw fail('PROTOCOL', 'Not UTF-8', scope)
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
