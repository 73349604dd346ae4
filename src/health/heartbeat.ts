import { SidecarError } from '../client/errors.js'
import { host } from '../client/host.js'
import { createScope, type Scope } from '../client/scope.js'
import type { Timers } from '../client/timers.js'
import type { AutoHealthOptions, HealthEvent } from '../client/types.js'
import type { HealthSpec } from '../protocol/game-server.js'
import { startWorkerClock } from './worker-clock.js'

const defaultInterval = 2000

export interface HeartbeatDeps {
  _options: AutoHealthOptions
  _timers: Timers
  _scope: Scope
  /** `spec.health` of the last GameServer seen. */
  _spec(): HealthSpec | null | undefined
  /** One beat, one attempt. */
  _send(scope: Scope, timeout: number): Promise<unknown>
  _emit(event: HealthEvent): void
}

export interface Heartbeat {
  /** A beat now, because the sidecar is back; the rhythm starts anew from here. */
  _beatNow(): void
}

/** Beats at a steady rhythm, whatever becomes of each beat: at most one is in flight beside the next. */
export function startHeartbeat(deps: HeartbeatDeps): Heartbeat {
  const { _options: options, _timers: timers, _scope: scope } = deps
  let lastGood = timers._now()
  let cancel = (): void => {}
  let inFlight: (() => void)[] = []
  let saidDisabled = false

  function interval(): number {
    const { period_seconds: period } = deps._spec() ?? {}
    return options.interval ?? (period ? period * 500 : defaultInterval)
  }

  function tell(ok: boolean, reason?: string): void {
    const now = timers._now()
    if (ok) lastGood = now
    const { period_seconds: period, failure_threshold: threshold } = deps._spec() ?? {}
    const limit = period && threshold ? period * threshold * 1000 : undefined
    const age = now - lastGood
    deps._emit({ ok, at: Date.now(), reason, age, limit, atRisk: !!limit && age + 2 * interval() >= limit })
  }

  async function beat(): Promise<void> {
    const beatScope = createScope(scope)
    const end = (): void => beatScope._end(0)
    // The one before the last is given up: beats never pile up behind a sidecar that doesn't answer.
    if (inFlight.push(end) > 2) inFlight.shift()!()
    try {
      const reason = await refusal(beatScope)
      if (reason === undefined) await deps._send(beatScope, Math.max(2 * interval(), 1000))
      tell(reason === undefined, reason)
    } catch (error) {
      if (scope._reason === undefined)
        tell(false, beatScope._reason === 0 ? 'No answer to the last two beats' : (error as SidecarError).message)
    }
    inFlight = inFlight.filter((other) => other !== end)
    end()
  }

  /** Why no beat may go out now; undefined if one may. */
  async function refusal(beatScope: Scope): Promise<string | undefined> {
    if (!options.check) return undefined
    const deadline = options.stallTimeout ?? 3000
    const late = 'check() has not answered within ' + deadline + ' ms'
    try {
      const answer = await beatScope._wait<boolean | string>((resolve, reject) => {
        void Promise.resolve(options.check!()).then(resolve, reject)
        return timers._after(deadline, () => resolve(late))
      })
      return answer === true ? undefined : answer === late ? late : 'check() answered false'
    } catch (error) {
      if (beatScope._reason !== undefined) throw error
      return 'check() failed: ' + String((error as { message?: unknown } | undefined)?.message ?? error)
    }
  }

  function next(): void {
    cancel()
    if (scope._reason !== undefined) return
    cancel = timers._after(interval(), next)
    const { disabled } = deps._spec() ?? {}
    if (!disabled) void beat()
    else if (!saidDisabled) tell(true, 'Health checking is disabled in the GameServer spec')
    saidDisabled = !!disabled
  }

  scope._onEnd(() => cancel())
  // In a page, where a hidden tab's timers are throttled, a worker keeps time.
  if (options.worker ?? !!host().document) scope._onEnd(startWorkerClock(timers))
  next()
  return { _beatNow: next }
}
