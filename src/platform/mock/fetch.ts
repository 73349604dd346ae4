import type { FetchInit } from '../../index.js'
import { ConnectionDropped } from '../sidecar.js'
import type { MockClock } from './clock.js'
import { abortError, networkError, type Network } from './network.js'
import type { MockClientOptions, MockResponse } from './types.js'

/** The options of `fetch` that the mock reads. */
type Init = Partial<FetchInit> | undefined

/** `fetch` to the sidecar, without the host's network and timers. */
export function createFetch(network: Network, clock: MockClock): MockClientOptions['fetch'] {
  const send = async (method: string, target: string, init: Init, left: AbortSignal): Promise<MockResponse> => {
    const request = requestOf(method, network.baseUrl + target, init)
    let leave = (): void => undefined
    try {
      const gone = new Promise<never>((_, reject) => {
        leave = () => reject(abortError(left))
        left.addEventListener('abort', leave)
      })
      const response = await Promise.race([network.sidecar.handle(request, { method, target, signal: left }), gone])
      const { status, headers, body } = response
      // Only a watch is answered with a stream.
      if (body !== null && status === 200 && target.startsWith('/watch/')) {
        return { ...textResponse(status, headers, ''), body }
      }
      return textResponse(status, headers, method === 'HEAD' ? '' : await clock.busy(response.text()))
    } catch (error) {
      throw error instanceof ConnectionDropped ? networkError('ECONNRESET') : error
    } finally {
      left.removeEventListener('abort', leave)
    }
  }
  return async (url, init: Init) => {
    const method = init?.method ?? 'GET'
    const target = network.targetOf(url)
    const found = network.operationOf(method, target)
    const call = found && network.journal.add(found.operation, found.name, init?.body)
    const left = (init?.signal as AbortSignal | undefined) ?? new AbortController().signal
    if (left.aborted) throw abortError(left)
    if (network.isDown) throw networkError('ECONNREFUSED')
    const sendOn = (): Promise<MockResponse> => send(method, target, init, left)
    const failed = found && (await network.meet(found.operation, left, sendOn))
    const response = failed ? textResponse(failed.status, JSON_TYPE, failed.text) : await sendOn()
    if (call) call.status = response.status
    return response
  }
}

const JSON_TYPE = new Map([['content-type', 'application/json']])

/** The part of a `Request` that the sidecar reads. The host's class is slow, and some hosts lack it. */
function requestOf(method: string, url: string, init: Init): Request {
  // An empty body is sent as none.
  const content = init?.body
  const headers = new Map(Object.entries(init?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  return { method, url, headers, body: content?.length ? bodyOf(content) : null } as unknown as Request
}

function bodyOf(content: string | Uint8Array): { getReader(): unknown; cancel(): Promise<void> } {
  let chunk: Uint8Array | undefined = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const cancel = async (): Promise<void> => {
    chunk = undefined
    return Promise.resolve()
  }
  const read = (): Promise<{ done: boolean; value?: Uint8Array }> => {
    const value = chunk
    chunk = undefined
    return Promise.resolve(value === undefined ? { done: true } : { done: false, value })
  }
  return { getReader: () => ({ read, cancel }), cancel }
}

function textResponse(
  status: number,
  headers: { get(name: string): string | null | undefined },
  text: string,
): MockResponse {
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(text).then((json) => JSON.parse(json) as unknown),
  }
}
