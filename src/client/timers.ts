import { SidecarError } from './errors.js'
import { host } from './host.js'
import type { AbortSignalLike, ClientOptions, RetryPolicy, SchedulerLike } from './option-types.js'
import { type Controller, follow, throwIfAborted, wait } from './signals.js'

/** ms, near the limit of a host's timers: a longer one would fire at once. */
const LONGEST = 2e9

export interface Timers {
  /** ms, never going back */
  now(): number
  /** Runs a callback later, unless the returned function is called before. */
  after(ms: number, run: () => void, isLimit?: boolean): () => void
  sleep(signal: AbortSignalLike, ms: number): Promise<void>
  /**
   * Runs a task under a signal that aborts with one of two others, or with TIMEOUT.
   *
   * @param hint the error's hint for a timeout
   */
  within<T>(
    ms: number,
    run: (signal: AbortSignalLike) => Promise<T>,
    parent: AbortSignalLike,
    other?: AbortSignalLike,
    hint?: () => string | undefined,
  ): Promise<T>
  /** Aborts with TIMEOUT after a delay. Returns the function that lifts the limit. */
  limit(controller: Controller, ms: number, hint?: () => string | undefined): () => void
  /** Runs everything due at `now`: for hosts without timers, and to catch up where timers came late. */
  tick(now?: number): void
  /** Cancels everything: the client is closed. */
  clear(): void
}

export function createTimers({ now = hostClock(), scheduler }: Pick<ClientOptions, 'now' | 'scheduler'>): Timers {
  /** For each callback, when it is due and how to cancel it. */
  const due = new Map<() => void, readonly [at: number, cancel: () => void]>()
  let isClosed = false

  function after(ms: number, run: () => void, isLimit?: boolean): () => void {
    if (isClosed) return () => {}
    // The host's timers are called as members of the global object: some hosts refuse another receiver.
    const clock: Partial<SchedulerLike> = scheduler === false ? {} : (scheduler ?? host())
    const fire = (): void => {
      if (due.has(fire)) {
        cancel()
        run()
      }
    }
    const set = isLimit && clock.setLimit ? 'setLimit' : ms < LONGEST && 'setTimeout'
    const id = set && clock[set] ? clock[set](fire, ms) : undefined
    const cancel = (): void => {
      if (due.delete(fire) && id !== undefined && clock.clearTimeout) clock.clearTimeout(id as never)
    }
    due.set(fire, [now() + ms, cancel])
    return cancel
  }

  const limit: Timers['limit'] = (controller, ms, hint) =>
    after(
      ms,
      () => controller.abort(new SidecarError('TIMEOUT', `No answer within ${ms} ms`, { hint: hint?.() })),
      true,
    )

  return {
    now,
    after,
    sleep: (signal, ms) => wait(signal, (resolve) => after(ms, resolve)),
    limit,
    async within(ms, run, parent, other, hint) {
      const task = follow(parent, other)
      const lift = limit(task, ms, hint)
      try {
        return await run(task.signal)
      } finally {
        lift()
        task.release()
      }
    },
    tick(at = now()) {
      // A copy, since a callback may add timers, which wait for the next tick.
      for (const [fire, [time]] of Array.from(due)) if (time <= at) fire()
    },
    clear() {
      isClosed = true
      due.forEach(([, cancel]) => cancel())
    },
  }
}

/** The host's clock. The global is looked up once: in Node, the look-up costs more than reading the time. */
function hostClock(): () => number {
  const { performance } = host()
  return performance?.now ? () => performance.now!() : () => Date.now()
}

/** ms that each dial costs, and the budget for dials at once: at most 10 dials in any second. */
const COST = 125
const CREDIT = 2 * COST
/** The least ms between two attempts: the jitter alone could give a burst. */
const LEAST_DELAY = 150

/** Spaces dials. */
export interface Pacing {
  /** Waits for a turn to dial. Only for dials that no call of the user causes. */
  turn(signal: AbortSignalLike): Promise<void>
  /** ms before attempt number `attempt + 1`: exponential with a cap and full jitter. */
  backoff(attempt: number): number
}

/** Two dials may start at once; later ones are spaced. */
export function createPacing(
  timers: Timers,
  { initialDelay, factor, maxDelay }: Required<RetryPolicy>,
  random: () => number,
): Pacing {
  /** The time when the budget is full again. */
  let paidAt = 0
  return {
    async turn(signal) {
      throwIfAborted(signal)
      const now = timers.now()
      paidAt = Math.max(now, paidAt) + COST
      const rest = paidAt - now - CREDIT
      if (rest > 0) await timers.sleep(signal, rest)
    },
    backoff: (attempt) => Math.max(LEAST_DELAY, random() * Math.min(maxDelay, initialDelay * factor ** attempt)),
  }
}
