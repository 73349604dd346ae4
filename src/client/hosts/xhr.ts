import { missingGlobal } from '../errors.js'
import { pick } from '../host.js'
import type { SendHttp } from '../http.js'
import { wait } from '../signals.js'
import type { ClientOptions } from '../types.js'

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
          // Once it is done, aborting it would only take its headers away.
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
