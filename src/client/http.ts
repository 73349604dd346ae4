import { SidecarError } from './errors.js'
import { host } from './host.js'
import type { Scope } from './scope.js'
import type { ClientOptions, FetchInit, XMLHttpRequestLike } from './types.js'
import { createTextDecoder } from './utf8.js'

export interface Head {
  _status: number
  _header(name: string): string | null
}

export interface Exchange {
  _method: string
  _url: string
  _body?: string | undefined
  _onHead(head: Head): void
  _onText(text: string): void
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<unknown>
}

/**
 * One request and its answer, whose text is handed on as it comes; resolves at its end. Everything is let go when the
 * scope ends. What the host throws comes out as it is.
 */
export async function exchange(options: ClientOptions, scope: Scope, request: Exchange): Promise<void> {
  const globals = host()
  const send = options.fetch ?? globals.fetch
  const Xhr = options.XMLHttpRequest ?? globals.XMLHttpRequest
  const headers = { 'Content-Type': 'application/json' }
  if (!send) {
    if (!Xhr)
      throw new SidecarError('CONFIG', 'This host has no fetch', {
        hint: 'Give createClient({ fetch }) or { XMLHttpRequest }.',
      })
    return byXhr(new Xhr(), scope, request, headers)
  }
  const init: FetchInit = { method: request._method, headers, redirect: 'manual', cache: 'no-store' }
  if (request._body !== undefined) init.body = request._body
  if (globals.AbortController) {
    const controller = new globals.AbortController()
    scope._onEnd(() => controller.abort())
    init.signal = controller.signal
  }
  // Every wait goes through the scope, since a host's fetch may know nothing of signals.
  const within = <T>(promise: Promise<T>): Promise<T> =>
    scope._wait((resolve, reject) => void promise.then(resolve, reject))
  const response = await within(send.call(globals as never, request._url, init))
  request._onHead({ _status: response.status, _header: (name) => response.headers.get(name) })
  const body = response.body as { getReader?(): Reader } | null | undefined
  if (!body || !body.getReader) return request._onText(await within(response.text()))
  const reader = body.getReader()
  scope._onEnd(() => void reader.cancel().then(null, () => {}))
  const decode = createTextDecoder(options.TextDecoder)
  for (;;) {
    const { done, value } = await within(reader.read())
    if (done) return
    request._onText(decode(value!))
  }
}

function byXhr(
  xhr: XMLHttpRequestLike,
  scope: Scope,
  request: Exchange,
  headers: Record<string, string>,
): Promise<void> {
  return scope._wait((resolve, reject) => {
    let seen = -1
    xhr.onreadystatechange = () => {
      const { readyState } = xhr
      if (readyState < 2) return
      if (readyState > 3 && !xhr.status) return reject(new Error('XMLHttpRequest failed'))
      try {
        if (seen < 0) {
          seen = 0
          request._onHead({ _status: xhr.status, _header: (name) => xhr.getResponseHeader(name) })
        }
        const text = readyState > 2 ? xhr.responseText : ''
        const fresh = text.slice(seen)
        seen = text.length
        if (fresh) request._onText(fresh)
        if (readyState > 3) resolve()
      } catch (error) {
        reject(error)
      }
    }
    xhr.open(request._method, request._url, true)
    Object.keys(headers).forEach((name) => xhr.setRequestHeader(name, headers[name]!))
    xhr.send(request._body)
    return () => {
      xhr.onreadystatechange = null
      xhr.abort()
    }
  })
}

/** ms to wait, from a Retry-After of seconds or a date, 30 s at most; undefined where it is junk. */
export function parseRetryAfter(value: string | null): number | undefined {
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return ms >= 0 ? Math.min(ms, 30000) : undefined
}
