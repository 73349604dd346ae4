import { missingGlobal, SidecarError } from './errors.js'
import { pick, type Replaceable, tryTo } from './globals.js'
import { createStreamDecode, type CreateDecode, type SendHttp } from './http.js'

/** The first of two bytes of a character, for which a decoder with a stream mode waits for the second. */
const UNFINISHED = 0xc3

/**
 * Uses the host's TextDecoder if it has a stream mode, else the engine's URI decoder, which is slower.
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

const HEADERS_RECEIVED = 2
const DONE = 4

/** Sends by XMLHttpRequest, for hosts without fetch, such as Cocos' native runtime. */
export function createXhrHttp(options: Replaceable): SendHttp {
  return (url, { method, headers, body }, to) => {
    const Xhr = pick(options, 'XMLHttpRequest')
    if (!Xhr) throw missingGlobal('fetch')
    const xhr = new Xhr()
    let seen = -1

    function look(): void {
      const { readyState, status } = xhr
      // Nothing says why a connection failed.
      if (readyState === DONE && !status) return to.onError(undefined)
      if (readyState < HEADERS_RECEIVED || !status) return
      if (seen < 0) {
        seen = 0
        to.onHead(status, (name) => xhr.getResponseHeader(name))
      }
      const text = readyState > HEADERS_RECEIVED ? xhr.responseText.slice(seen) : ''
      seen += text.length
      if (text) to.onText(text)
      if (readyState === DONE) to.onEnd()
    }

    xhr.onreadystatechange = () => {
      try {
        look()
      } catch (error) {
        to.onError(error)
      }
    }
    xhr.open(method, url, true)
    for (const name of Object.keys(headers)) xhr.setRequestHeader(name, headers[name]!)
    xhr.send(body)
    return () => {
      xhr.onreadystatechange = null
      // Aborting a completed request would only discard its headers.
      if (xhr.readyState !== DONE) xhr.abort()
    }
  }
}
