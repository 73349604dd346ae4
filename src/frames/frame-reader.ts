import { EMPTY, type RandomBytes, view } from './bytes.js'
import { callHost, frameError } from './errors.js'
import { BINARY, CLOSE, CONTINUATION, encodeFrame, PING, PONG, TEXT } from './frame.js'
import { createTextReader } from './text.js'
import type { DecoderOptions } from './types.js'

/**
 * Takes a piece of binary data: `bytes` from `at` to `end`. Returns the whole message after its last piece.
 * @param known the known bytes of the message, received or announced
 */
type ByteReader = (bytes: Uint8Array, at: number, end: number, last: boolean, known: number) => Uint8Array | undefined

function createByteReader(): ByteReader {
  let buffer: Uint8Array = EMPTY
  let length = 0

  return (bytes, at, end, last, known) => {
    const piece = view(bytes, at, end)
    if (last && length === 0) return piece
    if (length + piece.length > buffer.length) {
      // Doubling keeps the copies linear.
      const larger = new Uint8Array(Math.max(known, 2 * length))
      larger.set(view(buffer, 0, length))
      buffer = larger
    }
    buffer.set(piece, length)
    length += piece.length
    if (!last) return undefined
    const message = view(buffer, 0, length)
    buffer = EMPTY
    length = 0
    return message
  }
}

const CONTROL_LIMIT = 125

/** Whether the protocol allows a frame. Any size above 125 stands for a larger payload. */
function isAllowed(opcode: number, isFinal: boolean, size: number, isInMessage: boolean): boolean {
  if (opcode === CONTINUATION || opcode === TEXT || opcode === BINARY) return (opcode === CONTINUATION) === isInMessage
  // A close code has two bytes.
  if (opcode === CLOSE && size === 1) return false
  return (opcode === CLOSE || opcode === PING || opcode === PONG) && isFinal && size <= CONTROL_LIMIT
}

/** Assembles messages from frames whose payloads come in pieces. Control frames may come between the frames. */
export function createFrameReader(options: DecoderOptions, readControl: ControlReader) {
  const { maxMessage = 1 << 24, maxFragments = 1 << 17 } = options
  const readText = createTextReader()
  const readBytes = createByteReader()
  // The frame: its opcode, whether it is the last of its message, the missing bytes of its payload.
  let opcode = 0
  let isFinal = true
  let missing = 0
  // The message: whether one has begun, its opcode, its bytes and frames so far.
  let isInMessage = false
  let kind = TEXT
  let total = 0
  let fragments = 0

  return {
    /** Bytes of the frame's payload that are still to come; 0 between frames. */
    missing: () => missing,

    /** Takes the first fields of a header; any `size` above 125 stands for a larger one. */
    check(size: number, code = isInMessage ? CONTINUATION : TEXT, fin = true): void {
      if (!isAllowed(code, fin, size, isInMessage)) throw frameError(1002)
      opcode = code
      isFinal = fin
    },

    /** Begins the payload. */
    begin(size: number): void {
      missing = size
      if (opcode >= CLOSE) return
      total += size
      fragments += 1
      if (total > maxMessage || fragments > maxFragments) throw frameError(1009)
      if (opcode !== CONTINUATION) kind = opcode
      isInMessage = true
    },

    /**
     * Takes a piece of the payload: `bytes` from `at` to `end`.
     * @param fin whether the frame is the last of its message, if the host knows only now
     */
    read(bytes: Uint8Array, at: number, end: number, fin = isFinal): void {
      isFinal = fin
      missing -= end - at
      const isLast = missing === 0 && fin
      if (opcode >= CLOSE) {
        // A control frame is the whole of its message.
        if (!fin) throw frameError(1002)
        return readControl(opcode, bytes, at, end, isLast)
      }
      const message = kind === TEXT ? readText(bytes, at, end, isLast) : readBytes(bytes, at, end, isLast, total)
      if (!isLast) return
      isInMessage = false
      total = fragments = 0
      callHost(options, options.message, message!)
    },
  }
}

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
  randomBytes: RandomBytes,
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
      write?.(encodeFrame(PONG, whole, randomBytes))
      callHost(options, options.ping, whole)
    } else {
      const code = whole.length > 0 ? (whole[0]! << 8) | whole[1]! : NO_STATUS
      if (whole.length > 0 && !CLOSE_CODES.test(String(code))) throw frameError(1002)
      const reason = createTextReader()(whole, Math.min(2, whole.length), whole.length, true)
      close(whole)
      callHost(options, options.close, code, reason)
    }
  }
}
