import type { FetchInit } from '../../index.js'
import { ConnectionDropped } from '../sidecar.js'
import { abortError, meet, networkError, operationOf, targetOf, type Network } from './network.js'
import type { MockResponse } from './types.js'

/** The options of `fetch` that the mock reads. */
type Init = Partial<FetchInit> | undefined

/** `fetch` to the sidecar, without the host's network and timers. */
export function createFetch(network: Network): (url: string, init?: FetchInit) => Promise<MockResponse> {
  return async (url, init: Init) => {
    const method = init?.method ?? 'GET'
    const target = targetOf(url, network)
    const found = operationOf(method, target, network)
    const call = found && network.journal.add(found.operation, found.name, init?.body)
    const left = init?.signal as AbortSignal | undefined
    if (left?.aborted) throw abortError(left)
    if (network.isDown) throw networkError('ECONNREFUSED')
    const failure = found && network.failures.take(found.operation)
    const failed = failure && (await meet(failure, network, left, () => send(network, method, target, init)))
    const response = failed
      ? textResponse(failed.status, JSON_TYPE, failed.text)
      : await send(network, method, target, init)
    if (call) call.status = response.status
    return response
  }
}

const JSON_TYPE = new Map([['content-type', 'application/json']])

async function send(network: Network, method: string, target: string, init: Init): Promise<MockResponse> {
  const left = (init?.signal as AbortSignal | undefined) ?? new AbortController().signal
  const request = requestOf(method, network.baseUrl + target, init)
  let leave = (): void => undefined
  try {
    const gone = new Promise<never>((_, reject) => {
      leave = () => reject(abortError(left))
      left.addEventListener('abort', leave)
    })
    const response = await Promise.race([network.sidecar.handle(request, { method, target, signal: left }), gone])
    const { status, headers, body } = response
    if (body === null || !isWatch(target, status))
      return textResponse(status, headers, method === 'HEAD' ? '' : await network.busy(response.text()))
    return { ...textResponse(status, headers, ''), body }
  } catch (error) {
    throw error instanceof ConnectionDropped ? networkError('ECONNRESET') : error
  } finally {
    left.removeEventListener('abort', leave)
  }
}

/** Only a watch is answered with a stream. */
const isWatch = (target: string, status: number): boolean => status === 200 && target.startsWith('/watch/')

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
