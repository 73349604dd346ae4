import type { SidecarEnvironment } from '../../../src/platform/sidecar.js'

/** A clock that stands still until it is told to go on. */
export interface VirtualClock extends SidecarEnvironment {
  /** Lets so many milliseconds pass; every timer fires at its own moment, in order. */
  advance(ms: number): void
  /** Lets time pass as on a machine that slept: what is due fires late, at the end. */
  sleep(ms: number): void
  /** How many timers are set. */
  readonly pending: number
}

export function createVirtualClock(start = Date.UTC(2030, 0, 1)): VirtualClock {
  let time = start
  let timers: { at: number; fire: () => void }[] = []
  return {
    now: () => time,
    setTimer(ms, fire) {
      const timer = { at: time + ms, fire }
      timers.push(timer)
      return () => void (timers = timers.filter((other) => other !== timer))
    },
    advance(ms) {
      const end = time + ms
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        timers = timers.filter((other) => other !== next)
        time = Math.max(time, next.at)
        next.fire()
      }
      time = end
    },
    sleep(ms) {
      time += ms
      this.advance(0)
    },
    get pending() {
      return timers.length
    },
  }
}
