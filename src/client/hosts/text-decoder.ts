import { SidecarError } from '../errors.js'
import { tryTo } from '../host.js'
import { createStreamDecode, type CreateDecode } from '../http.js'

/** The first of two bytes of a character, for which a decoder with a stream mode waits for the second. */
const UNFINISHED = 0xc3

/**
 * By the host's TextDecoder if that has a stream mode; else, slowly, by the engine's own URI decoder.
 *
 * @throws SidecarError `PROTOCOL` where the URI decoder finds bytes that aren't UTF-8
 */
export const createTextDecode: CreateDecode = (options) => {
  if (tryTo(() => createStreamDecode(options)(Uint8Array.of(UNFINISHED))) === '') return createStreamDecode(options)
  let escaped = ''
  return (bytes) => {
    bytes.forEach((byte) => {
      escaped += '%' + (256 + byte).toString(16).slice(1)
    })
    // A character that is unfinished at the end of a piece (3 bytes at most) is held back for the next.
    for (let end = escaped.length; end >= 0 && end > escaped.length - 12; end -= 3) {
      const text = tryTo(() => decodeURIComponent(escaped.slice(0, end)))
      if (text !== undefined) {
        escaped = escaped.slice(end)
        return text
      }
    }
    throw new SidecarError('PROTOCOL', 'Received bytes that are not UTF-8')
  }
}
