import type { GameServer } from '../protocol/game-server.js'
import type { Calls } from './calls.js'
import type { Connection } from './connection.js'
import { named, type SidecarError } from './errors.js'
import type { ResolvedAutoHealth } from './options.js'
import type { State } from './state.js'
import { throwIfAborted } from './time.js'
import type { CallOptions, Outcome } from './types.js'

/** ms between beats if the GameServer gives no period */
const DEFAULT_RHYTHM = 2000

/**
 * The platform's rules for beats.
 *
 * @param interval ms between beats, if the user has chosen it
 */
export function healthRulesOf(gameServer: GameServer | undefined, interval: number | undefined) {
  const { disabled, period_seconds = 0, failure_threshold = 0 } = gameServer?.spec?.health ?? {}
  const period = period_seconds * 1000
  return {
    disabled: !!disabled,
    /** ms between beats */
    rhythm: interval || period / 2 || DEFAULT_RHYTHM,
    /** ms without a beat after which the GameServer is Unhealthy; undefined if not stated, or if no beat is wanted */
    limit: (!disabled && period * failure_threshold) || undefined,
  }
}

/** The reason given while no beats are requested. */
const DISABLED = 'spec.health.disabled'
const WAITING = 'waiting for the sidecar'

const ignore = (): void => {}

export type Heartbeat = ReturnType<typeof createHeartbeat>

export function createHeartbeat(
  { interval, check, stallTimeout }: ResolvedAutoHealth,
  { run, send }: Calls,
  connection: Connection,
  state: State,
) {
  const { time } = connection
  const rules = () => healthRulesOf(state.last, interval)
  /** When the game last called `alive()`, if it ever has. */
  let aliveAt: number | undefined
  const isStalled = (): boolean => aliveAt !== undefined && time.now() - aliveAt >= stallTimeout
  let lastGood = time.now()
  let startedAt = 0
  let inFlight = 0
  let isSearching = false
  let cancel = ignore

  /** Plain properties, which even a closing page can read. */
  const heartbeat = {
    /** The clock that times the beats of `autoHealth`, if it is on. */
    sender: undefined as 'worker' | 'page' | undefined,
    /** The last good beat, ms since the Unix epoch. */
    lastBeat: undefined as number | undefined,
    /** Whether the last beat succeeded; undefined before the first beat. */
    healthy: undefined as boolean | undefined,
    /** Why the last beat failed or was held back. */
    reason: undefined as string | undefined,

    /** The game has given a sign of life. */
    alive(): void {
      if (!heartbeat.sender) return
      const isBack = isStalled()
      aliveAt = time.now()
      if (isBack) beatNow()
    },

    health: (options?: CallOptions): Promise<Outcome> =>
      run('health', options, async (task) => {
        try {
          const { unread } = await send(task, 'health')
          sent()
          return unread ? 'sent' : 'accepted'
        } catch (error) {
          // A call that its caller aborted says nothing about the sidecar.
          if (!task.aborted) sent(error as SidecarError)
          throw error
        }
      }),

    /** Sends beats at a steady interval, whatever the outcome of each: at most two are in flight. */
    start(): void {
      heartbeat.sender = 'page'
      beatNow()
      // The GameServer contains the interval of beats.
      send(time.life, 'getGameServer').then(schedule, ignore)
    },
  }

  /** Records and reports the outcome of a beat. */
  function record(reason: string | undefined): void {
    if (heartbeat.reason === reason && (reason === DISABLED || reason === WAITING)) return
    const now = time.now()
    const at = Date.now()
    const ok = reason === WAITING ? undefined : !reason || reason === DISABLED
    heartbeat.reason = reason
    heartbeat.healthy = ok
    if (!reason) {
      lastGood = now
      heartbeat.lastBeat = at
    }
    const { rhythm, limit } = rules()
    const age = now - lastGood
    state.emit('health', { ok, at, reason, age, limit, atRisk: !!limit && age + 2 * rhythm >= limit })
  }

  const sent = (error?: SidecarError): void =>
    record(error && (connection.wasUp ? named(error, 'health').message : WAITING))

  /** The reason to hold the next beat back, if there is one. */
  async function holdBack(): Promise<string | undefined> {
    try {
      const answer = await time.race(time.life, Promise.resolve().then(check), stallTimeout)
      if (answer === false) return 'check() said no'
    } catch (error) {
      throwIfAborted(time.life)
      return 'check() failed: ' + String(error)
    }
    return isStalled() ? 'stalled' : undefined
  }

  async function beat(): Promise<void> {
    inFlight++
    const reason = rules().disabled ? DISABLED : await holdBack()
    if (reason) record(reason)
    else {
      // Just under two rhythms, so that at most two beats are in flight.
      const timeout = Math.max(1.9 * rules().rhythm, 1000)
      sent((await connection.ask(time.life, { operation: 'health', timeout })).error)
    }
    inFlight--
    if (connection.isUp === false && !isSearching) void search()
  }

  /** Beats at once when a sidecar that was lost is back, since the next beat may be far. */
  async function search(): Promise<void> {
    isSearching = true
    await connection.whenUp(time.life).catch(ignore)
    isSearching = false
    if (connection.isUp && heartbeat.reason && !inFlight) beatNow()
  }

  /** The interval restarts here. */
  function beatNow(): void {
    startedAt = time.now()
    schedule()
    // Beats never pile up behind a sidecar that doesn't answer.
    if (inFlight < 2) beat().catch(ignore)
  }

  /** Called again once the interval is known. */
  function schedule(): void {
    cancel()
    cancel = time.after(startedAt + rules().rhythm - time.now(), beatNow)
  }

  return heartbeat
}
