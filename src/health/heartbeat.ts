import type { Core } from '../client/core.js'
import { check as refuseUnless, fail, type SidecarError } from '../client/errors.js'
import { host } from '../client/host.js'
import { createScope, type Scope } from '../client/scope.js'
import type { AutoHealthOptions } from '../client/types.js'
import type { HealthSpec } from '../protocol/game-server.js'
import { startWorkerClock } from './worker-clock.js'

/** Beats at a steady rhythm, whatever becomes of each beat: at most one is in flight beside the next. */
export function startHeartbeat(
  core: Core,
  { interval, check, stallTimeout = 3000, worker = !!host().document }: AutoHealthOptions,
): void {
  let timer = createScope(core._scope)
  let [last, lastButOne] = [timer, timer]
  let lastGood = core._now()
  let saidDisabled: boolean | undefined
  let started = 0

  refuseUnless(interval === undefined || interval > 0, 'autoHealth.interval', interval, 'ms above 0')

  const spec = (): HealthSpec => (core._last && core._last.spec && core._last.spec.health) || {}
  /** ms */
  const rhythm = (): number => interval || (spec().period_seconds || 4) * 500

  function say(ok: boolean, reason: string | undefined): void {
    const now = core._now()
    const at = Date.now()
    core._healthy = ok
    if (ok) {
      lastGood = now
      core._lastBeat = at
    }
    const { period_seconds: period = 0, failure_threshold: threshold = 0 } = spec()
    const age = now - lastGood
    const limit = period * threshold * 1000 || undefined
    const atRisk = !!limit && age + 2 * rhythm() >= limit
    core._emit('health', { ok, at, reason, age, limit, atRisk })
  }

  async function beat(): Promise<void> {
    const scope = createScope(core._scope, 'health')
    // Beats never pile up behind a sidecar that doesn't answer.
    lastButOne._end(fail('TIMEOUT', 'No answer to two beats', scope))
    lastButOne = last
    last = scope
    try {
      const refusal = check && (await ask(scope))
      if (!refusal) await core._attempt(scope, 'health', Math.max(2 * rhythm(), 1000))
      say(!refusal, refusal)
    } catch (error) {
      if (!core._scope._reason) say(false, (error as SidecarError).message)
    }
    // The next beats go out at their rhythm; besides, somebody must notice at once when the sidecar is back.
    await core._whenUp(scope).then(null, () => {})
    scope._end()
  }

  /** Why no beat may go out now; nothing if one may. */
  const ask = (scope: Scope): Promise<string | undefined> =>
    scope._wait((wait, resolve) => {
      core._after(wait, stallTimeout, () => resolve('check() took over ' + stallTimeout + ' ms'))
      Promise.resolve()
        .then(check)
        .then(
          (good) => resolve(good ? undefined : 'check() said no'),
          (error: unknown) => resolve('check() failed: ' + error),
        )
    })

  /** The next beat, a rhythm after the last one: again where the rhythm has become known meanwhile. */
  function schedule(): void {
    timer._end()
    timer = core._after(core._scope, Math.max(0, started + rhythm() - core._now()), core._beatNow!)
  }

  core._beatNow = () => {
    started = core._now()
    schedule()
    const disabled = !!spec().disabled
    if (!disabled) void beat()
    else if (!saidDisabled) say(true, 'spec.health.disabled')
    saidDisabled = disabled
  }

  // In a page, where a hidden tab's timers are throttled, a worker keeps time.
  if (worker) startWorkerClock(core._scope, core.tick)
  core._beatNow()
  // How often to beat is written in the GameServer.
  core._send(core._scope, 'getGameServer').then(schedule, () => {})
}
