import type { HealthRules } from '../game-server/game-server.js'
import type { SidecarError } from '../runtime/errors.js'
import type { Timers } from '../runtime/timers.js'
import type { HealthEvent } from '../types.js'

/** Tells what became of each beat, and keeps the last in plain properties, which a closing page can still read. */
export interface BeatReporter {
  /** The last good beat, ms since the Unix epoch. */
  readonly lastBeat: number | undefined
  /** Whether the last beat went well; undefined before the first. */
  readonly healthy: boolean | undefined
  /** Why the last beat was held back, or failed. */
  readonly reason: string | undefined
  /** Whether the last beat got no good answer, or none at all. */
  readonly hasFailed: boolean
  /** @param at ms since the Unix epoch, where it wasn't just now */
  sent(error?: SidecarError, at?: number): void
  held(reason: string, at?: number): void
}

/** The reason of beats that aren't sent because nobody asks for them. */
export const DISABLED = 'spec.health.disabled'
const WAITING = 'waiting for the sidecar'

/** @param wasThere whether the sidecar has ever answered */
export function createBeatReporter(
  timers: Timers,
  rules: () => HealthRules,
  wasThere: () => boolean,
  emit: (event: HealthEvent) => void,
): BeatReporter {
  let lastGood = timers.now()
  const reporter = {
    lastBeat: undefined as number | undefined,
    healthy: undefined as boolean | undefined,
    reason: undefined as string | undefined,
    hasFailed: false,
    sent(error?: SidecarError, at?: number) {
      reporter.hasFailed = !!error
      report(error && (wasThere() ? error.message : WAITING), at)
    },
    held(held: string, at?: number) {
      reporter.hasFailed = false
      report(held, at)
    },
  }

  function report(next: string | undefined, at = Date.now()): void {
    // A worker's report may have waited for a busy page, so all of this is about the time that it gives.
    const now = timers.now() - Date.now() + at
    const ok = next === WAITING ? undefined : next === undefined || next === DISABLED
    if (reporter.reason === next && (next === DISABLED || next === WAITING)) return
    reporter.reason = next
    reporter.healthy = ok
    if (ok) {
      lastGood = now
      reporter.lastBeat = at
    }
    const { rhythm, limit } = rules()
    const age = now - lastGood
    const atRisk = !!limit && age + 2 * rhythm >= limit
    emit({ ok, at, reason: next, age, limit, atRisk })
  }

  return reporter
}
