import type { Core } from '../core.js'
import { named, type SidecarError } from '../errors.js'
import { healthRulesOf, type HealthRules } from '../game-server.js'
import type { ResolvedAutoHealth } from '../options.js'
import { race, throwIfAborted } from '../signals.js'
import type { Timers } from '../timers.js'
import type { AbortSignalLike } from '../option-types.js'

/** The state of the beats, in plain properties, which even a closing page can read. */
export interface Heartbeat {
  /** The clock that times the beats of `autoHealth`, if it is on. */
  sender?: 'worker' | 'page'
  /** The last good beat, ms since the Unix epoch. */
  lastBeat?: number
  /** Whether the last beat succeeded; undefined before the first beat. */
  healthy?: boolean | undefined
  /** Beats that the sidecar took, and those that failed or were held back. */
  readonly beats: { ok: number; failed: number }
  /** Why the last beat failed or was held back. */
  reason?: string | undefined
  rules(): HealthRules
  /** The game has given a sign of life. */
  alive(): void
  /**
   * Records the outcome of a beat.
   *
   * @param at ms since the Unix epoch, where it wasn't just now
   */
  tell(reason: string | undefined, at?: number): void
  /** Records that a beat was sent. */
  sent(error?: SidecarError): void
}

/** What the page tells its worker, so that the worker can beat in its place. */
export type Sign = readonly [
  /** ms until the next beat is due */
  due: number,
  /** ms for which beats may continue without another sign of life; 0: send no beats */
  left: number,
  /** ms between beats */
  rhythm: number,
  /** ms between two checks of the clock by the worker */
  step: number,
]

/** The reason given while no beats are requested. */
const DISABLED = 'spec.health.disabled'
const WAITING = 'waiting for the sidecar'

const ignore = (): void => {}

/** Records and reports the outcomes of beats; sends no beats. */
export function createHeartbeat(
  { timers, connection, state, emit }: Core,
  { interval }: ResolvedAutoHealth,
): Heartbeat {
  let lastGood = timers.now()
  const heartbeat: Heartbeat = {
    rules: () => healthRulesOf(state.last, interval),
    alive: ignore,
    beats: { ok: 0, failed: 0 },

    tell(reason, at = Date.now()) {
      if (reason !== DISABLED) heartbeat.beats[reason ? 'failed' : 'ok']++
      if (heartbeat.reason === reason && (reason === DISABLED || reason === WAITING)) return
      // A worker's report may have waited for a busy page, so use the report's own time throughout.
      const now = timers.now() - Date.now() + at
      const ok = reason === WAITING ? undefined : !reason || reason === DISABLED
      heartbeat.reason = reason
      heartbeat.healthy = ok
      if (ok) {
        lastGood = now
        heartbeat.lastBeat = at
      }
      const { rhythm, limit } = heartbeat.rules()
      const age = now - lastGood
      emit('health', { ok, at, reason, age, limit, atRisk: !!limit && age + 2 * rhythm >= limit })
    },

    sent: (error) => heartbeat.tell(error && (connection.wasUp ? named(error, 'health').message : WAITING)),
  }
  return heartbeat
}

/** Asks the game's own `check` whether beats may go out. Returns the reason if they may not. */
async function ask(
  life: AbortSignalLike,
  timers: Timers,
  { check, stallTimeout }: ResolvedAutoHealth,
): Promise<string | undefined> {
  try {
    const answer = Promise.resolve().then(check)
    const isGood = await timers.within(stallTimeout, (signal) => race(signal, answer), life)
    return isGood ? undefined : 'check() said no'
  } catch (error) {
    throwIfAborted(life)
    return 'check() failed: ' + String(error)
  }
}

/**
 * Sends beats at a steady interval, whatever the outcome of each: at most two are in flight.
 *
 * @param startWorker starts a worker that keeps the rhythm where a page can't
 */
export function startBeating(
  { life, timers, connection, send }: Core,
  heartbeat: Heartbeat,
  settings: ResolvedAutoHealth,
  startWorker?: (sign: (maySend: boolean) => Sign) => void,
): void {
  const { stallTimeout } = settings
  let verdict: string | undefined = 'not asked'
  let aliveAt: number | undefined
  let startedAt = 0
  let inFlight = 0
  let isSearching = false
  let cancel = ignore

  /** ms since the last sign of life. Unless the game calls `alive()`, running this code is the sign. */
  const silence = (): number => (aliveAt === undefined ? 0 : timers.now() - aliveAt)

  /** The reason why beats are held back now, if they are. */
  const held = (): string | undefined =>
    heartbeat.rules().disabled ? DISABLED : silence() >= stallTimeout ? 'stalled' : verdict

  async function beat(): Promise<void> {
    inFlight++
    verdict = await ask(life, timers, settings)
    const reason = held()
    if (reason) heartbeat.tell(reason)
    else {
      // A little less than two rhythms: a longer wait would still be in flight when the next beat but one is due.
      const timeout = Math.max(1.9 * heartbeat.rules().rhythm, 1000)
      const { error } = await connection.ask(life, { operation: 'health', timeout })
      heartbeat.sent(error)
    }
    inFlight--
    if (connection.isUp === false && !isSearching) void search()
  }

  /** Beats at once when a sidecar that was lost is back, since the next beat may be far. */
  async function search(): Promise<void> {
    isSearching = true
    await connection.whenUp(life).catch(ignore)
    isSearching = false
    if (connection.isUp && heartbeat.reason && !inFlight) beatNow()
  }

  /** The interval restarts here. */
  function beatNow(): void {
    startedAt = timers.now()
    schedule()
    // Beats never pile up behind a sidecar that doesn't answer.
    if (inFlight < 2) beat().catch(ignore)
  }

  /** Called again once the interval is known. */
  function schedule(): void {
    cancel()
    cancel = timers.after(Math.max(0, startedAt + heartbeat.rules().rhythm - timers.now()), beatNow)
  }

  heartbeat.sender = 'page'
  heartbeat.alive = () => {
    const isBack = silence() >= stallTimeout
    aliveAt = timers.now()
    if (isBack) beatNow()
  }
  beatNow()
  if (settings.worker && startWorker)
    startWorker((maySend) => {
      const { rhythm } = heartbeat.rules()
      const due = startedAt + rhythm - timers.now()
      const left = maySend && !held() ? stallTimeout - silence() : 0
      return [due, left, rhythm, Math.min(rhythm, stallTimeout, 2000) / 4]
    })
  // The GameServer contains the interval of beats.
  send(life, 'getGameServer').then(schedule, ignore)
}
