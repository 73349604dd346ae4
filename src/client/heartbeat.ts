import type { Calls } from './calls.js'
import type { Connection } from './connection.js'
import { named, type SidecarError } from './errors.js'
import { healthRulesOf } from './game-server.js'
import type { ResolvedAutoHealth } from './options.js'
import type { State } from './state.js'
import { throwIfAborted, type Time } from './time.js'
import type { SidecarClient } from './types.js'

/** The state of the beats, in plain properties, which even a closing page can read. */
export interface Heartbeat extends Pick<SidecarClient, 'health'> {
  /** The clock that times the beats of `autoHealth`, if it is on. */
  sender?: 'worker' | 'page'
  /** The last good beat, ms since the Unix epoch. */
  lastBeat?: number
  /** Whether the last beat succeeded; undefined before the first beat. */
  healthy?: boolean | undefined
  /** Why the last beat failed or was held back. */
  reason?: string | undefined
  /** The game has given a sign of life. */
  alive(): void
  /** Sends beats at a steady interval, whatever the outcome of each: at most two are in flight. */
  start(): void
}

/** The reason given while no beats are requested. */
const DISABLED = 'spec.health.disabled'
const WAITING = 'waiting for the sidecar'

const ignore = (): void => {}

export function createHeartbeat(
  settings: ResolvedAutoHealth,
  { run, send }: Calls,
  connection: Connection,
  state: State,
): Heartbeat {
  const { time } = connection
  const rules = () => healthRulesOf(state.last, settings.interval)
  let lastGood = time.now()

  /** Records and reports the outcome of a beat. */
  function tell(reason: string | undefined): void {
    if (heartbeat.reason === reason && (reason === DISABLED || reason === WAITING)) return
    const now = time.now()
    const at = Date.now()
    const ok = reason === WAITING ? undefined : !reason || reason === DISABLED
    heartbeat.reason = reason
    heartbeat.healthy = ok
    if (ok) {
      lastGood = now
      heartbeat.lastBeat = at
    }
    const { rhythm, limit } = rules()
    const age = now - lastGood
    state.emit('health', { ok, at, reason, age, limit, atRisk: !!limit && age + 2 * rhythm >= limit })
  }

  const sent = (error?: SidecarError): void =>
    tell(error && (connection.wasUp ? named(error, 'health').message : WAITING))

  const heartbeat: Heartbeat = {
    alive: ignore,

    health: (options) =>
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

    start() {
      const held = createCheck(settings, time)
      let startedAt = 0
      let inFlight = 0
      let isSearching = false
      let cancel = ignore

      async function beat(): Promise<void> {
        inFlight++
        const reason = rules().disabled ? DISABLED : await held.ask()
        if (reason) tell(reason)
        else {
          // A little less than two rhythms: a longer wait would still be in flight when the next beat but one is due.
          const timeout = Math.max(1.9 * rules().rhythm, 1000)
          const { error } = await connection.ask(time.life, { operation: 'health', timeout })
          sent(error)
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

      heartbeat.sender = 'page'
      heartbeat.alive = () => {
        if (held.alive()) beatNow()
      }
      beatNow()
      // The GameServer contains the interval of beats.
      send(time.life, 'getGameServer').then(schedule, ignore)
    },
  }
  return heartbeat
}

/** Whether the game is alive: by its calls of `alive()`, once there was one, and by its own `check`. */
interface Check {
  /** Notes a sign of life. Returns whether it ends a silence that was too long. */
  alive(): boolean
  /** The reason to hold the next beat back, if there is one. */
  ask(): Promise<string | undefined>
}

function createCheck({ check, stallTimeout }: ResolvedAutoHealth, time: Time): Check {
  let aliveAt: number | undefined
  const isStalled = (): boolean => aliveAt !== undefined && time.now() - aliveAt >= stallTimeout
  return {
    alive() {
      const isBack = isStalled()
      aliveAt = time.now()
      return isBack
    },

    async ask() {
      try {
        const answer = await time.race(time.life, Promise.resolve().then(check), stallTimeout)
        if (answer === false) return 'check() said no'
      } catch (error) {
        throwIfAborted(time.life)
        return 'check() failed: ' + String(error)
      }
      return isStalled() ? 'stalled' : undefined
    },
  }
}
