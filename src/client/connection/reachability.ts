import type { OperationName } from '../../protocol/operations.js'
import type { GameServer } from '../../protocol/game-server.js'
import { isPassing, type SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { Attempted } from './answer.js'
import type { Attempt, Call } from './attempt.js'
import type { SendHttp } from './exchange.js'
import type { Pacing } from './pacing.js'

/** ms that a GET may take if it only asks whether the sidecar is there: a dead one must be noticed within 15 s. */
const PROBE_TIMEOUT = 4000
/** ms after which a sidecar that has never answered is worth a warning. */
const ABSENCE_WARNING = 2000

export interface ReachabilityChange {
  readonly up: boolean
  /** It was down, or nothing was known, until now. */
  readonly isNew: boolean
  readonly reason: SidecarError | undefined
  /** The operation whose answer showed it. */
  readonly operation: OperationName | undefined
}

/** Knows whether the sidecar answers, and finds out when nobody knows. */
export interface Reachability {
  /** Whether the last exchange got an answer; undefined before the first. */
  readonly isUp: boolean | undefined
  /** Whether it was ever up. */
  readonly wasUp: boolean
  /** One attempt whose outcome is noted. */
  attempt(scope: Scope, call: Call, send?: SendHttp): Promise<Attempted>
  /** Asks for the GameServer, to see whether anybody answers. */
  probe(scope: Scope): Promise<GameServer>
  /** Resolves when the sidecar answers: at once, or after a search that all who wait share. */
  whenUp(scope: Scope): Promise<void>
  /** Notes what was found out by other means than an attempt. */
  note(up: boolean, reason?: SidecarError): void
}

export interface ReachabilityListener {
  onChange(change: ReachabilityChange): void
  /** Each GameServer that a probe has read goes there. */
  onRead(gameServer: GameServer): void
  /**
   * Called when a sidecar that has never answered is still not there 2 s after it was asked for, and with the reason
   * whenever it was found and refuses this page.
   */
  onAbsent(reason?: SidecarError): void
}

export function createReachability(
  life: Scope,
  attempt: Attempt,
  timers: Timers,
  pacing: Pacing,
  { onChange, onRead, onAbsent }: ReachabilityListener,
): Reachability {
  const waiters = new Map<Scope, () => void>()
  let searching: Scope | undefined
  /** Searches that found nobody, in a row; also from one search to the next. */
  let searchFailures = 0
  let searchAgainAt = 0
  /** Set when the first search begins. */
  let absence: Scope | undefined

  const reachability = {
    isUp: undefined as boolean | undefined,
    wasUp: false,
    note,

    async attempt(scope: Scope, call: Call, send?: SendHttp): Promise<Attempted> {
      const attempted = await attempt(scope, call, send)
      const { answered, error } = attempted
      if (answered !== undefined) note(answered, answered ? undefined : error, call.operation)
      return attempted
    },

    async probe(scope: Scope): Promise<GameServer> {
      const { error, body } = await read(scope)
      if (error) throw error
      return body as unknown as GameServer
    },

    async whenUp(scope: Scope): Promise<void> {
      if (reachability.isUp) return
      await scope.wait<undefined>((resolve, wait) => {
        waiters.set(wait, () => resolve(undefined))
        wait.onEnd(() => {
          waiters.delete(wait)
          // Nobody waits any more: nothing may go on dialling.
          if (searching && !waiters.size) searching.end()
        })
        if (!searching) startSearch()
      })
    },
  }

  function note(up: boolean, reason?: SidecarError, operation?: OperationName): void {
    const isNew = reachability.isUp !== up
    reachability.isUp = up
    if (up) {
      reachability.wasUp = true
      if (absence) absence.end()
      // In direct mode a beat gets through where nothing can be read.
      if (operation !== 'health') searchFailures = 0
    }
    if (!up || isNew) onChange({ up, isNew, reason, operation })
    if (up) waiters.forEach((resolve) => resolve())
  }

  async function read(scope: Scope): Promise<Attempted> {
    const attempted = await reachability.attempt(scope, { operation: 'getGameServer', timeout: PROBE_TIMEOUT })
    if (attempted.body) onRead(attempted.body as unknown as GameServer)
    return attempted
  }

  /** Asks until somebody answers, or until nobody waits any more. */
  async function search(scope: Scope): Promise<void> {
    for (;;) {
      const wait = searchAgainAt - timers.now()
      if (searchFailures && wait > 0) await timers.sleep(scope, wait)
      await pacing.turn(scope)
      const { error, retryAfter = 0 } = await read(scope)
      if (!error) return
      searchAgainAt = timers.now() + Math.max(retryAfter, pacing.backoff(searchFailures))
      searchFailures++
      if (error.code === 'CROSS_ORIGIN') onAbsent(error)
      // A search that was given up must not end waits that have begun since.
      if (scope.reason) return
      if (!isPassing(error)) waiters.forEach((_, wait) => wait.end(error))
    }
  }

  function startSearch(): void {
    const scope = (searching = new Scope(life))
    scope.onEnd(() => (searching = undefined))
    if (!reachability.wasUp) absence ??= timers.after(life, ABSENCE_WARNING, onAbsent)
    // It only fails by ending.
    search(scope).then(
      () => scope.end(),
      () => {},
    )
  }

  return reachability
}
