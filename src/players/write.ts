import type { AbortSignalLike, SidecarError } from '../index.js'
import { createStop } from './timer.js'

/** Ticks until what was accepted should show; the sidecar writes twice a second. */
export const SETTLE = 3
/** Ticks between two tries, at most. */
const LONGEST = 16

/** Codes of a write that surely was not made. */
const REFUSED = /^(OUT|FEAT|UNIM|INV|CROSS|LIM)/

export const isRefusal = ({ code }: SidecarError): boolean => REFUSED.test(code)

/** Ticks before the next try. */
export const backoff = (tries: number): number => Math.min(SETTLE * 2 ** tries, LONGEST)

interface Wish {
  /** What is to be; undefined: nothing is to be written now. */
  wanted(): number | undefined
  /** What is, as far as was seen. */
  found(): number
  send(value: number, signal: AbortSignalLike): Promise<unknown>
  refused(error: SidecarError): void
}

export interface Write {
  /** Ticks until what was written counts as lost, unless it shows before. */
  pause: number
  /** The wish may have changed. */
  look(): void
  /** A newer object has come. */
  seen(): void
  /** No more waiting: the sidecar may have forgotten what was on its way. */
  rest(): void
}

/**
 * Writes a number until it shows: done twice, that does no harm. There is never more than one write on its way; the next
 * one waits until an object shows it, or until it has had its time.
 *
 * @param answered called after each answer, to look again
 */
export function createWrite(wish: Wish, answered: () => void): Write {
  /** Was written, and has not been seen yet. */
  let last: number | undefined
  let stop: (() => void) | undefined
  let tries = 0

  async function send(): Promise<void> {
    const stopper = createStop()
    stop = stopper.stop
    // Those who join at once are counted at once.
    await Promise.resolve()
    last = wish.wanted()
    if (last !== undefined) {
      let error: SidecarError | undefined
      await wish.send(last, stopper.signal).catch((thrown: unknown) => {
        error = thrown as SidecarError
      })
      if (error || last !== undefined) write.pause = backoff(tries++)
      if (error && isRefusal(error)) {
        last = undefined
        wish.refused(error)
      }
    }
    stop = undefined
    answered()
  }

  const write = {
    pause: 0,
    look() {
      const value = wish.wanted()
      if (value === undefined) stop?.()
      else if (!stop && !write.pause && (last !== undefined || value !== wish.found())) void send()
    },
    seen() {
      if (last !== undefined && last === wish.found()) {
        last = undefined
        write.rest()
      }
    },
    rest() {
      write.pause = tries = 0
    },
  }
  return write
}
