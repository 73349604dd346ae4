import { host } from './host.js'
import type { Scope } from './scope.js'
import type { ClientOptions, SchedulerLike } from './types.js'

export interface Timers {
  _now(): number
  /** Returns the function that cancels it. */
  _after(ms: number, callback: () => void): () => void
  _sleep(scope: Scope, ms: number): Promise<void>
  /** Runs what is due at `now`: for hosts without timers, and to catch up where timers came late. */
  _tick(now?: number): void
}

export function createTimers(options: ClientOptions): Timers {
  const due = new Map<() => void, number>()
  const now =
    options.now ??
    (() => {
      const { performance } = host()
      return performance && performance.now ? performance.now() : Date.now()
    })
  const scheduler = (): SchedulerLike | undefined => {
    const { setTimeout, clearTimeout } = host()
    return options.scheduler === false
      ? undefined
      : options.scheduler ??
          (setTimeout && clearTimeout
            ? {
                // Called through the global object: some hosts refuse another receiver.
                setTimeout: (callback, ms) => host().setTimeout!(callback, ms),
                clearTimeout: (id) => host().clearTimeout!(id),
              }
            : undefined)
  }
  const timers: Timers = {
    _now: now,
    _after(ms, callback) {
      const clock = scheduler()
      const run = (): void => {
        cancel()
        callback()
      }
      const cancel = (): void => {
        if (due.delete(run) && clock) clock.clearTimeout(id as never)
      }
      due.set(run, now() + ms)
      const id = clock && clock.setTimeout(run, ms)
      return cancel
    },
    _sleep: (scope, ms) => scope._wait((resolve) => timers._after(ms, resolve as () => void)),
    _tick(at = now()) {
      // A copy: what runs may add timers, and those wait for the next tick.
      Array.from(due).forEach(([run, time]) => {
        if (time <= at && due.has(run)) run()
      })
    },
  }
  return timers
}
