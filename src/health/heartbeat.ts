import type { SidecarError } from '../client/errors.js'
import { host } from '../client/host.js'
import { createScope, type Scope } from '../client/scope.js'
import type { Timers } from '../client/timers.js'
import type { AutoHealthOptions, HealthEvent } from '../client/types.js'
import type { HealthSpec } from '../protocol/game-server.js'
import { startWorkerClock } from './worker-clock.js'

/**
 * Beats at a steady rhythm, whatever becomes of each beat: at most one is in flight beside the next.
 *
 * @param spec `spec.health` of the last GameServer seen
 * @param send one beat, one attempt
 * @returns a beat now, for when the sidecar is back; the rhythm starts anew from there
 */
export function startHeartbeat(
  { interval, check, stallTimeout = 3000, worker = !!host().document }: AutoHealthOptions,
  timers: Timers,
  scope: Scope,
  spec: () => HealthSpec | null | undefined,
  send: (scope: Scope, timeout: number) => Promise<unknown>,
  emit: (event: HealthEvent) => void,
): () => void {
  const inFlight: Scope[] = []
  let lastGood = timers._now()
  let cancel = (): void => {}
  let saidDisabled: boolean | undefined

  /** ms */
  const rhythm = (): number => interval || ((spec() || {}).period_seconds || 4) * 500

  function tell(ok: boolean, reason?: string): void {
    const now = timers._now()
    if (ok) lastGood = now
    const { period_seconds: period = 0, failure_threshold: threshold = 0 } = spec() || {}
    const age = now - lastGood
    const limit = period * threshold * 1000 || undefined
    emit({ ok, at: Date.now(), reason, age, limit, atRisk: !!limit && age + 2 * rhythm() >= limit })
  }

  async function beat(): Promise<void> {
    const beatScope = createScope(scope)
    // The one before the last is given up: beats never pile up behind a sidecar that doesn't answer.
    if (inFlight.push(beatScope) > 2) inFlight.shift()!._end(0)
    try {
      const refusal = check && (await ask(beatScope))
      if (!refusal) await send(beatScope, Math.max(2 * rhythm(), 1000))
      tell(!refusal, refusal)
    } catch (error) {
      if (scope._reason === undefined) tell(false, error ? (error as SidecarError).message : 'No answer to two beats')
    }
    beatScope._end(0)
    const index = inFlight.indexOf(beatScope)
    if (index >= 0) inFlight.splice(index, 1)
  }

  /** Why no beat may go out now; undefined if one may. */
  function ask(beatScope: Scope): Promise<string | undefined> {
    return beatScope._wait((resolve) => {
      const failed = (error: unknown): void => resolve('check() failed: ' + error)
      try {
        Promise.resolve(check!()).then((good) => resolve(good ? undefined : 'check() said no'), failed)
      } catch (error) {
        failed(error)
      }
      return timers._after(stallTimeout, () => resolve('check() took over ' + stallTimeout + ' ms'))
    })
  }

  function next(): void {
    cancel()
    cancel = timers._after(rhythm(), next)
    const disabled = !!(spec() || {}).disabled
    if (!disabled) void beat()
    else if (!saidDisabled) tell(true, 'spec.health.disabled')
    saidDisabled = disabled
  }

  // In a page, where a hidden tab's timers are throttled, a worker keeps time.
  if (worker) scope._onEnd(startWorkerClock(timers))
  scope._onEnd(() => cancel())
  next()
  return next
}
