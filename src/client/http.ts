import { isMissing } from './errors.js'
import { host, pick } from './host.js'
import type { Scope } from './scope.js'
import type { ClientOptions, FetchInit } from './types.js'
import { createTextDecoder } from './utf8.js'

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<unknown>
}

const contentType = 'Content-Type'
const json = 'application/json'

/**
 * What to fetch with. An opaque request has the only form that a browser lets through to another origin unasked; of its
 * answer, which has status 0 then, nothing is to be seen but that there was one.
 */
export const requestInit = (method: string, body?: string, opaque?: boolean): FetchInit =>
  Object.assign(
    {
      method,
      headers: { [contentType]: opaque ? 'text/plain' : json },
      body,
      redirect: opaque ? 'follow' : 'manual',
      cache: 'no-store',
    } as const,
    opaque && ({ mode: 'no-cors' } as const),
  )

/**
 * One request and its answer, whose text is handed on as it comes; resolves at its end. Its head is noted in the scope
 * as soon as that is known. Everything is let go when the scope ends. What the host throws comes out as it is.
 */
export async function exchange(
  options: ClientOptions,
  scope: Scope,
  url: string,
  init: FetchInit,
  onText: (text: string) => void,
): Promise<void> {
  const send = pick(options, 'fetch')
  if (!send) return byXhr(options, scope, url, init, onText)
  const { AbortController } = host()
  if (AbortController) {
    const controller = new AbortController()
    scope._onEnd(() => controller.abort())
    init.signal = controller.signal
  }
  // Every wait goes through the scope, since a host's fetch may know nothing of signals.
  const response = await scope._race(send.call(host() as never, url, init))
  scope._status = response.status
  scope._header = (name) => response.headers.get(name)
  const stream = response.body as { getReader?(): Reader } | null | undefined
  if (!stream || !stream.getReader) return onText(await scope._race(response.text()))
  const reader = stream.getReader()
  scope._onEnd(() => void reader.cancel().then(null, () => {}))
  const decode = createTextDecoder(options, scope)
  for (;;) {
    const { done, value } = await scope._race(reader.read())
    if (done) return
    onText(decode(value!))
  }
}

const byXhr: typeof exchange = (options, scope, url, { method, body }, onText) =>
  scope._wait((wait, resolve) => {
    const Xhr = pick(options, 'XMLHttpRequest')
    if (!Xhr) throw isMissing('fetch', scope)
    const xhr = new Xhr()
    let seen = 0
    xhr.onreadystatechange = () => {
      const { readyState, status } = xhr
      if (readyState < 3 || wait._reason) return
      // The connection failed, and nothing says why.
      if (!status) return readyState > 3 ? wait._end() : undefined
      try {
        scope._status = status
        scope._header = (name) => xhr.getResponseHeader(name)
        const text = xhr.responseText.slice(seen)
        seen += text.length
        if (text) onText(text)
        if (readyState > 3) resolve()
      } catch (error) {
        wait._end(error)
      }
    }
    wait._onEnd(() => {
      // Once it is done, this would only take its headers away.
      if (xhr.readyState < 4) xhr.abort()
    })
    xhr.open(method, url, true)
    xhr.setRequestHeader(contentType, json)
    xhr.send(body)
  })

/** ms to wait, from a Retry-After of seconds or a date, 30 s at most; 0 where it is junk. */
export function parseRetryAfter(value: string | null): number {
  const ms = /^\d+$/.test(value!) ? +value! * 1000 : /^\w{3}, /.test(value!) ? Date.parse(value!) - Date.now() : 0
  return ms > 0 ? Math.min(ms, 30000) : 0
}
