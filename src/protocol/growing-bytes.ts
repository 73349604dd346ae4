const LEAST = 1024

/**
 * Bytes that come in pieces, in one buffer that doubles. Keeping the pieces
 * would take hundreds of bytes each, and a body may come in pieces of one byte.
 */
export interface GrowingBytes {
  readonly length: number
  add(piece: Uint8Array): void
  /** A view of all bytes so far. */
  view(): Uint8Array
}

export function createGrowingBytes(): GrowingBytes {
  let buffer = new Uint8Array(0)
  let length = 0
  return {
    get length() {
      return length
    },
    add(piece) {
      const end = length + piece.length
      if (end > buffer.length) {
        const larger = new Uint8Array(Math.max(LEAST, end, 2 * buffer.length))
        larger.set(buffer.subarray(0, length))
        buffer = larger
      }
      buffer.set(piece, length)
      length = end
    },
    view: () => buffer.subarray(0, length),
  }
}
