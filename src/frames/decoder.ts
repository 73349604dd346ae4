import { EMPTY, toBytes, view } from './bytes.js'
import { createControlReader } from './control-reader.js'
import { callHost, checkNumbers, frameError } from './errors.js'
import { createFrameReader } from './frame-reader.js'
import { CLOSE, encodeFrame } from './frame.js'
import { createHeadReader, createHeaderReader } from './header-readers.js'
import { createRandomByte } from './random.js'
import type { RandomByte } from './random.js'
import type { ByteInput, Chunk, DecoderOptions, Frame, FrameError, FrameInputs } from './types.js'

const NOTHING = {}

type Step = (bytes: Uint8Array, chunk: Partial<Chunk>) => void

/**
 * Runs the steps of a decoder one after the other: input that comes while a callback runs waits for the rest of the bytes
 * that the callback belongs to.
 * @param fail takes a FrameError that a step threw; 1009 for another error, which is for lack of memory
 */
function createSteps(fail: (error: FrameError) => void) {
  let isBusy = false
  let isPaused = false
  const queue: (() => void)[] = []

  const run = (step: Step, bytes: Uint8Array = EMPTY, chunk: Partial<Chunk> = NOTHING): void => {
    if (isBusy) {
      // The host may use its buffer again before it is read.
      const copy = new Uint8Array(bytes)
      queue.push(() => step(copy, chunk))
      return
    }
    isBusy = true
    try {
      step(bytes, chunk)
      while (queue.length > 0 && !isPaused) queue.shift()!()
    } catch (problem) {
      const isRefusal = problem instanceof Error && problem.name === 'FrameError'
      fail(isRefusal ? (problem as FrameError) : frameError(1009))
    }
    isBusy = isPaused
  }

  return {
    run,
    /** Lets all later steps wait until `later` has run the step given here. */
    pause(later: (call: () => void) => void, step: () => void): void {
      isPaused = true
      later(() => {
        isBusy = isPaused = false
        run(step)
      })
    },
  }
}

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
  }
  const close = (payload: ArrayLike<number>): void => {
    stop()
    if (readHead === undefined) write?.(encodeFrame(CLOSE, payload, randomByte))
  }
  const { run, pause } = createSteps((error) => {
    close([error.code >> 8, error.code])
    callHost(options, options.error, error)
  })

  const readControl = createControlReader(options, randomByte, write, close)
  const frames = createFrameReader(options, readControl)
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

/**
 * The receiving side of a client, as RFC 6455 demands it: bytes in, messages out. Use one decoder for each connection,
 * with one of its three inputs. No bytes make it throw; what isn't bytes is a TypeError.
 */
export class MessageDecoder implements FrameInputs {
  readonly push: (bytes: ByteInput) => void
  readonly pushFrame: (frame: Frame) => void
  readonly pushChunk: (chunk: Chunk) => void

  /** @throws RangeError for a limit that is no number */
  constructor(options: DecoderOptions) {
    checkNumbers(options)
    const write = options.write && ((bytes: Uint8Array): void => void callHost(options, options.write, bytes))
    const { push, pushChunk } = createDecoder(options, createRandomByte(options), write)
    this.push = push
    this.pushChunk = pushChunk
    this.pushFrame = ({ payload, opcode, fin }) => pushChunk({ bytes: payload, remaining: 0, opcode, fin })
  }
}
