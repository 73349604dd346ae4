import type { ClientOptions } from '../types.js'
import { host, pick } from '../runtime/host.js'
import { createTextDecoder } from '../runtime/text-decoder.js'
import type { SendHttp } from './exchange.js'
import { sendByXhr } from './xhr.js'

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

export function createHttp(options: HttpOptions): SendHttp {
  return async (scope, url, init) => {
    scope.throwIfEnded()
    const send = pick(options, 'fetch')
    if (!send) return sendByXhr(options, scope, url, init)
    const { AbortController } = host()
    /** To abort what is over costs as much as a small request. */
    let forgetAbort = (): void => {}
    if (AbortController) {
      const controller = new AbortController()
      forgetAbort = scope.onEnd(() => controller.abort())
      init.signal = controller.signal
    }
    // Every wait goes through the scope, since a host's fetch may know nothing of signals.
    const response = await scope.race(send.call(host() as never, url, init))
    const header = (name: string): string | null => response.headers.get(name)

    async function read(onText: (text: string) => void): Promise<void> {
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
    }
    return {
      status: response.status,
      header,
      read: async (onText) => {
        await read(onText)
        forgetAbort()
      },
    }
  }
}
