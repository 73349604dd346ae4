import { fail } from './errors.js'
import { host, pick } from './host.js'
import type { Scope } from './scope.js'
import type { ClientOptions, FetchInit } from './types.js'
import { createTextDecoder } from './utf8.js'

type OnHead = (status: number, header: (name: string) => string | null) => void

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<unknown>
}

const contentType = 'Content-Type'
const json = 'application/json'

/**
 * One request and its answer, whose text is handed on as it comes; resolves at its end. Everything is let go when the
 * scope ends. What the host throws comes out as it is.
 */
export async function exchange(
  options: ClientOptions,
  scope: Scope,
  method: string,
  url: string,
  body: string | undefined,
  onHead: OnHead,
  onText: (text: string) => void,
): Promise<void> {
  if (scope._reason !== undefined) throw scope._reason
  const send = pick(options, 'fetch')
  if (!send) return byXhr(options, scope, method, url, body, onHead, onText)
  const { AbortController } = host()
  const init: FetchInit = { method, headers: { [contentType]: json }, redirect: 'manual', cache: 'no-store' }
  if (body) init.body = body
  if (AbortController) {
    const controller = new AbortController()
    scope._onEnd(() => controller.abort())
    init.signal = controller.signal
  }
  // Every wait goes through the scope, since a host's fetch may know nothing of signals.
  const response = await scope._race(send.call(host() as never, url, init))
  onHead(response.status, (name) => response.headers.get(name))
  const stream = response.body as { getReader?(): Reader } | null | undefined
  if (!stream || !stream.getReader) return onText(await scope._race(response.text()))
  const reader = stream.getReader()
  scope._onEnd(() => void reader.cancel().then(null, () => {}))
  const decode = createTextDecoder(options)
  for (;;) {
    const { done, value } = await scope._race(reader.read())
    if (done) return
    onText(decode(value!))
  }
}

function byXhr(
  options: ClientOptions,
  scope: Scope,
  method: string,
  url: string,
  body: string | undefined,
  onHead: OnHead,
  onText: (text: string) => void,
): Promise<void> {
  const Xhr = pick(options, 'XMLHttpRequest')
  if (!Xhr) throw fail('CONFIG', 'No fetch here', '', 0, 'Give createClient({ fetch }) or { XMLHttpRequest }.')
  const xhr = new Xhr()
  return scope._wait((resolve, reject) => {
    let seen = -1
    xhr.onreadystatechange = () => {
      const { readyState, status } = xhr
      if (readyState < 2) return
      if (!status) return readyState > 3 ? reject(0) : undefined
      try {
        if (seen < 0) onHead(status, (name) => xhr.getResponseHeader(name))
        seen = Math.max(seen, 0)
        const text = readyState > 2 ? xhr.responseText.slice(seen) : ''
        seen += text.length
        if (text) onText(text)
        if (readyState > 3) resolve()
      } catch (error) {
        reject(error)
      }
    }
    xhr.open(method, url, true)
    xhr.setRequestHeader(contentType, json)
    xhr.send(body)
    return () => {
      xhr.onreadystatechange = null
      xhr.abort()
    }
  })
}

/** ms to wait, from a Retry-After of seconds or a date, 30 s at most; 0 where it is junk. */
export function parseRetryAfter(value: string | null): number {
  const ms = !value ? 0 : /^\w{3}, /.test(value) ? Date.parse(value) - Date.now() : +value * 1000
  return ms > 0 ? Math.min(ms, 30000) : 0
}
