/** How often it is looked whether all has come to rest, in milliseconds. */
const CHECK_MS = 20

/** Counts the requests that are being answered. */
export class Traffic {
  #running = 0
  #last = performance.now()

  async count(work: Promise<void>): Promise<void> {
    this.#running += 1
    try {
      await work
    } finally {
      this.#running -= 1
      this.#last = performance.now()
    }
  }

  /** Resolves when for `quietMs` no request was there, or `isDone` says so, or `mostMs` have passed. */
  rest(quietMs: number, mostMs: number, isDone: () => boolean): Promise<void> {
    const start = performance.now()
    return new Promise((resolve) => {
      const check = (): void => {
        const now = performance.now()
        const quiet = this.#running === 0 && now - Math.max(this.#last, start) >= quietMs
        if (!quiet && !isDone() && now - start < mostMs) return
        clearInterval(timer)
        resolve()
      }
      const timer = setInterval(check, CHECK_MS)
      check()
    })
  }
}
