import type { SchedulerLike } from '../../src/index.js'
import type { SidecarEnvironment } from '../../src/platform/sidecar.js'

/** A clock that tests move, for a client or a sidecar. Timers fire in order, each at its time. */
export class VirtualClock implements SchedulerLike, SidecarEnvironment {
  #time: number
  #nextId = 1
  readonly #timers = new Map<number, { at: number; callback: () => void }>()

  constructor(start = 0) {
    this.#time = start
  }

  readonly now = (): number => this.#time
  /** Options for a client that uses this clock. */
  readonly options = { now: this.now, scheduler: this as SchedulerLike }

  setTimeout(callback: () => void, ms: number): number {
    const id = this.#nextId++
    this.#timers.set(id, { at: this.#time + Math.max(0, ms), callback })
    return id
  }

  /** Sets a timer, and returns the function that clears it. */
  readonly setTimer = (ms: number, fire: () => void): (() => void) => {
    const id = this.setTimeout(fire, ms)
    return () => this.clearTimeout(id)
  }

  clearTimeout(id: unknown): void {
    this.#timers.delete(id as number)
  }

  get pending(): number {
    return this.#timers.size
  }

  /** Moves the clock and fires the timers that are due. Their network traffic takes real time. */
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

  /** Moves the clock while nothing runs, so timers that are due fire late. */
  skip(ms: number): void {
    this.#time += ms
  }

  /** Lets time pass as on a machine that slept: what is due fires at the end. */
  sleep(ms: number): void {
    this.skip(ms)
    this.advance(0)
  }
}

/**
 * A clock that runs `factor` times as fast as real time, in small steps, so that minutes take seconds. It stops instead
 * of jumping when the machine is late, so a slow machine doesn't change the results.
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
