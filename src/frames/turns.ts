import { EMPTY } from './bytes.js'
import { frameError } from './errors.js'
import type { Chunk, FrameError } from './types.js'

const NOTHING = {}

type Step = (bytes: Uint8Array, chunk: Partial<Chunk>) => void

/**
 * Runs the steps of a decoder one after the other: input that comes while a callback runs waits for the rest of the bytes
 * that the callback belongs to.
 * @param fail takes a FrameError that a step threw; 1009 for another error, which is for lack of memory
 */
export function createTurns(fail: (error: FrameError) => void) {
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
