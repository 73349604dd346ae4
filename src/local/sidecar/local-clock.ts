import { longestTimer } from '../../protocol/names.js'
import type { SidecarEnvironment } from '../../platform/sidecar.js'

/** Most timers that fire in one turn of the event loop. */
const mostAtOnce = 100

/** A clock that can run faster than the machine's, stop, and be put forward. */
export interface LocalClock extends Required<Omit<SidecarEnvironment, 'report'>> {
  /** Lets the clock run `speed` times as fast as the machine's. 0 stops it. */
  setSpeed(speed: number): void
  /** Puts the clock forward. Timers that are due by then fire in order, each at its own time. */
  advance(ms: number): void
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

interface ClockState {
  readonly timers: Set<Timer>
  speed: number
  /** The clock's time at one time of the machine. */
  start: { readonly time: number; readonly machine: number }
  /** The clock's time while a timer fires. */
  stepping: number | undefined
  armed: { readonly at: number; readonly timeout: NodeJS.Timeout } | undefined
}

/** Whole ms that never go back: the machine's wall clock does, when it is set. */
const machineTime = (): number => Math.floor(performance.now())

const running = ({ start, speed }: ClockState): number => start.time + (machineTime() - start.machine) * speed

function firstOf({ timers }: ClockState): Timer | undefined {
  let first: Timer | undefined
  for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer
  return first
}

/**
 * At any speed but 1, the clock waits for timers that are due. Otherwise a timer 2 ms late would be 2 s late at a speed of
 * 1,000, and periods of health would be skipped as if the machine had slept.
 */
function timeOf(state: ClockState): number {
  if (state.stepping !== undefined) return state.stepping
  const time = running(state)
  if (state.speed === 1) return time
  return Math.min(time, Math.max(state.start.time, firstOf(state)?.at ?? time))
}

export function createLocalClock(): LocalClock {
  const state: ClockState = {
    timers: new Set(),
    speed: 1,
    start: { time: Date.now(), machine: machineTime() },
    stepping: undefined,
    armed: undefined,
  }
  const now = (): number => timeOf(state)
  const restartAt = (time: number): void => void (state.start = { time, machine: machineTime() })

  /** Sets the machine's timer for the first timer. */
  function arm(): void {
    const first = firstOf(state)
    if (state.stepping !== undefined || first?.at === state.armed?.at) return
    disarm()
    if (first === undefined || state.speed === 0) return
    const ms = Math.min(longestTimer, Math.max(0, (first.at - running(state)) / state.speed))
    state.armed = { at: first.at, timeout: setTimeout(fireDue, Math.ceil(ms)) }
  }
  function disarm(): void {
    clearTimeout(state.armed?.timeout)
    state.armed = undefined
  }

  /** Fires the timers that are due, a limited number in one turn. */
  function fireDue(): void {
    state.armed = undefined
    for (let i = 0; i < mostAtOnce; i++) {
      const first = firstOf(state)
      if (first === undefined || state.speed === 0 || first.at > running(state)) break
      // At any speed but 1, a late timer still fires at its own time.
      fire(first, state.speed === 1 ? undefined : first.at)
    }
    arm()
  }
  function fire(timer: Timer, at: number | undefined): void {
    state.timers.delete(timer)
    state.stepping = at
    try {
      timer.fire()
    } finally {
      state.stepping = undefined
    }
  }

  return {
    now,
    speed: () => state.speed,
    setTimer(ms, fire) {
      const timer = { at: now() + ms, fire }
      state.timers.add(timer)
      arm()
      return () => {
        if (state.timers.delete(timer)) arm()
      }
    },
    setSpeed(value) {
      restartAt(now())
      state.speed = value
      disarm()
      arm()
    },
    advance(ms) {
      let time = now()
      const end = time + ms
      disarm()
      for (let first = firstOf(state); first !== undefined && first.at <= end; first = firstOf(state)) {
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
