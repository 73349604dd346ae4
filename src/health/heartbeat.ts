import type { Core } from '../client/core.js'
import { check as refuseUnless, fail, type SidecarError } from '../client/errors.js'
import { host, tryTo } from '../client/host.js'
import { requestInit } from '../client/http.js'
import { createScope } from '../client/scope.js'
import type { AutoHealthOptions } from '../client/types.js'
import type { HealthSpec } from '../protocol/game-server.js'
import { createBeatWorker, type Report, type Sign } from './beat-worker.js'

export interface Health {
  /** Tells what a beat led to, or why none went out. `at`: ms since the Unix epoch. */
  _say(reason?: string, at?: number): void
  /** Sends a beat at once; the rhythm starts anew from there. Only where beats are sent. */
  _beatNow?(): void
  /** Who sends them. */
  _heartbeat?: 'worker' | 'page'
  /** Why the last one didn't, or failed. */
  _said?: string | undefined
  /** When the game itself said last that it is alive. */
  _aliveAt?: number
}

const disabled = 'spec.health.disabled'

/**
 * Beats at a steady rhythm, whatever becomes of each beat: at most one is in flight beside the next. In a page a worker
 * sends them, so that neither throttled timers nor a busy thread delay them, as long as the page gives signs of life.
 */
export function startHealth(core: Core, autoHealth: boolean | AutoHealthOptions): void {
  const {
    interval,
    check = () => true,
    stallTimeout = 3000,
    worker = !!host().document,
  } = (autoHealth || {}) as AutoHealthOptions
  const { _scope: life } = core
  let timer = createScope(life)
  let [last, lastButOne] = [timer, timer]
  let lastGood = core._now()
  let started = 0
  let verdict: string | undefined
  let asking: Promise<void> | undefined
  /** Tells the worker that the page is alive. `now`: a beat is due. */
  let sign: (now?: boolean | void) => void

  refuseUnless(interval === undefined || interval > 0, 'autoHealth.interval', interval, 'ms above 0')
  refuseUnless(stallTimeout > 0, 'autoHealth.stallTimeout', stallTimeout, 'ms above 0')

  const spec = (): HealthSpec => (core._last && core._last.spec && core._last.spec.health) || {}
  /** ms */
  const rhythm = (): number => interval || (spec().period_seconds || 4) * 500
  /** ms since the last sign of life: that this runs is one, unless the game gives them. */
  const silence = (): number => core._now() - core._aliveAt! || 0

  /** Why no beat may go out now; nothing if one may. */
  const hold = (): string | undefined => (spec().disabled ? disabled : silence() >= stallTimeout ? 'stalled' : verdict)

  core._say = (reason, at = Date.now()) => {
    // What a worker tells may have waited for a busy page: all of this is about the time that it tells.
    const now = core._now() - Date.now() + at
    const ok = !reason || reason === disabled
    if (reason === disabled && core._said === disabled) return
    core._said = reason
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

  /** Asks `check`, one question at a time, and keeps what it says. */
  const review = (): Promise<void> =>
    (asking =
      asking ||
      life
        ._wait<string | undefined>((wait, resolve) => {
          core._after(wait, stallTimeout, () => resolve('check() took over ' + stallTimeout + ' ms'))
          Promise.resolve()
            .then(check)
            .then(
              (good) => resolve(good ? undefined : 'check() said no'),
              (error: unknown) => resolve('check() failed: ' + error),
            )
        })
        .then((said) => {
          verdict = said
          asking = undefined
        }))

  /** One beat; or, with what a worker tells of one, what follows from that. */
  async function beat(report?: Report): Promise<void> {
    const [at, status, said, mode] = report || []
    // It was on its way before this page knew that it is in direct mode.
    if (!status && said && core._direct && !mode) return sign(true)
    const scope = createScope(life, 'health')
    // Beats never pile up behind a sidecar that doesn't answer.
    lastButOne._end(fail('TIMEOUT', 'No answer to what was sent', scope))
    lastButOne = last
    last = scope
    try {
      if (!report) await scope._race(review())
      const reason = report ? undefined : hold()
      if (!reason)
        await core._attempt(
          scope,
          'health',
          Math.max(2 * rhythm(), 1000),
          undefined,
          undefined,
          report &&
            (async (_options, answer, _url, _init, onText) => {
              if (!status && (said || !core._direct)) throw said
              answer._status = (status as number) || 200
              answer._header = () => null
              onText(said || '{}')
            }),
        )
      core._say(reason, at)
    } catch (error) {
      if (!life._reason) core._say((error as SidecarError).message, at)
    }
    // The next beats go out at their rhythm; besides, somebody must notice at once when the sidecar is back.
    await core._whenUp(scope).then(null, () => {})
    scope._end()
  }

  /** A beat when the rhythm has passed since the last: again where the rhythm has become known meanwhile. */
  function schedule(): void {
    timer._end()
    const due = started + rhythm()
    timer = core._after(life, Math.max(0, due - core._now()), () => {
      // The worker has been silent for so long that it must have ended, unless all of this page stood still.
      if (core._heartbeat === 'worker' && core._now() - due > 1000) return expectWorker()
      core._heartbeat = 'page'
      core._beatNow!()
    })
  }

  function expectWorker(): void {
    started = core._now() + stallTimeout
    schedule()
  }

  function startWorker(): void {
    // A worker can't send by another fetch than its own: then it only keeps time.
    const { fetch: another } = core
    tryTo(() => {
      const worker = createBeatWorker(life._onEnd)
      sign = (now) => {
        const pace = rhythm()
        const message: Sign = [
          silence(),
          another ? 'fetch' : hold(),
          stallTimeout,
          pace,
          pace / Math.ceil(pace / Math.min(500, stallTimeout / 4)),
          now,
          core._baseUrl + '/health',
          requestInit('POST', '{}', core._direct),
        ]
        worker.postMessage(message)
      }
      worker.onmessage = ({ data }) => {
        if (!another) {
          core._heartbeat = 'worker'
          expectWorker()
          if (data[2] !== undefined) void beat(data)
          else if (data[0]) core._say(data[1] as string, data[0])
        }
        core.tick()
        sign()
        review().then(sign, () => {})
      }
      worker.onerror = () => {
        worker.terminate()
        core._heartbeat = 'page'
        schedule()
      }
      sign()
    })
  }

  if (!autoHealth || life._reason) return
  core._heartbeat = 'page'
  core._beatNow = () => {
    if (core._heartbeat === 'worker') return sign(true)
    started = core._now()
    schedule()
    void beat()
  }
  core._beatNow()
  // Only with a verdict, or beats would go out before `check` has spoken.
  if (worker) review().then(startWorker, () => {})
  // How often to beat is written in the GameServer.
  core._send(life, 'getGameServer').then(schedule, () => {})
}
