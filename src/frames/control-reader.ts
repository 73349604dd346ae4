import { EMPTY, view } from './bytes.js'
import { callHost, frameError } from './errors.js'
import { encodeFrame, PING, PONG } from './frame.js'
import type { RandomByte } from './random.js'
import { createTextReader } from './text-reader.js'
import type { DecoderOptions } from './types.js'

/** The codes of close frames: 1000 to 1014 without 1004 to 1006, and 3000 to 4999. */
const CLOSE_CODES = /^(100[0-37-9]|101[0-4]|[34]\d{3})$/

const NO_STATUS = 1005

/**
 * Takes a piece of a control frame's payload, `bytes` from `at` to `end`, and handles the frame when it is whole.
 * @param isLast whether the frame ends here
 */
export type ControlReader = (opcode: number, bytes: Uint8Array, at: number, end: number, isLast: boolean) => void

/** @param close answers the peer's close frame */
export function createControlReader(
  options: DecoderOptions,
  randomByte: RandomByte,
  write: ((frame: Uint8Array) => void) | undefined,
  close: (payload: Uint8Array) => void,
): ControlReader {
  let payload = EMPTY

  return (opcode, bytes, at, end, isLast) => {
    const whole = Uint8Array.of(...payload, ...view(bytes, at, end))
    payload = isLast ? EMPTY : whole
    if (!isLast) return
    if (opcode === PONG) {
      callHost(options, options.pong, whole)
    } else if (opcode === PING) {
      write?.(encodeFrame(PONG, whole, randomByte))
      callHost(options, options.ping, whole)
    } else {
      const code = whole.length > 0 ? (whole[0]! << 8) | whole[1]! : NO_STATUS
      if (whole.length > 0 && !CLOSE_CODES.test(String(code))) throw frameError(1002)
      const reason = createTextReader(null)(whole, Math.min(2, whole.length), whole.length, true)
      close(whole)
      callHost(options, options.close, code, reason)
    }
  }
}
