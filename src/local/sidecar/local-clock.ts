import { longestTimer } from '../../protocol/names.js'
import type { SidecarEnvironment } from '../../platform/sidecar.js'

/** Most timers that fire in one turn of the event loop. */
const mostAtOnce = 100

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** Whole ms that never go back: the machine's wall clock does, when it is set. */
const machineTime = (): number => Math.floor(performance.now())

/** A clock that can run faster than the machine's, stop, and be put forward. */
export class LocalClock implements Required<Omit<SidecarEnvironment, 'report'>> {
  readonly #timers = new Set<Timer>()
  #speed = 1
  /** The clock's time at one time of the machine. */
  #start = { time: Date.now(), machine: machineTime() }
  /** The clock's time while a timer fires. */
  #stepping: number | undefined
  #timeout: NodeJS.Timeout | undefined

  /**
   * At any speed but 1, the clock waits for timers that are due. Otherwise a timer 2 ms late would be 2 s late at a speed of
   * 1,000, and periods of health would be skipped as if the machine had slept.
   */
  readonly now = (): number => {
    if (this.#stepping !== undefined) return this.#stepping
    const time = this.#running()
    if (this.#speed === 1) return time
    return Math.min(time, Math.max(this.#start.time, this.#first()?.at ?? time))
  }

  readonly speed = (): number => this.#speed

  readonly setTimer = (ms: number, fire: () => void): (() => void) => {
    const timer = { at: this.now() + ms, fire }
    this.#timers.add(timer)
    this.#arm()
    return () => {
      if (this.#timers.delete(timer)) this.#arm()
    }
  }

  /** Lets the clock run `speed` times as fast as the machine's. 0 stops it. */
  setSpeed(speed: number): void {
    this.#restartAt(this.now())
    this.#speed = speed
    this.#arm()
  }

  /** Puts the clock forward. Timers that are due by then fire in order, each at its own time. */
  advance(ms: number): void {
    let time = this.now()
    const end = time + ms
    for (let first = this.#first(); first !== undefined && first.at <= end; first = this.#first()) {
      time = Math.max(time, first.at)
      this.#restartAt(time)
      this.#fire(first, time)
    }
    this.#restartAt(end)
    this.#arm()
  }

  #running(): number {
    return this.#start.time + (machineTime() - this.#start.machine) * this.#speed
  }

  #restartAt(time: number): void {
    this.#start = { time, machine: machineTime() }
  }

  #first(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) if (first === undefined || timer.at < first.at) first = timer
    return first
  }

  #arm(): void {
    if (this.#stepping !== undefined) return
    clearTimeout(this.#timeout)
    const first = this.#first()
    if (first === undefined || this.#speed === 0) return
    const ms = Math.min(longestTimer, Math.max(0, (first.at - this.#running()) / this.#speed))
    this.#timeout = setTimeout(() => this.#fireDue(), Math.ceil(ms))
  }

  /** Fires the timers that are due, a limited number in one turn. */
  #fireDue(): void {
    for (let i = 0; i < mostAtOnce; i++) {
      const first = this.#first()
      if (first === undefined || this.#speed === 0 || first.at > this.#running()) break
      // At any speed but 1, a late timer still fires at its own time.
      this.#fire(first, this.#speed === 1 ? undefined : first.at)
    }
    this.#arm()
  }

  #fire(timer: Timer, at: number | undefined): void {
    this.#timers.delete(timer)
    this.#stepping = at
    try {
      timer.fire()
    } finally {
      this.#stepping = undefined
    }
  }
}
