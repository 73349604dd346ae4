import { EMPTY, toBytes, view } from './bytes.js'
import { createControlReader } from './control-reader.js'
import { callHost, frameError } from './errors.js'
import { CLOSE, encodeFrame } from './frame.js'
import { createFrameReader } from './frame-reader.js'
import { createHeadReader } from './head-reader.js'
import { createHeaderReader } from './header-reader.js'
import type { RandomByte } from './random.js'
import { createTurns } from './turns.js'
import type { ByteInput, Chunk, DecoderOptions } from './types.js'

/**
 * A `MessageDecoder` that can be stopped.
 * @param write sends answers; none if the host answers
 * @param later runs a call in a turn of its own: frames in the packet of the HTTP head are read then. Default: at once
 */
export function createDecoder(
  options: DecoderOptions,
  randomByte: RandomByte,
  write?: (frame: Uint8Array) => void,
  later?: (call: () => void) => void,
) {
  let isDone = false
  // Undefined when the HTTP head is over.
  let readHead = options.handshake ? createHeadReader(options) : undefined

  const stop = (): void => {
    isDone = true
    // Releases the memory of an unfinished message.
    frames = createFrameReader({ TextDecoder: null }, readControl)
  }
  const close = (payload: ArrayLike<number>): void => {
    stop()
    if (readHead === undefined) write?.(encodeFrame(CLOSE, payload, randomByte))
  }
  const { run, pause } = createTurns((error) => {
    close([error.code >> 8, error.code])
    callHost(options, options.error, error)
  })

  const readControl = createControlReader(options, randomByte, write, close)
  let frames = createFrameReader(options, readControl)
  const readHeader = createHeaderReader(
    (opcode, isFinal, size) => frames.check(size, opcode, isFinal),
    (size) => {
      frames.begin(size)
      if (size === 0) frames.read(EMPTY, 0, 0)
    },
  )

  const readStream = (bytes: Uint8Array): void => {
    let at = 0
    while (!isDone && at < bytes.length) {
      const missing = frames.missing()
      if (missing > 0) {
        const end = Math.min(bytes.length, at + missing)
        frames.read(bytes, at, end)
        at = end
      } else if (readHead === undefined) {
        at = readHeader(bytes, at)
      } else if (readHead(bytes[at++]!)) {
        readHead = undefined
        if (later === undefined || at === bytes.length) continue
        const rest = new Uint8Array(view(bytes, at, bytes.length))
        return pause(later, () => readStream(rest))
      }
    }
  }

  const readChunk = (bytes: Uint8Array, { remaining = 0, fin, opcode }: Partial<Chunk>): void => {
    if (isDone) return
    const size = bytes.length + remaining
    const missing = frames.missing()
    // A missing chunk shows by what remains.
    if (!(remaining >= 0) || (missing > 0 && missing !== size)) throw frameError(1002)
    if (missing === 0) {
      frames.check(size, opcode, fin)
      frames.begin(size)
    }
    frames.read(bytes, 0, bytes.length, fin)
  }

  return {
    push: (bytes: ByteInput): void => run(readStream, toBytes(bytes)),
    pushChunk: (chunk: Chunk): void => run(readChunk, toBytes(chunk.bytes), chunk),
    /** Runs `call` when everything that was pushed before has been read. */
    after: (call: () => void): void => run(call),
    /** Ignores all later input. */
    stop,
  }
}
