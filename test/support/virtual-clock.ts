import type { SchedulerLike } from '../../src/index.js'

/** Time that stands still until it is moved on: timers run in order, at their own time. */
export class VirtualClock implements SchedulerLike {
  #time = 0
  #nextId = 1
  readonly #timers = new Map<number, { at: number; callback: () => void }>()

  readonly now = (): number => this.#time
  /** A client's options that make it live by this clock. */
  readonly options = { now: this.now, scheduler: this as SchedulerLike }

  setTimeout(callback: () => void, ms: number): number {
    const id = this.#nextId++
    this.#timers.set(id, { at: this.#time + Math.max(0, ms), callback })
    return id
  }

  clearTimeout(id: unknown): void {
    this.#timers.delete(id as number)
  }

  get pending(): number {
    return this.#timers.size
  }

  /** Moves on, running what falls due; what it sets off over the network goes on in real time. */
  advance(ms: number): void {
    const end = this.#time + ms
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0]
      if (!due) break
      this.#timers.delete(due[0])
      this.#time = Math.max(this.#time, due[1].at)
      due[1].callback()
    }
    this.#time = end
  }

  /** Time that passes while nothing runs; what fell due in it comes late. */
  skip(ms: number): void {
    this.#time += ms
  }
}

/**
 * Time that runs `factor` times as fast as the world, in small steps, so that waits of minutes take seconds. Where the
 * machine is late, this clock stands still instead of jumping: what it measures is the client, not the machine.
 */
export function hurried(factor: number): Pick<VirtualClock, 'options' | 'now'> & { pass(ms: number): Promise<void> } {
  const step = 5
  const clock = new VirtualClock()
  setInterval(() => clock.advance(step * factor), step).unref()
  return {
    options: clock.options,
    now: clock.now,
    pass: (ms) => new Promise((resolve) => void clock.setTimeout(resolve, ms)),
  }
}
