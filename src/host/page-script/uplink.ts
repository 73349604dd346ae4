import { BatchWriter, REPLACED } from '../wire/batches.js'
import { STATES, type WebSocketLike } from '../wire/sockets.js'
import type { PageGlobals } from './page.js'

/** Interval in ms of the redials of a broken socket, after a first redial at once. */
const RETRY_MS = 200

export interface UplinkOptions {
  readonly page: PageGlobals
  readonly host: string
  /** Path at which the host awaits the socket. */
  readonly path: string
  /** Handles a batch of the host. If `receive` throws, the socket is closed. */
  onBatch(batch: Uint8Array): void
  /** The socket has ended, with all connections over it. The uplink redials. */
  onLost(): void
}

/** A sender, and the number of its bytes that the host hasn't acknowledged. */
interface Sender {
  readonly id: number
  readonly bytes: { onTheWay: number }
}

export type Uplink = ReturnType<typeof createUplink>

/** The page's one socket to the host. All frames of one turn of the event loop go out as one batch. */
export function createUplink({ page, host, path, onBatch, onLost }: UplinkOptions) {
  const { WebSocket, queueMicrotask, setTimeout } = page
  let socket: WebSocketLike | undefined
  const state = { delay: 0, sent: 0, taken: 0, isFlushing: false }
  /** Messages that the host hasn't acknowledged, in the order of their batches. */
  let onTheWay: { readonly sender: Sender; readonly batch: number; readonly size: number }[] = []
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  const writer = new BatchWriter((batch) => {
    if (socket?.readyState !== STATES.OPEN) return
    state.sent += 1
    socket.send(batch as never)
  })

  const flush = (): void => {
    state.isFlushing = false
    writer.flush()
  }
  const flushSoon = (): void => {
    if (state.isFlushing) return
    state.isFlushing = true
    queueMicrotask(flush)
  }

  const connect = (): void => {
    const own = (socket = new WebSocket(`ws://${host}${path}`))
    own.binaryType = 'arraybuffer'
    own.onopen = () => {
      state.delay = 0
      open()
    }
    own.onmessage = ({ data }: { data: ArrayBuffer }) => {
      if (own === socket) onBatch(new Uint8Array(data))
    }
    own.onclose = ({ code }: { code: number }) => {
      socket = undefined
      state.sent = state.taken = 0
      onTheWay = []
      writer.clear()
      onLost()
      if (code === REPLACED) return
      setTimeout(connect, state.delay)
      state.delay = RETRY_MS
    }
  }
  // On the browser's own error pages, the URL has no host.
  if (host !== '') connect()

  return {
    /** Resolves when the socket is open for the first time. */
    opened,
    /** Whether the host has acknowledged every batch. */
    get isDone(): boolean {
      return socket === undefined || (!state.isFlushing && state.taken >= state.sent)
    },
    /** The host has acknowledged all batches up to this one. */
    acknowledge(batch: number): void {
      state.taken = batch
      const first = onTheWay.findIndex((message) => message.batch > batch)
      for (const { sender, size } of onTheWay.splice(0, first === -1 ? onTheWay.length : first)) {
        sender.bytes.onTheWay -= size
      }
    },
    send(sender: Sender, data: string | Uint8Array, isUnreliable: boolean): void {
      const size = writer.data(sender.id, data, isUnreliable)
      sender.bytes.onTheWay += size
      onTheWay.push({ sender, batch: state.sent + 1, size })
      flushSoon()
    },
    close(connection: number, code: number, reason: string): void {
      writer.close(connection, code, reason)
      flushSoon()
    },
  }
}
