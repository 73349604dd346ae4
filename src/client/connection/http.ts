import type { ClientOptions, FetchInit } from '../types.js'
import { host, pick } from '../runtime/host.js'
import type { Scope } from '../runtime/scope.js'
import { createTextDecoder } from '../runtime/text-decoder.js'
import { sendByXhr } from './xhr.js'

/** The head of an answer, and its body still to be read. */
export interface HttpResponse {
  /** 0 where nothing of the answer may be seen. */
  readonly status: number
  header(name: string): string | null
  /** Hands on the text of the body as it comes; resolves at its end. */
  read(onText: (text: string) => void): Promise<void>
}

/** Sends one request. Everything is let go when the scope ends; whatever the host throws comes out as it is. */
export type SendHttp = (scope: Scope, url: string, init: FetchInit) => Promise<HttpResponse>

export type HttpOptions = Pick<ClientOptions, 'fetch' | 'XMLHttpRequest' | 'TextDecoder'>

/** Bytes up to which a body is taken whole, which costs less than reading it piece by piece. */
const SMALL = 65536

interface Body {
  getReader?(): Reader
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<unknown>
}

/** A request as the sidecar takes it. One without a body has no content type: a browser would ask leave for it first. */
export function requestInit(method: string, body?: string): FetchInit {
  return {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body,
    redirect: 'manual',
    cache: 'no-store',
  }
}

export function createHttp(options: HttpOptions): SendHttp {
  return async (scope, url, init) => {
    scope.throwIfEnded()
    const send = pick(options, 'fetch')
    if (!send) return sendByXhr(options, scope, url, init)
    const { AbortController } = host()
    if (AbortController) {
      const controller = new AbortController()
      scope.onEnd(() => controller.abort())
      init.signal = controller.signal
    }
    // Every wait goes through the scope, since a host's fetch may know nothing of signals.
    const response = await scope.race(send.call(host() as never, url, init))
    const header = (name: string): string | null => response.headers.get(name)
    return {
      status: response.status,
      header,
      async read(onText) {
        const body = response.body as Body | null | undefined
        if (!body?.getReader) return onText(await scope.race(response.text()))
        const decode = createTextDecoder(options)
        if (response.arrayBuffer && !header('Content-Encoding') && Number(header('Content-Length') ?? NaN) <= SMALL)
          return onText(decode(new Uint8Array(await scope.race(response.arrayBuffer()))))
        const reader = body.getReader()
        scope.onEnd(() => void reader.cancel().then(null, () => {}))
        for (;;) {
          const { done, value } = await scope.race(reader.read())
          if (done) return
          onText(decode(value!))
        }
      },
    }
  }
}

/** ms to wait, from a Retry-After of seconds or a date, 30 s at most; 0 where it is neither. */
export function parseRetryAfter(value: string | null): number {
  if (!value) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : /^\w{3}, /.test(value) ? Date.parse(value) - Date.now() : 0
  return ms > 0 ? Math.min(ms, 30000) : 0
}
