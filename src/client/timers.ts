import { fail } from './errors.js'
import { host } from './host.js'
import { createScope, type Scope } from './scope.js'
import type { ClientOptions, SchedulerLike } from './types.js'

/** ms, nearly the longest that a host's timer can wait: beyond that it would fire at once. */
const longest = 2e9

export interface Timers {
  /** ms, never going back */
  _now(): number
  /** Runs something later, unless the scope ends before. Returns the timer, as a scope whose end cancels it. */
  _after(scope: Scope, ms: number, run: () => void): Scope
  _sleep(scope: Scope, ms: number): Promise<void>
  /** Ends a scope after a while, unless the timer that it returns is ended before. */
  _limit(scope: Scope, ms: number): Scope
  /** Runs what is due at `now`: for hosts without timers, and to catch up where timers came late. */
  tick(now?: number): void
}

export function createTimers(options: ClientOptions): Timers {
  const due = new Map<() => void, number>()
  const timers: Timers = {
    _now:
      options.now ||
      (() => {
        const { performance } = host()
        return (performance && performance.now ? (performance as typeof Date) : Date).now()
      }),
    _after(scope, ms, run) {
      // Called as a member of the global object: some hosts refuse another receiver.
      const { scheduler = host() } = options
      const clock = (scheduler || {}) as Partial<SchedulerLike>
      const timer = createScope(scope)
      const fire = (): void => {
        if (timer._reason) return
        timer._end()
        run()
      }
      due.set(fire, timers._now() + ms)
      const id = clock.setTimeout && ms < longest && clock.setTimeout(fire, ms)
      timer._onEnd(() => {
        due.delete(fire)
        if (clock.clearTimeout) clock.clearTimeout(id as never)
      })
      return timer
    },
    _sleep: (scope, ms) => scope._wait((wait, resolve) => timers._after(wait, ms, resolve as () => void)),
    _limit: (scope, ms) =>
      timers._after(scope, ms, () => scope._end(fail('TIMEOUT', 'Nothing came within ' + ms + ' ms', scope))),
    tick(at = timers._now()) {
      // A copy: what runs may add timers, and those wait for the next tick.
      Array.from(due).forEach(([fire, time]) => {
        if (time <= at) fire()
      })
    },
  }
  return timers
}
