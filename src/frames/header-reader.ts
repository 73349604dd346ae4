import { frameError } from './errors.js'

/**
 * Takes a byte or two of a frame's header, from `at` on, and returns the offset behind them.
 *
 * @param check takes what the first two bytes tell; of a length above 125, only that it is above 125
 * @param begin takes the length of the payload when the header is over
 */
export function createHeaderReader(
  check: (opcode: number, isFinal: boolean, length: number) => void,
  begin: (length: number) => void,
): (bytes: Uint8Array, at: number) => number {
  // A header that is cut or long: its bytes that were read, its size, its first byte, the length so far.
  let read = 0
  let size = 2
  let firstByte = 0
  let length = 0

  const start = (first: number, second: number): void => {
    // Nobody may set reserved bits, and only a client sets a mask.
    if ((first & 0x70) !== 0 || second > 0x7f) throw frameError(1002)
    check(first & 0x0f, first > 0x7f, second)
    read = second < 126 ? 0 : 2
    size = second === 126 ? 4 : 10
    length = 0
    if (read === 0) begin(second)
  }

  return (bytes, at) => {
    const byte = bytes[at]!
    if (read === 0 && at + 1 < bytes.length) {
      start(byte, bytes[at + 1]!)
      return at + 2
    }
    read += 1
    if (read === 1) {
      firstByte = byte
    } else if (read === 2) {
      start(firstByte, byte)
    } else {
      length = length * 256 + byte
      if (read === size) {
        read = 0
        begin(length)
      }
    }
    return at + 1
  }
}
