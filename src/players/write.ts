import type { AbortSignalLike, SidecarError } from '../index.js'
import { createStop } from './timer.js'

/** Ticks after which a write that doesn't show is made again; twice as many each time, up to `LONGEST`. */
const SETTLE = 3
const LONGEST = 16

/** Codes of a write that surely was not made. */
const REFUSED = /^(OUT|FEAT|UNIM|INV|CROSS|LIM)/

export interface Wish<T> {
  /** What is to be; undefined: nothing is to be written now. */
  wanted(): T | undefined
  /** What is, as far as was seen. */
  found(): T
  /** @param signal aborted when it isn't wanted any more: it may not have been sent yet */
  send(value: T, signal: AbortSignalLike): Promise<unknown>
  /**
   * May change what is wanted.
   * @param isRefused the write was not made, and no earlier one like it is on its way
   */
  failed(error: SidecarError, isRefused: boolean): void
  /** What is wanted is there, and nothing is on its way. */
  done?(): void
}

export interface Write {
  /** Ticks until what was written counts as lost, unless it shows before. */
  pause: number
  /** Something is on its way, or may be: what was seen may be out of date. */
  isOpen(): boolean
  /** The wish may have changed. */
  look(): void
  /** A newer object has come. */
  seen(): void
  /** No more waiting: the sidecar may have forgotten what was on its way. */
  rest(): void
}

/**
 * Writes until what was wished shows. There is never more than one write on its way: after it was accepted, or its
 * outcome is unknown, a newer object must show it before the next one goes out, or it must have had its time.
 *
 * @param answered called after each answer, to look again
 */
export function createWrite<T>(wish: Wish<T>, answered: () => void): Write {
  /** Was written, and has not been seen yet. */
  let last: T | undefined
  let sending: { readonly value: T; readonly stop: () => void } | undefined
  let tries = 0

  async function send(value: T): Promise<void> {
    const { signal, stop } = createStop()
    sending = { value, stop }
    const before = last
    // What is told together with the object, such as an allocation, comes first.
    await Promise.resolve()
    if (!signal.aborted) {
      last = value
      let error: SidecarError | undefined
      await wish.send(value, signal).catch((thrown: unknown) => {
        error = thrown as SidecarError
      })
      // A list that holds the value already, or is about to, may be refused as full.
      const isRefused = !!error && before !== value && wish.found() !== value && REFUSED.test(error.code)
      if (isRefused) last = before
      if (error || last !== undefined) write.pause = Math.min(SETTLE * 2 ** tries++, LONGEST)
      if (error) wish.failed(error, isRefused)
    }
    sending = undefined
    answered()
  }

  const write = {
    pause: 0,
    isOpen: () => !!sending || last !== undefined,
    look() {
      const value = wish.wanted()
      if (sending) {
        if (sending.value !== value) sending.stop()
      } else if (value !== undefined) {
        if (last === undefined && value === wish.found()) {
          write.rest()
          wish.done?.()
        } else if (!write.pause) void send(value)
      }
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
