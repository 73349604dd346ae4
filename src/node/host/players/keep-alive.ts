/** A connection whose other end may have left without a word. */
export interface Probed {
  probe(): void
}

/** Each connection is probed once in this time, one after the other, so that many don't make anybody wait. */
const INTERVAL_MS = 20_000
const STEP_MS = 1_000

/** Probes connections in turn. */
export class KeepAlive {
  /** In the order in which they were last probed. */
  readonly #due = new Map<Probed, number>()
  #timer: NodeJS.Timeout | undefined

  add(connection: Probed): void {
    this.#due.set(connection, performance.now() + INTERVAL_MS)
    this.#timer ??= setInterval(() => this.#step(), STEP_MS)
  }

  delete(connection: Probed): void {
    this.#due.delete(connection)
    if (this.#due.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #step(): void {
    const now = performance.now()
    for (const [connection, due] of this.#due) {
      if (due > now) return
      this.#due.delete(connection)
      this.#due.set(connection, now + INTERVAL_MS)
      connection.probe()
    }
  }
}
