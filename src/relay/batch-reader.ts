import { HEAD_BYTES, MOST_MESSAGE_BYTES, MOST_REASON_BYTES, OPERATIONS, RelayError } from './frame.js'
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
