import { EMPTY, view } from './bytes.js'

/** Small messages that arrive in pieces share buffers of this size, because each new buffer costs time. */
const SLAB = 8192

/**
 * Takes a piece of binary data: `bytes` from `at` to `end`. Returns the whole message after its last piece.
 * @param known bytes of the message that are known to come, with those that have come
 * @param isKnownWhole whether these are all
 */
export type ByteReader = (
  bytes: Uint8Array,
  at: number,
  end: number,
  last: boolean,
  known: number,
  isKnownWhole: boolean,
) => Uint8Array | undefined

export function createByteReader(): ByteReader {
  let buffer: Uint8Array = EMPTY
  // The part of the message that was copied into the buffer.
  let copyStart = 0
  let copyEnd = 0
  let lastLength = 0

  return (bytes, at, end, last, known, isKnownWhole) => {
    const piece = view(bytes, at, end)
    if (last && copyStart === copyEnd) return piece
    if (copyEnd + piece.length > buffer.length) {
      // Doubling keeps the copies linear. Messages often have one size, so the last one's is a good first guess.
      const copied = copyStart === copyEnd ? EMPTY : view(buffer, copyStart, copyEnd)
      buffer = new Uint8Array(Math.max(SLAB, known, isKnownWhole ? 0 : Math.max(2 * copied.length, lastLength)))
      buffer.set(copied)
      copyEnd = copied.length
      copyStart = 0
    }
    buffer.set(piece, copyEnd)
    copyEnd += piece.length
    if (!last) return undefined
    const message = view(buffer, copyStart, copyEnd)
    copyStart = copyEnd
    lastLength = message.length
    if (buffer.length > SLAB) {
      buffer = EMPTY
      copyStart = copyEnd = 0
    }
    return message
  }
}
