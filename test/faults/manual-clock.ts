import type { ClientOptions } from '../../src/index.js'

export interface ManualClock {
  readonly options: Required<Pick<ClientOptions, 'now' | 'scheduler'>>
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
        clearTimeout: (id) => void timers.delete(id as symbol),
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
