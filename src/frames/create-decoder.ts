import { createByteReader } from './byte-reader.js'
import { EMPTY, toBytes, view } from './bytes.js'
import { callHost, checkNumber, frameError } from './errors.js'
import { BINARY, CLOSE, CONTINUATION, encodeFrame, PING, PONG, TEXT } from './frame.js'
import { createHeadReader } from './head-reader.js'
import type { Outlet } from './outlet.js'
import type { RandomByte } from './random.js'
import { createTextReader } from './text-reader.js'
import type { Chunk, DecoderOptions, FrameError, FrameInputs } from './types.js'

/** Codes that a close frame may have: 1000 to 1014 without 1004 to 1006, and 3000 to 4999. */
const CLOSE_CODES = /^(100[0-37-9]|101[0-4]|[34]\d{3})$/

const CONTROL_LIMIT = 125
const NO_STATUS = 1005
const NOTHING = {}

/** A `MessageDecoder` that can be stopped. */
export interface Decoder extends FrameInputs {
  /** Ignores all later input. */
  stop(): void
}

/**
 * @param outlet where answers go; none if the host answers
 * @throws RangeError for limits that are no numbers
 */
export function createDecoder(options: DecoderOptions, randomByte: RandomByte, outlet?: Outlet): Decoder {
  const { handshake, maxMessage = 1 << 24, maxFragments = 1 << 17 } = options
  checkNumber('maxMessage', maxMessage)
  checkNumber('maxFragments', maxFragments)
  let readText = createTextReader(options.TextDecoder)
  let readBytes = createByteReader()
  let isDone = false
  // Input that came while a callback ran: it must wait for the rest of the bytes that the callback belongs to.
  let isRunning = false
  let queue: (() => void)[] = []
  // Undefined when the HTTP head is over.
  let readHead = handshake ? createHeadReader(handshake) : undefined
  // A header that is cut or long: its bytes that were read, its size, its first byte, the length so far.
  let headerRead = 0
  let headerSize = 2
  let firstByte = 0
  let length = 0
  // The frame: its opcode, whether it is the last of its message, the bytes of its payload that are missing.
  let opcode = 0
  let isFinal = true
  let missing = 0
  let isInFrame = false
  // The message: whether one has begun, its opcode, its bytes and frames so far.
  let isInMessage = false
  let kind = TEXT
  let total = 0
  let fragments = 0
  // The payload of a control frame, which may stand between the fragments of a message.
  let control = EMPTY

  /** Ignores all later input, and lets go of what a message without an end has left. */
  const stop = (): void => {
    isDone = true
    readText = createTextReader(null)
    readBytes = createByteReader()
    queue = []
    control = EMPTY
  }

  const close = (payload: ArrayLike<number>): void => {
    stop()
    if (readHead === undefined) outlet?.write(encodeFrame(CLOSE, payload, randomByte))
    outlet?.end()
  }

  /** Runs a step of the decoder. Ends the stream if it throws a FrameError, or another error for lack of memory. */
  const run = (
    step: (bytes: Uint8Array, chunk: Partial<Chunk>) => void,
    bytes: Uint8Array,
    chunk: Partial<Chunk>,
  ): void => {
    if (isDone) return
    if (isRunning) {
      // The host may use its buffer again before it is read.
      const copy = new Uint8Array(bytes)
      queue.push(() => step(copy, chunk))
      return
    }
    isRunning = true
    try {
      outlet?.retry()
      step(bytes, chunk)
      while (queue.length > 0) queue.shift()!()
    } catch (problem) {
      const isRefusal = problem instanceof Error && problem.name === 'FrameError'
      const error = isRefusal ? (problem as FrameError) : frameError(1009)
      close([error.code >> 8, error.code])
      callHost(options.error, error)
    }
    isRunning = false
  }

  const finishMessage = (message: string | Uint8Array): void => {
    isInMessage = false
    total = fragments = 0
    callHost(options.message, message)
  }

  const finishControl = (payload: Uint8Array): void => {
    if (opcode === PONG) {
      callHost(options.pong, payload)
    } else if (opcode === PING) {
      outlet?.answer(encodeFrame(PONG, payload, randomByte))
      callHost(options.ping, payload)
    } else {
      const code = payload.length > 0 ? (payload[0]! << 8) | payload[1]! : NO_STATUS
      if (payload.length > 0 && !CLOSE_CODES.test(String(code))) throw frameError(1002)
      const reason = createTextReader(options.TextDecoder)(payload, Math.min(2, payload.length), payload.length, true)
      close(payload)
      callHost(options.close, code, reason)
    }
  }

  /** Takes a piece of the frame's payload: `bytes` from `at` to `end`. */
  const readPayload = (bytes: Uint8Array, at: number, end: number): void => {
    missing -= end - at
    isInFrame = missing > 0
    const isLast = !isInFrame && isFinal
    if (opcode >= CLOSE) {
      const piece = view(bytes, at, end)
      const payload = control.length === 0 ? new Uint8Array(piece) : Uint8Array.of(...control, ...piece)
      control = isLast ? EMPTY : payload
      if (isLast) finishControl(payload)
    } else if (kind === TEXT) {
      const text = readText(bytes, at, end, isLast)
      if (isLast) finishMessage(text)
    } else {
      const message = readBytes(bytes, at, end, isLast, total, isFinal)
      if (message !== undefined) finishMessage(message)
    }
  }

  /** Refuses a frame that the protocol forbids here. Of a payload above 125 bytes, any size above 125 will do. */
  const checkFrame = (code: number, fin: boolean, payloadSize: number): void => {
    const isControl = code === CLOSE || code === PING || code === PONG
    const isData = code === CONTINUATION || code === TEXT || code === BINARY
    const isRight = isControl
      ? // Half a close code is none.
        fin && payloadSize <= CONTROL_LIMIT && !(code === CLOSE && payloadSize === 1)
      : isData && (code === CONTINUATION) === isInMessage
    if (!isRight) throw frameError(1002)
    opcode = code
    isFinal = fin
  }

  const beginPayload = (size: number): void => {
    if (opcode < CLOSE) {
      total += size
      fragments += 1
      if (total > maxMessage || fragments > maxFragments) throw frameError(1009)
      if (opcode !== CONTINUATION) kind = opcode
      isInMessage = true
    }
    missing = size
    isInFrame = true
  }

  const endHeader = (size: number): void => {
    headerRead = 0
    beginPayload(size)
    if (size === 0) readPayload(EMPTY, 0, 0)
  }

  const beginHeader = (first: number, second: number): void => {
    // Nobody may set reserved bits, and only a client sets a mask.
    if ((first & 0x70) !== 0 || second > 0x7f) throw frameError(1002)
    checkFrame(first & 0x0f, first > 0x7f, second)
    if (second < 126) {
      endHeader(second)
    } else {
      headerRead = 2
      headerSize = second === 126 ? 4 : 10
      length = 0
    }
  }

  /** Takes a byte of a header that is cut, or that has a longer length. */
  const readHeader = (byte: number): void => {
    headerRead += 1
    if (headerRead === 1) {
      firstByte = byte
    } else if (headerRead === 2) {
      beginHeader(firstByte, byte)
    } else {
      length = length * 256 + byte
      if (headerRead === headerSize) endHeader(length)
    }
  }

  const readStream = (bytes: Uint8Array): void => {
    let at = 0
    while (!isDone && at < bytes.length) {
      if (isInFrame) {
        const end = Math.min(bytes.length, at + missing)
        readPayload(bytes, at, end)
        at = end
      } else if (readHead !== undefined) {
        if (readHead(bytes[at]!)) readHead = undefined
        at += 1
      } else if (headerRead === 0 && at + 1 < bytes.length) {
        beginHeader(bytes[at]!, bytes[at + 1]!)
        at += 2
      } else {
        readHeader(bytes[at]!)
        at += 1
      }
    }
  }

  const takeChunk = (bytes: Uint8Array, { remaining, fin, opcode: code }: Partial<Chunk>): void => {
    const rest = remaining ?? 0
    const size = bytes.length + rest
    // A missing chunk shows by what remains.
    if (!(rest >= 0) || (isInFrame && missing !== size)) throw frameError(1002)
    if (isInFrame) {
      isFinal = fin ?? isFinal
      // A control frame is the whole of its message.
      if (opcode >= CLOSE && !isFinal) throw frameError(1002)
    } else {
      checkFrame(code ?? (isInMessage ? CONTINUATION : TEXT), fin ?? true, size)
      beginPayload(size)
    }
    readPayload(bytes, 0, bytes.length)
  }

  return {
    push(bytes) {
      run(readStream, toBytes(bytes), NOTHING)
    },
    pushFrame({ opcode: code, fin, payload }) {
      run(takeChunk, toBytes(payload), { fin, opcode: code })
    },
    pushChunk(chunk) {
      run(takeChunk, toBytes(chunk.bytes), chunk)
    },
    drained() {
      outlet?.drained()
    },
    stop,
  }
}
