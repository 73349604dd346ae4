import { missingGlobal } from './errors.js'
import { type FetchInit, globals, pick, type Replaceable, type WebSocketConstructor } from './globals.js'

/** What one exchange calls, in this order: once, any number of times, and one of the last two. */
export interface HttpReceiver {
  /** @param status 0 if the answer is opaque */
  onHead(status: number, header: (name: string) => string | null | undefined): void
  /** May throw, which ends the exchange. */
  onText(text: string): void
  onEnd(): void
  onError(error: unknown): void
}

/** Sends one request. Returns the function that cancels it; nothing is called after that. */
export type SendHttp = (url: string, init: FetchInit, to: HttpReceiver) => () => void

/** Turns bytes that come in pieces cut anywhere into text. */
export type Decode = (bytes: Uint8Array) => string
export type CreateDecode = (options: Replaceable) => Decode

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

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<unknown>
}

/** The host's own class. */
export const hostWebSocket = (): WebSocketConstructor | undefined => globals().WebSocket

/** @param withoutFetch sends requests if the host has no fetch */
export function createFetchHttp(
  options: Replaceable,
  createDecode: CreateDecode,
  withoutFetch?: (options: Replaceable) => SendHttp,
): SendHttp {
  return (url, init, to) => {
    const send = pick(options, 'fetch')
    if (!send) {
      if (withoutFetch) return withoutFetch(options)(url, init, to)
      throw missingGlobal('fetch')
    }
    const { AbortController } = globals()
    const controller = AbortController && new AbortController()
    if (controller) init.signal = controller.signal
    let reader: Reader | undefined
    let isOver = false

    // Checks `isOver` after each await: a host's fetch may ignore the signal and answer after the abort.
    async function exchange(): Promise<void> {
      const response = await send!.call(globals() as never, url, init)
      if (isOver) return
      to.onHead(response.status, (name) => response.headers.get(name))
      const body = response.body as { getReader?(): Reader } | null | undefined
      if (!body?.getReader) {
        const text = await response.text()
        if (!isOver) to.onText(text)
        return
      }
      reader = body.getReader()
      const decode = createDecode(options)
      for (;;) {
        const { done, value } = await reader.read()
        if (done || isOver) return
        to.onText(decode(value!))
      }
    }

    function cancel(): void {
      if (isOver) return
      isOver = true
      if (controller) controller.abort()
      if (reader) void reader.cancel().then(null, () => {})
    }
    exchange().then(
      () => {
        if (isOver) return
        // A cancel from now on would cost as much as a small request.
        isOver = true
        to.onEnd()
      },
      (error: unknown) => {
        if (isOver) return
        cancel()
        to.onError(error)
      },
    )
    return cancel
  }
}
