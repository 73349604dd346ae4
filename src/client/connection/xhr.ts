import { missingGlobal } from '../runtime/errors.js'
import { pick } from '../runtime/host.js'
import type { Scope } from '../runtime/scope.js'
import type { ClientOptions, FetchInit } from '../types.js'
import type { HttpResponse } from './exchange.js'

const HEADERS_RECEIVED = 2
const DONE = 4

/** For hosts without fetch, such as Cocos' native runtime. */
export function sendByXhr(
  options: Pick<ClientOptions, 'XMLHttpRequest'>,
  scope: Scope,
  url: string,
  { method, headers, body }: FetchInit,
): Promise<HttpResponse> {
  return scope.wait((resolve, wait) => {
    const Xhr = pick(options, 'XMLHttpRequest')
    if (!Xhr) throw missingGlobal('fetch')
    const xhr = new Xhr()
    /** Nothing says why a connection failed. */
    const failed = (): boolean => xhr.readyState === DONE && !xhr.status
    xhr.onreadystatechange = () => {
      if (xhr.readyState < HEADERS_RECEIVED || scope.reason) return
      if (failed()) return wait.end()
      if (!xhr.status) return
      resolve({
        status: xhr.status,
        header: (name) => xhr.getResponseHeader(name),
        read: (onText) => readText(scope, onText),
      })
    }
    // Once it is done, aborting it would only take its headers away.
    scope.onEnd(() => {
      if (xhr.readyState < DONE) xhr.abort()
    })
    xhr.open(method, url, true)
    Object.keys(headers).forEach((name) => xhr.setRequestHeader(name, headers[name]!))
    xhr.send(body)

    function readText(reading: Scope, onText: (text: string) => void): Promise<void> {
      return reading.wait((done, waiting) => {
        let seen = 0
        const take = (): void => {
          if (waiting.reason) return
          if (failed()) return waiting.end()
          try {
            const text = xhr.readyState > HEADERS_RECEIVED ? xhr.responseText.slice(seen) : ''
            seen += text.length
            if (text) onText(text)
            if (xhr.readyState === DONE) done()
          } catch (error) {
            waiting.end(error)
          }
        }
        xhr.onreadystatechange = take
        take()
      })
    }
  })
}
