import type { WebSocketConstructor } from '../../index.js'
import { lineOf, type WatchHandle, type WatchMessage } from '../sidecar.js'
import type { OpenCall } from './journal.js'
import type { Network } from './network.js'

type Handler = ((event: never) => void) | null

const CONNECTING = 0
const OPEN = 1
const CLOSED = 3
const ABNORMAL = 1006

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
    if (this.readyState !== CLOSED) this.tell(() => this.end(false))
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
      onEnd: () => this.tell(() => this.end(false)),
      onError: ({ status, body }) => this.refuse(call, status, body),
    })
  }

  /** Refuses the watch: one frame with the error, then the end. */
  private refuse(call: OpenCall, status: number, body: string): void {
    call.status = status
    this.open()
    this.tell(() => this.emit(this.onmessage, { data: body }))
    this.tell(() => this.end(false))
  }

  private open(): void {
    this.tell(() => {
      if (this.readyState !== CONNECTING) return
      this.readyState = OPEN
      this.emit(this.onopen, {})
    })
  }

  private receive(message: WatchMessage): void {
    if (lineOf(message).byteLength >= this.network.lineLimit) {
      this.watch?.close()
      return this.tell(() => this.end(false))
    }
    this.tell(() => {
      if (this.readyState === OPEN) this.emit(this.onmessage, { data: message.json })
    })
  }

  private tell(run: () => void): void {
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
