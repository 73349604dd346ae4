/** A connection whose other end may have left without a word. */
export interface Probed {
  probe(): void
}

/** Looks in each interval: then connections are probed one after the other, and many don't make anybody wait. */
const STEPS = 20

/** Probes each connection once in `intervalMs`. */
export class KeepAlive {
  readonly #intervalMs: number
  /** In the order in which they were last probed. */
  readonly #due = new Map<Probed, number>()
  #timer: NodeJS.Timeout | undefined
  #lastStep = 0

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  add(connection: Probed): void {
    this.#due.set(connection, performance.now() + this.#intervalMs)
    if (this.#timer !== undefined) return
    this.#lastStep = performance.now()
    this.#timer = setInterval(() => this.#step(), this.#intervalMs / STEPS)
  }

  delete(connection: Probed): void {
    this.#due.delete(connection)
    if (this.#due.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #step(): void {
    const now = performance.now()
    // After this process has stood still, what others said meanwhile is still to be read.
    const stoodStill = now - this.#lastStep > this.#intervalMs / 4
    this.#lastStep = now
    for (const [connection, due] of this.#due) {
      if (due > now) return
      this.#due.delete(connection)
      this.#due.set(connection, now + this.#intervalMs)
      if (!stoodStill) connection.probe()
    }
  }
}
