import { longestTimer } from '../../sidecar/index.js'
import type { SidecarEnvironment } from '../../sidecar/index.js'

/** Timers that fire in one turn. */
const mostAtOnce = 100

/** A clock that can run faster than the machine's, stand still, and be put forward. */
export interface LocalClock extends Required<Omit<SidecarEnvironment, 'report' | 'recording'>> {
  /** Lets it run so many times as fast as the machine's; 0 stops it. */
  setSpeed(speed: number): void
  /** Puts it forward. What is due by then happens in order, each thing at its own time. */
  advance(ms: number): void
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

export function createLocalClock(): LocalClock {
  const timers = new Set<Timer>()
  let speed = 1
  /** The clock's time at a moment of the machine's. */
  let start = { time: Date.now(), machine: Date.now() }
  /** The clock's time while something that is due happens. */
  let stepping: number | undefined
  let armed: { readonly at: number; readonly cancel: () => void } | undefined

  const running = (): number => start.time + (Date.now() - start.machine) * speed
  const next = (): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer
    return first
  }
  /**
   * At another speed than the machine's the clock waits for what is due: a timer that fires 2 ms late would be 2 s late
   * at a thousand times the speed, and periods of health would be skipped as if the machine had slept.
   */
  const now = (): number => {
    if (stepping !== undefined) return stepping
    const time = running()
    if (speed === 1) return time
    return Math.min(time, Math.max(start.time, next()?.at ?? time))
  }
  const restartAt = (time: number): void => void (start = { time, machine: Date.now() })

  function arm(): void {
    const first = next()
    if (stepping !== undefined || first?.at === armed?.at) return
    disarm()
    if (first === undefined || speed === 0) return
    const ms = Math.min(longestTimer, Math.max(0, (first.at - running()) / speed))
    const timer = setTimeout(fireDue, Math.ceil(ms))
    armed = { at: first.at, cancel: () => clearTimeout(timer) }
  }

  /** Fires what is due, at most so much in one turn that others get theirs. */
  function fireDue(): void {
    armed = undefined
    for (let i = 0, first = next(); i < mostAtOnce && first !== undefined && isDue(first); i++, first = next()) {
      // At another speed each thing happens at its own time, as late as it may be.
      fire(first, speed === 1 ? undefined : first.at)
    }
    arm()
  }

  const isDue = ({ at }: Timer): boolean => speed > 0 && at <= running()

  function fire(timer: Timer, at: number | undefined): void {
    timers.delete(timer)
    stepping = at
    try {
      timer.fire()
    } finally {
      stepping = undefined
    }
  }

  function disarm(): void {
    armed?.cancel()
    armed = undefined
  }

  return {
    now,
    speed: () => speed,
    setTimer(ms, fire) {
      const timer = { at: now() + ms, fire }
      timers.add(timer)
      arm()
      return () => {
        if (timers.delete(timer)) arm()
      }
    },
    setSpeed(value) {
      restartAt(now())
      speed = value
      disarm()
      arm()
    },
    advance(ms) {
      let time = now()
      const end = time + ms
      disarm()
      for (let first = next(); first !== undefined && first.at <= end; first = next()) {
        time = Math.max(time, first.at)
        restartAt(time)
        fire(first, time)
      }
      restartAt(end)
      disarm()
      arm()
    },
  }
}
