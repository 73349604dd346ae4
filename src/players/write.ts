import type { SidecarError } from '../index.js'

/** ms after which a write that doesn't show is looked for, and made again; twice as many each time, up to `LONGEST`. */
const SETTLE = 1000
const LONGEST = 8000

/** Codes of a write that surely was not made. */
const REFUSED = /^(OUT|FEAT|UNIM|INV|CROSS|CONF|LIM)/

export interface Wish<T> {
  /** What is to be; undefined: nothing is to be written now. */
  wanted(): T | undefined
  /** What is, as far as was seen. */
  found(): T
  send(value: T): Promise<unknown>
  /**
   * Told what was answered with an error; may change what is wanted.
   * @param isRefused this write was surely not made, and no earlier one like it is on its way
   */
  failed(value: T, error: SidecarError, isRefused: boolean): void
  /** What is wanted is there, and nothing is on its way. */
  done?(): void
}

export interface Write {
  /** Something is on its way, or may be: what was seen may be out of date. */
  readonly isOpen: boolean
  /** The wish may have changed. */
  look(): void
  /** A newer object has come. */
  seen(): void
  /** The sidecar may have forgotten what was on its way: no more waiting for it. */
  renew(): void
  stop(): void
}

/**
 * Writes until what was wished shows. There is never more than one write on its way: after it was accepted, or its
 * outcome is unknown, a newer object must show it before the next one goes out, or it must have had its time.
 *
 * @param after runs something after so many ms, unless the function that it returns is called
 * @param read takes a look by a read, where the watch says nothing: in local mode it never tells of lists and counters
 */
export function createWrite<T>(
  wish: Wish<T>,
  after: (ms: number, run: () => void) => () => void,
  read: () => Promise<void>,
): Write {
  /** Was written, and has not been seen yet. */
  let last: T | undefined
  let isSending = false
  let stopWaiting: (() => void) | undefined
  let tries = 0
  let isStopped = false

  function rest(): void {
    stopWaiting?.()
    stopWaiting = undefined
  }

  function wait(): void {
    if (isStopped) return
    const mine = after(Math.min(SETTLE * 2 ** tries++, LONGEST), () => {
      void read().then(() => {
        if (stopWaiting !== mine) return
        stopWaiting = undefined
        write.look()
      })
    })
    stopWaiting = mine
  }

  async function send(value: T): Promise<void> {
    isSending = true
    const before = last
    let error: SidecarError | undefined
    // What is told together with the object, such as an allocation, comes first.
    await Promise.resolve()
    if (wish.wanted() === value) {
      last = value
      try {
        await wish.send(value)
      } catch (thrown) {
        error = thrown as SidecarError
      }
      // A list that holds the value already, or is about to, may be refused as full.
      const isRefused = !!error && before !== value && REFUSED.test(error.code)
      if (isRefused) last = before
      isSending = false
      if (last !== undefined || error) wait()
      if (error) wish.failed(value, error, isRefused)
    } else isSending = false
    write.look()
  }

  const write = {
    get isOpen() {
      return isSending || last !== undefined
    },
    look() {
      if (isSending) return
      const value = wish.wanted()
      if (value === undefined) return
      if (last === undefined && value === wish.found()) {
        rest()
        tries = 0
        wish.done?.()
      } else if (!stopWaiting) void send(value)
    },
    seen() {
      if (last !== undefined && last === wish.found()) {
        last = undefined
        if (!isSending) rest()
      }
      write.look()
    },
    renew() {
      rest()
      tries = 0
    },
    stop() {
      isStopped = true
      rest()
    },
  }
  return write
}
