import type { Reply } from './answers.js'
import { isPassing, type SidecarError } from './errors.js'
import type { Pacing } from './pacing.js'
import { follow, wait, type Task } from './signals.js'
import type { Timers } from './timers.js'
import type { AbortSignalLike } from './types.js'

/** ms after which a sidecar that has never answered is worth a warning. */
const ABSENCE_WARNING = 2000
/** ms for which a sidecar must answer before a failure counts as the first again: one that flaps is no new one. */
const STABLE_AFTER = 1000
/** Failures that a sidecar which answered for less counts with at most: one that is back for good is found soon. */
const FLAPPING = 5

/** The search for a sidecar that doesn't answer, which all who wait share. */
export interface Search {
  /** Resolves when the sidecar answers. Rejects when no later attempt can fare better. */
  join(signal: AbortSignalLike): Promise<unknown>
  /** The sidecar has answered. */
  found(): void
  /** @param upFor ms for which the sidecar had answered before it was lost */
  lost(upFor: number): void
}

/**
 * @param life aborts when the client is closed
 * @param probe asks the sidecar once
 * @param hasEnded whether this server ends: then the sidecar may leave before the game
 * @param onAbsent called when a sidecar that has never answered is still not there 2 s after it was asked for, and with
 *   the reason whenever it was found and refuses this page
 */
export function createSearch(
  life: AbortSignalLike,
  timers: Timers,
  { turn, backoff }: Pacing,
  probe: (signal: AbortSignalLike) => Promise<Reply>,
  hasEnded: () => boolean,
  onAbsent: (reason?: SidecarError) => void,
): Search {
  const waiting = new Set<readonly [resolve: (value?: undefined) => void, reject: (error: unknown) => void]>()
  let task: Task | undefined
  /** Attempts that found nobody, until the sidecar has answered for a while. */
  let failures = 0
  let againAt = 0
  let cancelWarning: (() => void) | undefined

  async function ask(signal: AbortSignalLike): Promise<void> {
    for (;;) {
      const rest = againAt - timers.now()
      if (failures && rest > 0) await timers.sleep(signal, rest)
      await turn(signal)
      const { error, unsent, retryAfter = 0 } = await probe(signal)
      againAt = timers.now() + Math.max(retryAfter, backoff(failures++))
      if (!error || signal.aborted) return
      if (error.code === 'CROSS_ORIGIN') onAbsent(error)
      if (!isPassing(error) || (unsent && hasEnded())) waiting.forEach(([, reject]) => reject(error))
    }
  }

  function start(): void {
    const started = (task = follow(life))
    cancelWarning = cancelWarning ?? timers.after(ABSENCE_WARNING, onAbsent)
    const end = (): void => {
      started.release()
      if (task === started) task = undefined
    }
    ask(started.signal).then(end, end)
  }

  return {
    join: (signal) =>
      wait(signal, (resolve, reject) => {
        const waiter = [resolve as () => void, reject] as const
        waiting.add(waiter)
        if (!task) start()
        return () => {
          waiting.delete(waiter)
          if (waiting.size || !task) return
          // Nobody waits any more: nothing may go on dialling.
          task.abort(true)
          task = undefined
        }
      }),

    found() {
      if (cancelWarning) cancelWarning()
      cancelWarning = () => {}
      waiting.forEach(([resolve]) => resolve())
    },

    lost(upFor) {
      failures = upFor > STABLE_AFTER ? 0 : Math.min(failures, FLAPPING)
    },
  }
}
