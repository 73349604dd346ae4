import { BATCH_BYTES, HEAD_BYTES, MOST_MESSAGE_BYTES, MOST_REASON_BYTES, OPERATIONS, RelayError } from './frame.js'
import type { Operation } from './frame.js'

/** One frame of a batch. */
export interface Frame {
  readonly connection: number
  readonly operation: Operation
  readonly isBinary: boolean
  /** A part of the batch. */
  readonly payload: Uint8Array
}

/**
 * Reads the frames of a batch in turn.
 *
 * @param allowed the operations that the other side may send
 * @throws RelayError for anything that is not a row of whole frames; those before it have been given out
 */
export function* readBatch(batch: Uint8Array, allowed: ReadonlySet<number>): Generator<Frame, void> {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength)
  for (let at = 0; at < batch.byteLength;) {
    if (batch.byteLength - at < HEAD_BYTES) throw new RelayError('A batch ends within the head of a frame')
    const connection = view.getUint32(at)
    const operation = batch[at + 4]!
    const binary = batch[at + 5]!
    const length = view.getUint32(at + 6)
    at += HEAD_BYTES
    if (!allowed.has(operation)) throw new RelayError(`Operation ${operation} is none that this side sends`)
    const isMessage = operation === OPERATIONS.data || operation === OPERATIONS.unreliable
    if (binary > (isMessage ? 1 : 0)) throw new RelayError(`The flag is ${binary}`)
    if ((connection === 0) !== (operation === OPERATIONS.taken)) throw new RelayError(`Connection ${connection}`)
    if (length > MOST_MESSAGE_BYTES) throw new RelayError(`A payload has ${length} bytes`)
    if (length > batch.byteLength - at) throw new RelayError('A batch ends within a payload')
    const payload = batch.subarray(at, at + length)
    at += length
    yield { connection, operation: operation as Operation, isBinary: binary === 1, payload }
  }
}

/** Byte order marks are part of a message. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws RelayError for bytes that are no UTF-8 */
export function readText(payload: Uint8Array): string {
  try {
    return decoder.decode(payload)
  } catch {
    throw new RelayError('A text is no UTF-8')
  }
}

/** Reads who has come. */
export function readOpen(payload: Uint8Array): { remoteAddress: string; url: string } {
  const text = readText(payload)
  const at = text.indexOf(' ')
  if (at < 0) throw new RelayError('A connection opens without an address')
  return { remoteAddress: text.slice(0, at), url: text.slice(at + 1) }
}

/** Reads why a connection ends. The code is one that a WebSocket can have. */
export function readClose(payload: Uint8Array): { code: number; reason: string } {
  if (payload.byteLength < 2 || payload.byteLength > 2 + MOST_REASON_BYTES) {
    throw new RelayError(`A connection's end has ${payload.byteLength} bytes`)
  }
  const code = payload[0]! * 256 + payload[1]!
  if (code < 1000 || code > 4999) throw new RelayError(`${code} is no close code`)
  return { code, reason: readText(payload.subarray(2)) }
}

export function readNumber(payload: Uint8Array): number {
  if (payload.byteLength !== 4) throw new RelayError(`A number has ${payload.byteLength} bytes`)
  return new DataView(payload.buffer, payload.byteOffset, 4).getUint32(0)
}

const ROOM = 64 * 1024

/**
 * Writes frames one behind the other into a batch. One that is long enough goes to `flush` at once, and the rest when the
 * owner takes it.
 */
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

  get isEmpty(): boolean {
    return this.#length === 0
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

  /** Takes back the news of a connection that has said nothing since. Returns whether it was still in the batch. */
  takeBack(connection: number): boolean {
    let start = 0
    let end = 0
    for (let at = 0, next = 0; at < this.#length; at = next) {
      next = at + HEAD_BYTES + this.#view.getUint32(at + 6)
      if (this.#view.getUint32(at) !== connection) continue
      if (this.#bytes[at + 4] !== OPERATIONS.open) return false
      start = at
      end = next
    }
    if (end === 0) return false
    this.#bytes.copyWithin(start, end, this.#length)
    this.#length -= end - start
    return true
  }

  taken(batches: number): void {
    this.#number(0, OPERATIONS.taken, batches)
  }

  waiting(connection: number, bytes: number): void {
    this.#number(connection, OPERATIONS.waiting, bytes)
  }

  /** Hands over what has been written since the last time, if anything has. */
  flush(): void {
    if (this.#length === 0) return
    const batch = this.#bytes.subarray(0, this.#length)
    this.#length = 0
    // One giant message would keep its memory for ever.
    if (this.#bytes.byteLength > BATCH_BYTES) this.#allocate(ROOM)
    this.#flush(batch)
  }

  /** Forgets what has been written, for a socket that is no more. */
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
