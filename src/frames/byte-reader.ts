import { EMPTY, view } from './bytes.js'

/** Small messages that arrive in pieces share buffers of this size, because each new buffer costs time. */
const SLAB = 8192
/** The largest buffer for a size that a peer has announced, before it has sent as much. */
const FIRST = 1 << 20

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
    const needed = copyEnd - copyStart + piece.length
    if (copyEnd + piece.length > buffer.length) {
      // Doubling keeps the copies linear. Messages often have one size, so the last one's is a good first guess; a size
      // that was only announced is none.
      const copied = copyStart === copyEnd ? EMPTY : view(buffer, copyStart, copyEnd)
      const size = isKnownWhole
        ? Math.min(known, Math.max(FIRST, 2 * needed))
        : Math.max(Math.min(known, FIRST), 2 * copied.length, lastLength)
      buffer = new Uint8Array(Math.max(SLAB, needed, size))
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
