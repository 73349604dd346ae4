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

  /**
   * Resolves when `isDone` returns true, or `mostMs` have passed. It is asked again and again how it is with the
   * milliseconds for which there has been no request.
   */
  rest(mostMs: number, isDone: (quietMs: number) => boolean): Promise<void> {
    const start = performance.now()
    return new Promise((resolve) => {
      const check = (): void => {
        const now = performance.now()
        const quietMs = this.#running > 0 ? -1 : now - Math.max(this.#last, start)
        if (!isDone(quietMs) && now - start < mostMs) return
        clearInterval(timer)
        resolve()
      }
      const timer = setInterval(check, CHECK_MS)
      check()
    })
  }
}
