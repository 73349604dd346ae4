import { bytesIn, createRandomBytes, EMPTY, type RandomBytes, view } from './bytes.js'
import { callHost, checkNumbers, frameError } from './errors.js'
import { CLOSE, createHeaderReader, createHeadReader, encodeFrame } from './frame.js'
import { createControlReader, createFrameReader } from './frame-reader.js'
import type { ByteInput, Chunk, DecoderOptions, Frame, FrameError, FrameInputs } from './types.js'

/** @throws TypeError for other values than a buffer or a view */
function toBytes(data: unknown): Uint8Array {
  const bytes = bytesIn(data)
  if (bytes === undefined) throw new TypeError(`The decoder takes an ArrayBuffer or a view of one; got ${typeof data}`)
  return bytes
}

type Step = (bytes: Uint8Array, chunk: Partial<Chunk>) => void

/**
 * Runs the steps of a decoder one after the other: input that arrives during a callback waits until the step of the
 * callback has ended.
 * @param fail takes the FrameError that a step threw; any other error, which means lack of memory, becomes 1009
 */
function createSteps(fail: (error: FrameError) => void) {
  let isBusy = false
  let isPaused = false
  const queue: (() => void)[] = []

  const run = (step: Step, bytes: Uint8Array = EMPTY, chunk: Partial<Chunk> = {}): void => {
    if (isBusy) {
      // The host may reuse its buffer before this step runs.
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
    /** Pauses all later steps until `later` has run this step. */
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
 * @param write sends answers; without it the host answers
 * @param later runs a call in a separate turn, to read the frames in the packet of the HTTP head. Default: at once
 */
export function createDecoder(
  options: DecoderOptions,
  randomBytes: RandomBytes,
  write?: (frame: Uint8Array) => void,
  later?: (call: () => void) => void,
) {
  let isDone = false
  // Undefined after the HTTP head.
  let readHead = options.handshake ? createHeadReader(options) : undefined

  const stop = (): void => {
    isDone = true
  }
  const close = (payload: ArrayLike<number>): void => {
    stop()
    if (readHead === undefined) write?.(encodeFrame(CLOSE, payload, randomBytes))
  }
  const { run, pause } = createSteps((error) => {
    close([error.code >> 8, error.code])
    callHost(options, options.error, error)
  })

  const readControl = createControlReader(options, randomBytes, write, close)
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
    // `remaining` reveals a missing chunk.
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
    /** Runs `call` after everything that was pushed before. */
    after: (call: () => void): void => run(call),
    /** Ignores all later input. */
    stop,
  }
}

/**
 * The receiving side of a client by RFC 6455: bytes in, messages out. Use one decoder for each connection, with one of
 * its three inputs. It never throws for any bytes; anything else than bytes is a TypeError.
 */
export class MessageDecoder implements FrameInputs {
  readonly push: (bytes: ByteInput) => void
  readonly pushFrame: (frame: Frame) => void
  readonly pushChunk: (chunk: Chunk) => void

  /** @throws RangeError for a limit that isn't a number of at least 0 */
  constructor(options: DecoderOptions) {
    checkNumbers(options)
    const write = options.write && ((bytes: Uint8Array): void => void callHost(options, options.write, bytes))
    const { push, pushChunk } = createDecoder(options, createRandomBytes(options), write)
    this.push = push
    this.pushChunk = pushChunk
    this.pushFrame = ({ payload, opcode, fin }) => pushChunk({ bytes: payload, remaining: 0, opcode, fin })
  }
}
