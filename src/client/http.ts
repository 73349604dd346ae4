import { missingGlobal } from './errors.js'
import { host, pick } from './host.js'
import { race, throwIfAborted } from './signals.js'
import type { AbortSignalLike, ClientOptions, FetchInit, WebSocketConstructor } from './option-types.js'

/** The head of an answer, and its body still to be read. */
export interface HttpResponse {
  /** 0 if the answer is opaque. */
  readonly status: number
  header(name: string): string | null | undefined
  /** Passes on the body's text as it arrives; resolves at the end of the body. */
  read(onText: (text: string) => void): Promise<void>
}

/** Sends one request, and drops it when the signal aborts. Rethrows the host's errors unchanged. */
export type SendHttp = (signal: AbortSignalLike, url: string, init: FetchInit) => Promise<HttpResponse>

/** Turns bytes that come in pieces cut anywhere into text. */
export type Decode = (bytes: Uint8Array) => string
export type CreateDecode = (options: ClientOptions) => Decode

/** A request as the sidecar takes it. Without a body it has no content type, which would cost a browser a preflight. */
export function requestInit(method: string, body?: string): FetchInit {
  return {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body,
    redirect: 'manual',
    cache: 'no-store',
  }
}

/** Uses a TextDecoder in stream mode, which keeps incomplete characters. */
export const createStreamDecode: CreateDecode = (options) => {
  const decoder = new (pick(options, 'TextDecoder')!)('utf-8', { ignoreBOM: true, fatal: false })
  return (bytes) => decoder.decode(bytes, { stream: true })
}

interface Body {
  getReader?(): {
    read(): Promise<{ done: boolean; value?: Uint8Array }>
    cancel(): Promise<unknown>
  }
}

/** The host's own class. */
export const hostWebSocket = (): WebSocketConstructor | undefined => host().WebSocket

/** @param withoutFetch sends requests if the host has no fetch */
export function createFetchHttp(
  options: ClientOptions,
  createDecode: CreateDecode,
  withoutFetch?: (options: ClientOptions) => SendHttp,
): SendHttp {
  return async (signal, url, init) => {
    throwIfAborted(signal)
    const send = pick(options, 'fetch')
    if (!send) {
      if (withoutFetch) return withoutFetch(options)(signal, url, init)
      throw missingGlobal('fetch')
    }
    // The host's fetch would refuse the signal of our substitute.
    if (host().AbortController) init.signal = signal
    // Every wait follows the signal itself, since a host's fetch may know nothing of signals.
    const response = await race(signal, send.call(host() as never, url, init))
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      async read(onText) {
        const body = response.body as Body | null | undefined
        if (!body?.getReader) return onText(await race(signal, response.text()))
        const decode = createDecode(options)
        const reader = body.getReader()
        try {
          for (;;) {
            // What `onText` tells may abort. A read after that would reject, and `race` would not wait for it.
            throwIfAborted(signal)
            const { done, value } = await race(signal, reader.read())
            if (done) return
            onText(decode(value!))
          }
        } catch (error) {
          void reader.cancel().then(null, () => {})
          throw error
        }
      },
    }
  }
}
