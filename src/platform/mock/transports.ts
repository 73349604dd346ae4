import type { FetchInit, WebSocketConstructor } from '../../index.js'
import { ConnectionDropped, lineOf, type SidecarRequest, type WatchHandle, type WatchMessage } from '../sidecar.js'
import type { MockClock } from './clock.js'
import { abortError, type Network, networkError, type OpenCall } from './network.js'
import type { MockClientOptions, MockResponse } from './types.js'

/** The options of `fetch` that the mock reads. */
type Init = Partial<FetchInit> | undefined

/** `fetch` to the sidecar, without the host's network and timers. */
export function createFetch(network: Network, clock: MockClock): MockClientOptions['fetch'] {
  const send = async (method: string, target: string, init: Init, left: AbortSignal): Promise<MockResponse> => {
    const request = requestOf(method, target, init, left)
    let leave = (): void => undefined
    try {
      const gone = new Promise<never>((_, reject) => {
        leave = () => reject(abortError(left))
        left.addEventListener('abort', leave)
      })
      const response = await Promise.race([network.sidecar.handle(request), gone])
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

function requestOf(method: string, url: string, init: Init, signal: AbortSignal): SidecarRequest {
  const content = init?.body
  const headers = new Map(Object.entries(init?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  // An empty body is sent as none.
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : (content ?? null)
  return { method, url, headers: headers as unknown as Headers, body: body?.length ? body : null, signal }
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

type Handler = ((event: never) => void) | null

const CONNECTING = 0
const OPEN = 1
const CLOSED = 3
const ABNORMAL = 1006
/** A line of so many bytes, its end included, ends its WebSocket, as in the real sidecar. */
const LONGEST_LINE = 65_536

export const createWebSocket = (network: Network): WebSocketConstructor =>
  class extends MockWebSocket {
    constructor(url: string) {
      super(network, url)
    }
  }

/** A WebSocket to the sidecar's watch. Like a real one, it ends without a close frame. */
class MockWebSocket {
  onopen: Handler = null
  onmessage: Handler = null
  onerror: Handler = null
  onclose: Handler = null
  binaryType = 'blob'
  readyState = CONNECTING
  readonly url: string
  private readonly network: Network
  private watch: WatchHandle | undefined
  private readonly left = new AbortController()
  /** Emits events one by one, never during a call of the sidecar or the constructor. */
  private queue = Promise.resolve()

  constructor(network: Network, url: string) {
    this.network = network
    this.url = url
    const target = network.targetOf(url)
    const found = network.operationOf('GET', target)
    if (found?.operation !== 'watchGameServer') {
      throw network.journal.refuse(`A WebSocket of ${target}`, 'only /watch/gameserver is one')
    }
    const call = network.journal.add(found.operation, '', undefined)
    void this.dial(call).catch(() => this.end(true))
  }

  close(): void {
    this.left.abort()
    this.watch?.close()
    if (this.readyState !== CLOSED) this.enqueue(() => this.end(false))
  }

  private async dial(call: OpenCall): Promise<void> {
    await Promise.resolve()
    if (this.network.isDown) return this.end(true)
    const failed = await this.network.meet('watchGameServer', this.left.signal)
    if (failed) return this.refuse(call, failed.status, failed.text)
    if (this.left.signal.aborted) return
    this.open()
    call.status = 101
    this.watch = this.network.sidecar.watch({
      onMessage: (message) => this.receive(message),
      onEnd: () => this.enqueue(() => this.end(false)),
      onError: ({ status, body }) => this.refuse(call, status, body),
    })
  }

  /** Refuses the watch: one frame with the error, then the end. */
  private refuse(call: OpenCall, status: number, body: string): void {
    call.status = status
    this.open()
    this.enqueue(() => this.emit(this.onmessage, { data: body }))
    this.enqueue(() => this.end(false))
  }

  private open(): void {
    this.enqueue(() => {
      if (this.readyState !== CONNECTING) return
      this.readyState = OPEN
      this.emit(this.onopen, {})
    })
  }

  private receive(message: WatchMessage): void {
    if (lineOf(message).byteLength >= LONGEST_LINE) {
      this.watch?.close()
      return this.enqueue(() => this.end(false))
    }
    this.enqueue(() => {
      if (this.readyState === OPEN) this.emit(this.onmessage, { data: message.json })
    })
  }

  private enqueue(run: () => void): void {
    this.queue = this.queue.then(run)
  }

  private end(isRefused: boolean): void {
    if (this.readyState === CLOSED) return
    this.readyState = CLOSED
    if (isRefused) this.emit(this.onerror, {})
    this.emit(this.onclose, { code: ABNORMAL, reason: '', wasClean: false })
  }

  private emit(handler: Handler, event: object): void {
    handler?.call(this, event as never)
  }
}
