/**
 * The protocol between the host and the page. Each message of their socket is a batch of one or more frames in a row.
 *
 *     u32 connection   u8 operation   u8 binary   u32 length   payload
 */

/** Length of a frame's head in bytes. */
const HEAD_BYTES = 10

export const OPERATIONS = {
  /** From the host: a player has connected. The address, a space, and the path with the query. */
  open: 1,
  /** From the host: a message of a player. From the page: a message to a player. */
  data: 2,
  /** From the host: the connection has ended. From the page: end the connection. A u16 code, a reason. */
  close: 3,
  /** From the host: acknowledges the page's first u32 batches. The connection is 0. */
  taken: 4,
  /** From the host: u32 bytes wait to be sent to the player. */
  waiting: 5,
  /** From the page: a message to a player that may be lost, or come before an earlier one. */
  unreliable: 6,
} as const

export type Operation = (typeof OPERATIONS)[keyof typeof OPERATIONS]

/** A close frame of a WebSocket has no room for a longer reason. */
export const MOST_REASON_BYTES = 123

/** The longest message to a player, in bytes. */
export const MOST_MESSAGE_BYTES = 16 * 1024 * 1024

/** A writer's batch is sent before it gets longer than this, unless one message alone is. */
export const BATCH_BYTES = 256 * 1024

/** Upper limit of a batch: a batch of the usual length and the longest message. */
export const MOST_BATCH_BYTES = BATCH_BYTES + HEAD_BYTES + MOST_MESSAGE_BYTES

/** Close code for a page that another page has replaced. The replaced page doesn't dial again. */
export const REPLACED = 4001

/** One frame of a batch. */
export interface Frame {
  readonly connection: number
  readonly operation: Operation
  readonly isBinary: boolean
  /** A part of the batch. */
  readonly payload: Uint8Array
}

/** Reads the frames of a batch in turn. */
export function* readBatch(batch: Uint8Array): Generator<Frame, void> {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength)
  for (let at = 0; at < batch.byteLength;) {
    const start = at + HEAD_BYTES
    const end = start + view.getUint32(at + 6)
    yield {
      connection: view.getUint32(at),
      operation: batch[at + 4] as Operation,
      isBinary: batch[at + 5] === 1,
      payload: batch.subarray(start, end),
    }
    at = end
  }
}

/** Keeps byte order marks, which are part of a message. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const readText = (payload: Uint8Array): string => decoder.decode(payload)

/** Reads the payload of an `open` frame. */
export function readOpen(payload: Uint8Array): { remoteAddress: string; url: string } {
  const text = readText(payload)
  const at = text.indexOf(' ')
  return { remoteAddress: text.slice(0, at), url: text.slice(at + 1) }
}

/** Reads the payload of a `close` frame. */
export const readClose = (payload: Uint8Array): { code: number; reason: string } => ({
  code: payload[0]! * 256 + payload[1]!,
  reason: readText(payload.subarray(2)),
})

export const readNumber = (payload: Uint8Array): number =>
  new DataView(payload.buffer, payload.byteOffset, 4).getUint32(0)

const ROOM = 64 * 1024

/** Appends frames to a batch. A full batch goes to `flush` at once, the last one when the owner calls `flush()`. */
export class BatchWriter {
  readonly #encoder = new TextEncoder()
  readonly #flush: (batch: Uint8Array) => void
  #bytes = new Uint8Array(ROOM)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  /** @param flush takes a full batch, whose bytes are valid until it returns */
  constructor(flush: (batch: Uint8Array) => void) {
    this.#flush = flush
  }

  open(connection: number, remoteAddress: string, url: string): void {
    this.#text(connection, OPERATIONS.open, `${remoteAddress} ${url}`)
  }

  /** @returns the length of the payload in bytes */
  data(connection: number, data: string | Uint8Array, isUnreliable = false): number {
    const operation = isUnreliable ? OPERATIONS.unreliable : OPERATIONS.data
    if (typeof data === 'string') return this.#text(connection, operation, data)
    this.#reserve(data.byteLength)
    this.#bytes.set(data, this.#length + HEAD_BYTES)
    return this.#frame(connection, operation, 1, data.byteLength)
  }

  close(connection: number, code: number, reason: string): void {
    this.#reserve(2 + 3 * reason.length)
    const at = this.#length + HEAD_BYTES
    this.#view.setUint16(at, code)
    const { written } = this.#encoder.encodeInto(reason, this.#bytes.subarray(at + 2))
    this.#frame(connection, OPERATIONS.close, 0, 2 + written)
  }

  taken(batches: number): void {
    this.#number(0, OPERATIONS.taken, batches)
  }

  waiting(connection: number, bytes: number): void {
    this.#number(connection, OPERATIONS.waiting, bytes)
  }

  /** Passes the frames since the last batch, if any, to `flush`. */
  flush(): void {
    if (this.#length === 0) return
    const batch = this.#bytes.subarray(0, this.#length)
    this.#length = 0
    // Frees the memory of a giant message.
    if (this.#bytes.byteLength > BATCH_BYTES) this.#allocate(ROOM)
    this.#flush(batch)
  }

  /** Discards the unsent frames of a socket that has ended. */
  clear(): void {
    this.#length = 0
  }

  #number(connection: number, operation: Operation, value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.#length + HEAD_BYTES, value)
    this.#frame(connection, operation, 0, 4)
  }

  #text(connection: number, operation: Operation, text: string): number {
    // A UTF-16 unit becomes three bytes at most.
    this.#reserve(3 * text.length)
    const { written } = this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length + HEAD_BYTES))
    return this.#frame(connection, operation, 0, written)
  }

  #frame(connection: number, operation: Operation, binary: 0 | 1, length: number): number {
    const at = this.#length
    this.#view.setUint32(at, connection)
    this.#bytes[at + 4] = operation
    this.#bytes[at + 5] = binary
    this.#view.setUint32(at + 6, length)
    this.#length = at + HEAD_BYTES + length
    return length
  }

  #reserve(payload: number): void {
    const frame = HEAD_BYTES + payload
    if (this.#length > 0 && this.#length + frame > BATCH_BYTES) this.flush()
    const needed = this.#length + frame
    if (needed <= this.#bytes.byteLength) return
    const written = this.#bytes.subarray(0, this.#length)
    this.#allocate(Math.max(needed, 2 * this.#bytes.byteLength))
    this.#bytes.set(written)
  }

  #allocate(size: number): void {
    this.#bytes = new Uint8Array(size)
    this.#view = new DataView(this.#bytes.buffer)
  }
}
