import type { ClientOptions, SchedulerLike } from '../types.js'
import { SidecarError } from './errors.js'
import { host } from './host.js'
import { Scope } from './scope.js'

/** ms, nearly the longest that a host's timer can wait: beyond that it would fire at once. */
const LONGEST = 2e9

export interface Timers {
  /** ms, never going back */
  now(): number
  /** Runs something later, unless the scope ends before. Ending the scope that it returns cancels the timer. */
  after(scope: Scope, ms: number, run: () => void): Scope
  sleep(scope: Scope, ms: number): Promise<void>
  /** Ends a scope with TIMEOUT after a while. Ending the scope that it returns lifts the limit. */
  limit(scope: Scope, ms: number, hint?: () => string | undefined): Scope
  /** Runs everything due at `now`: for hosts without timers, and to catch up where timers came late. */
  tick(now?: number): void
}

type TimerOptions = Pick<ClientOptions, 'now' | 'scheduler'>

export function createTimers({ now = hostClock(), scheduler }: TimerOptions): Timers {
  const due = new Map<() => void, number>()

  function after(scope: Scope, ms: number, run: () => void, isLimit?: boolean): Scope {
    // The host's timers are called as members of the global object: some hosts refuse another receiver.
    const clock: Partial<SchedulerLike> = scheduler === false ? {} : (scheduler ?? host())
    const timer = new Scope(scope)
    const fire = (): void => {
      if (timer.reason) return
      timer.end()
      run()
    }
    due.set(fire, now() + ms)
    const set = isLimit && clock.setLimit ? 'setLimit' : ms < LONGEST && 'setTimeout'
    const id = set && clock[set] ? clock[set](fire, ms) : undefined
    timer.onEnd(() => {
      due.delete(fire)
      if (id !== undefined && clock.clearTimeout) clock.clearTimeout(id as never)
    })
    return timer
  }

  return {
    now,
    after,
    sleep: (scope, ms) => scope.wait((resolve, wait) => after(wait, ms, resolve)),
    limit: (scope, ms, hint = () => undefined) =>
      after(
        scope,
        ms,
        () => scope.end(new SidecarError('TIMEOUT', `No answer within ${ms} ms`, { hint: hint() })),
        true,
      ),
    tick(at = now()) {
      // A copy, since a callback may add timers, and those wait for the next tick.
      Array.from(due).forEach(([fire, time]) => {
        if (time <= at) fire()
      })
    },
  }
}

/** One clock for as long as a client lives. The global is looked up once, which in Node costs more than the time itself. */
function hostClock(): () => number {
  const { performance } = host()
  return performance?.now ? () => performance.now!() : () => Date.now()
}
