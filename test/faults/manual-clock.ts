import type { ClientOptions } from '../../src/index.js'

export interface ManualClock {
  readonly options: { now(): number; scheduler: ClientOptions['scheduler'] & object }
  /** Lets that many ms pass at once, running what falls due on the way; real sockets see no time pass. */
  advance(ms: number): void
}

/** Time that stands still until it is told to pass, so that a busy machine changes nothing. */
export function createManualClock(): ManualClock {
  const timers = new Map<symbol, { at: number; callback: () => void }>()
  let now = 0
  const next = (until: number): [symbol, { at: number; callback: () => void }] | undefined =>
    [...timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)[0]
  return {
    options: {
      now: () => now,
      scheduler: {
        setTimeout(callback, ms) {
          const id = Symbol('timer')
          timers.set(id, { at: now + Math.max(0, ms), callback })
          return id
        },
        clearTimeout: (id) => void timers.delete(id),
      },
    },
    advance(ms) {
      const until = now + ms
      for (let due = next(until); due !== undefined; due = next(until)) {
        const [id, { at, callback }] = due
        timers.delete(id)
        now = Math.max(now, at)
        callback()
      }
      now = until
    },
  }
}

export interface HurriedClock {
  readonly options: ManualClock['options']
  now(): number
  /** Resolves when that many ms of this clock have passed. */
  pass(ms: number): Promise<void>
}

/**
 * Time that runs `factor` times as fast as the world, in small steps, so that waits of minutes take seconds. Where the
 * machine is late, this clock stands still instead of jumping: what it measures is the client, not the machine.
 */
export function hurried(factor: number): HurriedClock {
  const step = 5
  const { options, advance } = createManualClock()
  setInterval(() => advance(step * factor), step).unref()
  return {
    options,
    now: options.now,
    pass: (ms) => new Promise((resolve) => void options.scheduler.setTimeout(resolve, ms)),
  }
}
