import { missingGlobal, SidecarError } from './errors.js'
import { type FetchInit, globals, pick, type Replaceable, tryTo } from './globals.js'

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

/**
 * Decodes by the engine's URI decoder where the host has no TextDecoder, as bare script VMs.
 *
 * @throws SidecarError `PROTOCOL` where the URI decoder finds bytes that aren't UTF-8
 */
export const createTextDecode: CreateDecode = (options) => {
  if (pick(options, 'TextDecoder')) return createStreamDecode(options)
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

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<unknown>
}

/** @param withoutFetch sends requests if the host has no fetch */
export function createFetchHttp(
  options: Replaceable,
  createDecode: CreateDecode = createStreamDecode,
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
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    xhr.send(body)
    return () => {
      xhr.onreadystatechange = null
      // Aborting a completed request would only discard its headers.
      if (xhr.readyState !== DONE) xhr.abort()
    }
  }
}
