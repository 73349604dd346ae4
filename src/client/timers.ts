import { host } from './host.js'
import type { Scope } from './scope.js'
import type { ClientOptions, SchedulerLike } from './types.js'

/** The longest a host's timer can wait: beyond that it would fire at once. */
const longest = 0x7fffffff

export interface Timers {
  /** ms, never going back */
  _now(): number
  /** Returns the function that cancels it. */
  _after(ms: number, callback: () => void): () => void
  _sleep(scope: Scope, ms: number): Promise<void>
  /** Runs what is due at `now`: for hosts without timers, and to catch up where timers came late. */
  _tick(now?: number): void
}

export function createTimers(options: ClientOptions): Timers {
  const due = new Map<() => void, [at: number, run: () => void]>()
  const now =
    options.now ||
    (() => {
      const { performance } = host()
      return performance && performance.now ? performance.now() : Date.now()
    })
  const timers: Timers = {
    _now: now,
    _after(ms, callback) {
      // Called as a member of the global object: some hosts refuse another receiver.
      const clock = ((options.scheduler === undefined ? host() : options.scheduler) || {}) as Partial<SchedulerLike>
      const cancel = (): void => {
        if (due.delete(cancel) && clock.clearTimeout) clock.clearTimeout(id)
      }
      const run = (): void => {
        cancel()
        callback()
      }
      due.set(cancel, [now() + ms, run])
      const id = (clock.setTimeout && ms < longest ? clock.setTimeout(run, ms) : 0) as never
      return cancel
    },
    _sleep: (scope, ms) => scope._wait((resolve) => timers._after(ms, resolve as () => void)),
    _tick(at = now()) {
      // A copy: what runs may add timers, and those wait for the next tick.
      Array.from(due).forEach(([cancel, [time, run]]) => {
        if (time <= at && due.has(cancel)) run()
      })
    },
  }
  return timers
}
