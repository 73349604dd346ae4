/** A client's frame: whole, with its mask. `random` gives numbers from 0 up to 1. */
export const encodeFrame = (opcode: number, payload: ArrayLike<number>, random: () => number): Uint8Array => {
  const { length } = payload
  const mask = length < 126 ? 2 : length < 65536 ? 4 : 10
  const frame = new Uint8Array(mask + 4 + length)
  // Stored into a byte, a number loses its fraction and all above 255.
  for (let at = mask, rest = length; at > 1; rest /= 256) frame[--at] = rest
  frame[0] = 0x80 | opcode
  frame[1] = 0x80 | (mask < 4 ? length : mask < 10 ? 126 : 127)
  for (let at = -4; at < length; at++) {
    frame[mask + 4 + at] = at < 0 ? random() * 256 : payload[at]! ^ frame[mask + (at % 4)]!
  }
  return frame
}
