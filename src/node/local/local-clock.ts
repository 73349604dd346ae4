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

interface ClockState {
  readonly timers: Set<Timer>
  speed: number
  /** The clock's time at a moment of the machine's. */
  start: { readonly time: number; readonly machine: number }
  /** The clock's time while something that is due happens. */
  stepping: number | undefined
  armed: { readonly at: number; readonly timeout: NodeJS.Timeout } | undefined
}

const running = ({ start, speed }: ClockState): number => start.time + (Date.now() - start.machine) * speed

function firstOf({ timers }: ClockState): Timer | undefined {
  let first: Timer | undefined
  for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer
  return first
}

/**
 * At another speed than the machine's the clock waits for what is due: a timer that fires 2 ms late would be 2 s late at a
 * thousand times the speed, and periods of health would be skipped as if the machine had slept.
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
    start: { time: Date.now(), machine: Date.now() },
    stepping: undefined,
    armed: undefined,
  }
  const now = (): number => timeOf(state)
  const restartAt = (time: number): void => void (state.start = { time, machine: Date.now() })

  /** Sets the machine's timer for what is due first. */
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

  /** Fires what is due, at most so much in one turn that others get theirs. */
  function fireDue(): void {
    state.armed = undefined
    for (let i = 0; i < mostAtOnce; i++) {
      const first = firstOf(state)
      if (first === undefined || state.speed === 0 || first.at > running(state)) break
      // At another speed each thing happens at its own time, as late as it may be.
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
