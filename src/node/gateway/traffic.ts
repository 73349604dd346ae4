/** Milliseconds between two looks at whether traffic has come to rest. */
const CHECK_MS = 20

/** Counts the requests that are being answered. */
export class Traffic {
  #running = 0
  #last = performance.now()

  /** Counts a request until its work is done. */
  async count(work: Promise<void>): Promise<void> {
    this.#running += 1
    try {
      await work
    } finally {
      this.#running -= 1
      this.#last = performance.now()
    }
  }

  /** Resolves when there was no request for `quietMs`, or `isDone` returns true, or `mostMs` have passed. */
  rest(quietMs: number, mostMs: number, isDone: () => boolean): Promise<void> {
    const start = performance.now()
    return new Promise((resolve) => {
      const check = (): void => {
        const now = performance.now()
        const isQuiet = this.#running === 0 && now - Math.max(this.#last, start) >= quietMs
        if (!isQuiet && !isDone() && now - start < mostMs) return
        clearInterval(timer)
        resolve()
      }
      const timer = setInterval(check, CHECK_MS)
      check()
    })
  }
}
