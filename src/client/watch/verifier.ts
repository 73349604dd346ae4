import type { Pacing } from '../connection/pacing.js'
import type { Reachability } from '../connection/reachability.js'
import { isToldByWatch } from '../game-server/order.js'
import type { GameServerStore } from '../game-server/store.js'
import { isPassing, type SidecarError } from '../runtime/errors.js'
import type { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { WatchConnection } from './connection.js'

/** ms from the first object to the first check: a change is lost if it comes while the stream is being registered. */
const SETTLE_TIME = 100
/** ms in which the watch may still tell by itself what a GET has found. */
const GRACE = 500

/** Checks now and then, by a read, that the watch tells the truth. */
export interface Verifier {
  /** A connection has been established: look soon. */
  established(): void
  /** The watch has told something. */
  heard(): void
  /** Looks now. Never rejects. */
  verify(): Promise<void>
}

interface Parts {
  readonly scope: Scope
  readonly timers: Timers
  readonly pacing: Pacing
  readonly reachability: Reachability
  readonly store: GameServerStore
  /** ms; 0 for no checks but the first */
  readonly interval: number
  /** The established connection. */
  current(): WatchConnection | undefined
  /** Called when the established connection has missed a change. */
  onMissed(): void
  onError(error: SidecarError): void
}

export function createVerifier(parts: Parts): Verifier {
  const { scope, timers, pacing, reachability, store, interval, current, onMissed, onError } = parts
  let timer: Scope | undefined
  let received = 0
  let lastReceived = 0
  /** The same trouble is told once, until a check has gone well in between. */
  let reported: string | undefined

  function verifyIn(ms: number): void {
    timer?.end()
    timer = timers.after(scope, ms, () => {
      const rest = ms - timers.now() + lastReceived
      // A watch that talks needs no question.
      if (ms > SETTLE_TIME && current() && rest > 0) verifyIn(Math.max(rest, SETTLE_TIME + 1))
      else void verify()
    })
  }

  async function verify(): Promise<void> {
    const seen = received
    const connection = current()
    let next = interval
    try {
      await pacing.turn(scope)
      const found = await reachability.probe(scope)
      reported = undefined
      if (!store.last || isToldByWatch(store.last, found)) await timers.sleep(scope, GRACE)
      // It is talking: look again once it is quiet.
      if (received !== seen) next = SETTLE_TIME * 10
      else {
        const { last } = store
        const missed = store.offer(found) && last && isToldByWatch(last, found)
        if (missed && connection && connection === current()) onMissed()
      }
    } catch (error) {
      if (scope.reason) return
      const reason = error as SidecarError
      if (!isPassing(reason)) {
        if (reported !== reason.message) onError(reason)
        reported = reason.message
      } else {
        // A sidecar or gateway that is about to end refuses new requests before it has told every watch why.
        await timers.sleep(scope, GRACE).catch(() => {})
        if (connection && connection === current() && received === seen) connection.close(reason)
      }
    }
    if (next) verifyIn(next)
  }

  if (interval) verifyIn(interval)
  return {
    verify,
    established: () => verifyIn(SETTLE_TIME),
    heard() {
      received++
      lastReceived = timers.now()
    },
  }
}
