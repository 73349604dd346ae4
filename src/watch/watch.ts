import type { Core } from '../client/core.js'
import { isForeign } from '../client/direct.js'
import { fail, toSidecarError, type SidecarError } from '../client/errors.js'
import { pick } from '../client/host.js'
import { isPassing } from '../client/link.js'
import { backoff } from '../client/retry.js'
import { createScope, type Scope } from '../client/scope.js'
import type { Transport } from '../client/types.js'
import { isToldByWatch } from './order.js'
import { parseMessage, transports } from './transport.js'

/** ms for a first object where the other transport is at hand, so that it is there within 5 s. */
const firstObjectTimeout = 2000
/** ms after the first object: a change that came while the stream was being registered was lost. */
const settleTime = 100
/** ms in which the watch may still tell by itself what a GET has found. */
const grace = 500
/** ms, and up to twice that, after which a connection is replaced by a new one. */
const reopenAfter = 300000

/** Why a connection ends whose place another has taken. */
const replaced = {}

/**
 * Keeps one watch open, over whichever transport works, and checks by a GET now and then that it tells the truth.
 * It lasts until its scope ends; it ends that itself, with the error, where trying again can't help.
 */
export function startWatch(core: Core, watchScope: Scope): void {
  /** A stream is an answer, which can't be read in direct mode: there, it is the WebSocket or nothing. */
  const isAuto = (): boolean => core.watch === 'auto' && !core._direct
  /** The connection that counts: its first object has come. */
  let current: Scope | undefined
  let attempt = 0
  let failures = 0
  /** How often in a row a WebSocket stood and ended before its first object: a dial that nobody took says nothing. */
  let ended = 0
  let fallback: string | undefined
  let received = 0
  let lastReceived = 0
  let reported: string | undefined
  /** The latest attempt to read was kept from this origin. */
  let denied: SidecarError | undefined
  let check = createScope(watchScope)
  let reopening = check

  /** One connection, from the dial to its end. Without a delay, at once: as a replacement for the present one. */
  async function dial(delay?: number): Promise<void> {
    const scope = createScope(watchScope)
    let transport: Transport = 'stream'
    try {
      if (delay !== undefined) {
        await core._sleep(scope, delay)
        // Where no GET can be had (another origin), the watch itself is how one finds out; but that is said, once.
        denied = undefined
        await core._whenUp(scope).then(null, (error: SidecarError) => {
          if (scope._reason) return
          if (reported !== error.code) core._emit('error', error)
          reported = error.code
          if (reported === 'CROSS_ORIGIN') denied = error
        })
        await core._turn(scope)
        if (scope._reason) return
      }
      const auto = isAuto()
      if (auto && !pick(core, 'WebSocket')) fallback = 'No WebSocket here'
      transport = core._direct || (auto && !fallback) ? 'websocket' : auto ? 'stream' : (core.watch as Transport)
      const patience = core._limit(scope, auto && !fallback ? firstObjectTimeout : core.timeout)
      await transports[transport](core, scope, (text) => {
        try {
          const gameServer = parseMessage(scope, text)
          patience._end()
          if (current !== scope) adopt(scope, transport)
          received++
          lastReceived = core._now()
          core._offer(gameServer)
        } catch (thrown) {
          // A line that makes no sense is skipped; an error that the sidecar sends ends this connection.
          const error = toSidecarError(thrown, 'PROTOCOL', 'Not a GameServer', scope)
          if (error.status! > 200) scope._end(error)
          else core._emit('error', error)
        }
      })
    } catch (error) {
      if (!watchScope._reason && error !== replaced)
        lose(scope, transport, toSidecarError(error, 'UNAVAILABLE', 'The watch ended', scope))
    }
  }

  /** The first object has come: only now does the connection count. */
  function adopt(scope: Scope, transport: Transport): void {
    if (current) current._end(replaced)
    current = scope
    attempt = failures = ended = 0
    reported = undefined
    // The probe's own WebSocket had not been answered, but this one is.
    if (denied && isForeign(core)) core._direct = core.crossOrigin !== 'never'
    denied = undefined
    core._setUp(true)
    core._setConnection('connected', transport, transport === 'stream' ? fallback : undefined)
    verifyIn(settleTime)
    reopenLater()
  }

  /** A connection that is quiet for long may be dead unnoticed: a new one takes its place before it is closed. */
  function reopenLater(): void {
    reopening._end()
    reopening = core._after(watchScope, (1 + core.random()) * reopenAfter, () => {
      if (!current) return
      fallback = undefined // and the WebSocket gets another chance
      void dial()
      reopenLater()
    })
  }

  function lose(scope: Scope, transport: Transport, reason: SidecarError): void {
    const stood = scope._status! < 300
    const live = current === scope
    scope._end()
    if (!live && transport === 'websocket') {
      failures++
      // Open but silent is a known fault of some sidecars; so is one that ends before each object over 64 KiB.
      if (isAuto() && (current || failures > 1 || reason.code !== 'UNAVAILABLE')) fallback = reason.message
      else if (stood && ++ended === 2)
        core._emit(
          'error',
          fail('LIMIT', 'The WebSocket ends before each object', scope, "Over 64 KiB, use watch: 'auto'.", reason),
        )
    }
    if (current && !live) return // it was to be a replacement
    current = undefined
    const { code, status, message } = reason
    const passing = isPassing(reason)
    // What no later attempt can change: somebody answers, and it is no sidecar.
    const fatal = code === 'CONFIG' || (scope._refused && (status === 501 || (status! < 500 && !passing)))
    if (fatal || (!passing && reported !== code)) core._emit('error', reason)
    if (!passing) reported = code
    // Who told this watch to stop is about to stop what it stands before.
    const signal = live && /\((SIG[A-Z]+)\)/.exec(message)
    if (signal) core._emit('signal', { signal: signal[1]! })
    // Those who wait are told; the watch goes on trying, since a proxy may say so while the sidecar is starting.
    if (denied) {
      core._hope!._end(denied)
      core._hope = createScope(watchScope)
    }
    core._setConnection(fatal ? 'failed' : undefined, undefined, message)
    if (fatal) return watchScope._end(reason)
    if (!stood) core._setUp(false, reason)
    void dial(live ? 0 : backoff(core, attempt++))
  }

  function verifyIn(ms: number): void {
    check._end()
    check = core._after(watchScope, ms, () => {
      const rest = ms - core._now() + lastReceived
      if (ms > settleTime && current && rest > 0) verifyIn(Math.max(rest, settleTime + 1))
      else void verify()
    })
  }

  const verify = (core._verify = async (): Promise<void> => {
    const seen = received
    const checked = current
    let next = core.verifyInterval
    try {
      await core._turn(watchScope)
      const found = await core._probe(watchScope)
      reported = undefined
      if (!core._last || isToldByWatch(core._last, found)) await core._sleep(watchScope, grace)
      const last = core._last
      if (received !== seen)
        next = settleTime * 10 // it is talking: look again once it is quiet
      else {
        core._offer(found)
        const missed = last && isToldByWatch(last, found) && core._last === found
        if (missed && current && current === checked) void dial()
      }
    } catch (error) {
      const reason = error as SidecarError
      if (watchScope._reason) return
      if (isPassing(reason)) {
        // Whoever is about to end refuses what is new before all who watch have been told why.
        await core._sleep(watchScope, grace).then(null, () => {})
        if (checked && checked === current && received === seen) checked._end(reason)
      } else if (reported !== reason.message) {
        reported = reason.message
        core._emit('error', reason)
      }
    }
    if (next) verifyIn(next)
  })

  core._hope = createScope(watchScope)
  if (core._connection.state !== 'connected') core._setConnection()
  verifyIn(core.verifyInterval || Infinity)
  void dial(0)
}
