import { missingGlobal, SidecarError } from '../errors.js'
import { pick, tryTo } from '../host.js'
import { createStreamDecode, type CreateDecode, type SendHttp } from '../http.js'
import { wait, type Controller } from '../signals.js'
import type { AbortSignalLike, ClientOptions } from '../option-types.js'

/** A minimal AbortController for hosts without one: it aborts once, with a reason. */
export class SubstituteController implements Controller {
  readonly signal: AbortSignalLike
  readonly abort: (reason: unknown) => void

  constructor() {
    const listeners = new Set<() => void>()
    const signal = {
      aborted: false,
      reason: undefined as unknown,
      addEventListener: (_type: string, listener: () => void) => void listeners.add(listener),
      removeEventListener: (_type: string, listener: () => void) => void listeners.delete(listener),
    }
    this.signal = signal
    this.abort = (reason) => {
      signal.aborted = true
      signal.reason = reason
      listeners.forEach((listener) => listener())
    }
  }
}

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
export function createXhrHttp(options: ClientOptions): SendHttp {
  return async (signal, url, { method, headers, body }) => {
    const Xhr = pick(options, 'XMLHttpRequest')
    if (!Xhr) throw missingGlobal('fetch')
    const xhr = new Xhr()

    /** Waits for a state of the request. Nothing says why a connection failed. */
    const reach = (state: number, onChange: () => void): Promise<void> =>
      wait(signal, (resolve, reject) => {
        const look = (): void => {
          const { readyState, status } = xhr
          if (readyState === DONE && !status) return reject(undefined)
          if (readyState < HEADERS_RECEIVED || !status) return
          try {
            onChange()
            if (readyState >= state) resolve()
          } catch (error) {
            reject(error)
          }
        }
        xhr.onreadystatechange = look
        look()
        return () => {
          xhr.onreadystatechange = null
          // Aborting a completed request would only discard its headers.
          if (signal.aborted) xhr.abort()
        }
      })

    const head = reach(HEADERS_RECEIVED, () => {})
    xhr.open(method, url, true)
    for (const name of Object.keys(headers)) xhr.setRequestHeader(name, headers[name]!)
    xhr.send(body)
    await head
    return {
      status: xhr.status,
      header: (name) => xhr.getResponseHeader(name),
      read(onText) {
        let seen = 0
        return reach(DONE, () => {
          const text = xhr.readyState > HEADERS_RECEIVED ? xhr.responseText.slice(seen) : ''
          seen += text.length
          if (text) onText(text)
        })
      },
    }
  }
}
