import { BatchWriter } from '../relay/batches.js'
import { REPLACED } from '../relay/frame.js'
import { STATES } from '../relay/socket.js'
import type { WebSocketLike } from '../relay/socket.js'
import type { PageWindow } from './page.js'

const FIRST_DELAY_MS = 50
const MOST_DELAY_MS = 1_000

export interface UplinkOptions {
  readonly page: Pick<PageWindow, 'WebSocket' | 'queueMicrotask' | 'setTimeout'>
  readonly host: string
  /** Path at which the host awaits the socket. */
  readonly path: string
  /** Takes a batch of the host. An error that it throws ends the socket. */
  onBatch(batch: Uint8Array): void
  /** The socket has ended, and all that went over it. Another one is on its way. */
  onLost(): void
}

/** The page's one socket to the host. All that is sent in one turn of the page goes out as one batch. */
export interface Uplink extends Progress {
  /** Resolves when the socket is open for the first time. */
  readonly opened: Promise<void>
  /** Whether the host has all that was sent. */
  readonly isDone: boolean
  /** @returns the length of the message in bytes */
  send(connection: number, data: string | Uint8Array, isUnreliable?: boolean): number
  close(connection: number, code: number, reason: string): void
  /** The host has this batch. */
  acknowledge(batch: number): void
}

export function createUplink({ page, host, path, onBatch, onLost }: UplinkOptions): Uplink {
  const { WebSocket, queueMicrotask, setTimeout } = page
  let socket: WebSocketLike | undefined
  let delay = 0
  let sent = 0
  let taken = 0
  let isFlushing = false
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  const writer = new BatchWriter((batch) => {
    if (socket?.readyState !== STATES.OPEN) return
    sent += 1
    socket.send(batch as never)
  })

  const flush = (): void => {
    isFlushing = false
    writer.flush()
  }
  const flushSoon = (): void => {
    if (isFlushing) return
    isFlushing = true
    queueMicrotask(flush)
  }

  const connect = (): void => {
    const own = (socket = new WebSocket(`ws://${host}${path}`))
    own.binaryType = 'arraybuffer'
    own.onopen = () => {
      delay = 0
      open()
    }
    own.onmessage = ({ data }: { data: ArrayBuffer }) => {
      if (own === socket) onBatch(new Uint8Array(data))
    }
    own.onclose = ({ code }: { code: number }) => {
      socket = undefined
      sent = taken = 0
      writer.clear()
      onLost()
      if (code === REPLACED) return
      setTimeout(connect, delay)
      delay = Math.min(MOST_DELAY_MS, Math.max(FIRST_DELAY_MS, 2 * delay))
    }
  }
  // A browser's own error page has no host.
  if (host !== '') connect()

  return {
    opened,
    get batch() {
      return sent + 1
    },
    get taken() {
      return taken
    },
    get isDone() {
      return socket === undefined || (!isFlushing && taken >= sent)
    },
    acknowledge(batch) {
      taken = batch
    },
    send(connection, data, isUnreliable) {
      const size = writer.data(connection, data, isUnreliable)
      flushSoon()
      return size
    },
    close(connection, code, reason) {
      writer.close(connection, code, reason)
      flushSoon()
    },
  }
}

/** How far the batches of a socket have got. */
export interface Progress {
  /** Number of the batch that is being written. */
  readonly batch: number
  /** Number of the last one that the host has. */
  readonly taken: number
}

/** Bytes that were sent and of which the host hasn't said yet that it has them. */
export class SentBytes {
  readonly #progress: Progress
  #batches: number[] = []
  #sizes: number[] = []
  #total = 0

  constructor(progress: Progress) {
    this.#progress = progress
  }

  get bytes(): number {
    let taken = 0
    while (taken < this.#batches.length && this.#batches[taken]! <= this.#progress.taken) {
      this.#total -= this.#sizes[taken]!
      taken += 1
    }
    if (taken > 0) {
      this.#batches.splice(0, taken)
      this.#sizes.splice(0, taken)
    }
    return this.#total
  }

  add(size: number, batch: number): void {
    const last = this.#batches.length - 1
    this.#total += size
    if (this.#batches[last] === batch) {
      this.#sizes[last]! += size
      return
    }
    if (this.bytes === 0 && size === 0) return
    this.#batches.push(batch)
    this.#sizes.push(size)
  }
}
