import { BINARY, callHost, CLOSE, CONTINUATION, encodeFrame, frameError, PING, PONG, TEXT } from './frame.js'
import { createByteReader, createTextReader, view } from './payload.js'
import type { Chunk, DecoderOptions, Frame, FrameError, FrameErrorCode } from './types.js'

/** Codes that a close frame may have: 1000 to 1014 without 1004 to 1006, and 3000 to 4999. */
const CLOSE_CODES = /^(100[0-37-9]|101[0-4]|[34]\d{3})$/

const HEAD_LIMIT = 16384
const CONTROL_LIMIT = 125
const NO_STATUS = 1005

const EMPTY = new Uint8Array(0)

/**
 * The receiving side of a client, as RFC 6455 demands it: bytes in, messages out. Use one decoder for each connection,
 * with one of its three inputs. No input makes it throw.
 */
export class MessageDecoder {
  /** Takes bytes of a TCP stream, cut anywhere. */
  readonly push: (bytes: Uint8Array) => void
  /** Takes a frame that the host has parsed. */
  readonly pushFrame: (frame: Frame) => void
  /** Takes a piece of a frame's payload. */
  readonly pushChunk: (chunk: Chunk) => void

  constructor(options: DecoderOptions) {
    const { handshake, maxMessage = 1 << 24, maxFragments = 1 << 17, random = Math.random, write } = options
    const readText = createTextReader(options.TextDecoder)
    const readBytes = createByteReader()
    let isDone = false
    // The HTTP head so far; undefined when it is over.
    let head = handshake ? '' : undefined
    // The header of a frame: its bytes that were read, its size, its first byte, the length so far.
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
    let control: number[] = []

    const answer = (code: number, payload: ArrayLike<number>): void => {
      if (head === undefined && write !== undefined) callHost(write, encodeFrame(code, payload, random))
    }

    /** Runs a step of the decoder. Ends the stream if it throws a FrameError, or another error for lack of memory. */
    const run = (step: () => void): void => {
      if (isDone) return
      try {
        step()
      } catch (problem) {
        isDone = true
        const isRefusal = problem instanceof Error && problem.name === 'FrameError'
        const error = isRefusal ? (problem as FrameError) : frameError(1009)
        answer(CLOSE, [error.code >> 8, error.code])
        callHost(options.error, error)
      }
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
        answer(PONG, payload)
        callHost(options.ping, payload)
      } else {
        const code = payload.length > 0 ? (payload[0]! << 8) | payload[1]! : NO_STATUS
        if (payload.length > 0 && !CLOSE_CODES.test(String(code))) throw frameError(1002)
        const reason = createTextReader(options.TextDecoder)(payload, Math.min(2, payload.length), payload.length, true)
        isDone = true
        answer(CLOSE, payload)
        callHost(options.close, code, reason)
      }
    }

    /** Takes a piece of the frame's payload: `bytes` from `at` to `end`. */
    const readPayload = (bytes: Uint8Array, at: number, end: number): void => {
      missing -= end - at
      isInFrame = missing > 0
      const isLast = !isInFrame && isFinal
      if (opcode >= CLOSE) {
        control.push(...view(bytes, at, end))
        if (!isLast) return
        const payload = Uint8Array.from(control)
        control = []
        finishControl(payload)
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
      const isControl = code >= CLOSE && code <= PONG
      const isData = code >= CONTINUATION && code <= BINARY
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

    const readHeader = (byte: number): void => {
      headerRead += 1
      if (headerRead === 1) {
        firstByte = byte
        return
      }
      if (headerRead === 2) {
        // Nobody may set reserved bits, and only a client sets a mask.
        if ((firstByte & 0x70) !== 0 || byte > 0x7f) throw frameError(1002)
        checkFrame(firstByte & 0x0f, firstByte > 0x7f, byte)
        headerSize = byte < 126 ? 2 : byte === 126 ? 4 : 10
        length = byte < 126 ? byte : 0
      } else {
        length = length * 256 + byte
      }
      if (headerRead < headerSize) return
      headerRead = 0
      beginPayload(length)
      if (length === 0) readPayload(EMPTY, 0, 0)
    }

    const refuseHead = (code: FrameErrorCode): FrameError =>
      frameError(code, head?.startsWith('HTTP') === true ? `HTTP${head.slice(8, 12)}` : code)

    const readHead = (byte: number): void => {
      head = (head ?? '') + String.fromCharCode(byte)
      if (head.endsWith('\r\n\r\n')) {
        const isRight = typeof handshake === 'function' ? handshake(head) : /^HTTP\/1\.1 101 /.test(head)
        if (!isRight) throw refuseHead(1002)
        head = undefined
      } else if (head.length >= HEAD_LIMIT) {
        throw refuseHead(1009)
      }
    }

    const takeChunk = ({ bytes, remaining, fin, opcode: code }: Partial<Chunk> & Pick<Chunk, 'bytes'>): void => {
      const rest = remaining ?? 0
      const size = bytes.length + rest
      // A missing chunk shows by what remains.
      if (!(rest >= 0) || (isInFrame && missing !== size)) throw frameError(1002)
      if (isInFrame) {
        isFinal = fin ?? isFinal
      } else {
        checkFrame(code ?? (isInMessage ? CONTINUATION : TEXT), fin ?? true, size)
        beginPayload(size)
      }
      readPayload(bytes, 0, bytes.length)
    }

    this.push = (bytes) =>
      run(() => {
        let at = 0
        while (!isDone && at < bytes.length) {
          if (isInFrame) {
            const end = Math.min(bytes.length, at + missing)
            readPayload(bytes, at, end)
            at = end
          } else {
            const byte = bytes[at]!
            at += 1
            if (head === undefined) readHeader(byte)
            else readHead(byte)
          }
        }
      })
    this.pushFrame = ({ opcode: code, fin, payload }) => run(() => takeChunk({ bytes: payload, fin, opcode: code }))
    this.pushChunk = (chunk) => run(() => takeChunk(chunk))
  }
}
