import { SidecarError } from '../client/errors.js'
import { isPassing, probeTimeout, type Link } from '../client/link.js'
import { backoff } from '../client/retry.js'
import { createScope, type Scope } from '../client/scope.js'
import type { Timers } from '../client/timers.js'
import type { ClientOptions, ConnectionState, RetryPolicy, Transport } from '../client/types.js'
import type { GameServer } from '../protocol/game-server.js'
import { operations } from '../protocol/operations.js'
import { isGameServer, isToldByWatch } from './order.js'
import { hasWebSocket, parseMessage, transports } from './transport.js'

/** ms for a first object where the other transport is at hand, so that it is there within 5 s. */
const firstObjectTimeout = 2000
/** ms after the first object: a change that came while the stream was being registered was lost. */
const settleTime = 100
/** ms in which the watch may still tell by itself what a GET has found. */
const grace = 500

export interface WatchDeps {
  _options: ClientOptions
  _timers: Timers
  _random: () => number
  _policy: Required<RetryPolicy>
  _link: Link
  /** Ends when the watch is to stop; ended by the watch itself, with the error, where trying again can't help. */
  _scope: Scope
  _last(): GameServer | undefined
  /** Hands an object on, unless it is old or known. */
  _offer(gameServer: GameServer): void
  _setConnection(state: ConnectionState, transport?: Transport, reason?: string): void
  _report(error: SidecarError): void
}

interface Connection {
  readonly _transport: Transport
  readonly _scope: Scope
  readonly _stopWaiting: () => void
  _opened: boolean
  _live: boolean
}

/** Keeps one watch open, over whichever transport works, and checks by a GET now and then that it tells the truth. */
export function startWatch(deps: WatchDeps): void {
  const { _options: options, _timers: timers, _link: link, _scope: watchScope } = deps
  const mode = options.watch ?? 'auto'
  const interval = options.verifyInterval ?? 10000
  let current: Connection | undefined
  let attempt = 0
  let failures = 0
  let fallback: string | undefined
  let received = 0
  let lastReceived = 0
  let wasConnected = false
  let reportedError: string | undefined
  let cancelVerify = (): void => {}
  let cancelReopen = (): void => {}

  function chooseTransport(): Transport {
    if (mode !== 'auto') return mode
    if (hasWebSocket(options) && fallback === undefined) return 'websocket'
    fallback = fallback ?? 'This host has no WebSocket'
    return 'stream'
  }

  function dial(): void {
    const transport = chooseTransport()
    const scope = createScope(watchScope)
    const limit = mode === 'auto' && transport === 'websocket' ? firstObjectTimeout : (options.timeout ?? 10000)
    const connection: Connection = {
      _transport: transport,
      _scope: scope,
      _stopWaiting: timers._after(limit, () =>
        lose(connection, new SidecarError('TIMEOUT', 'No object came over the ' + transport)),
      ),
      _opened: false,
      _live: false,
    }
    scope._onEnd(connection._stopWaiting)
    transports[transport](options, scope, link._url(operations.watchGameServer[1]), {
      _onOpen() {
        connection._opened = true
      },
      _onMessage(text) {
        const { _object, _error } = parseMessage(text)
        if (_error) return deps._report(_error)
        if (!isGameServer(_object))
          return deps._report(new SidecarError('PROTOCOL', 'Not a GameServer: ' + text.slice(0, 1024)))
        if (!connection._live) adopt(connection)
        received++
        lastReceived = timers._now()
        deps._offer(_object)
      },
      _onEnd: (reason) => lose(connection, reason),
    })
  }

  /** The first object has come: only now does the connection count. */
  function adopt(connection: Connection): void {
    const previous = current
    connection._stopWaiting()
    connection._live = wasConnected = true
    current = connection
    if (previous) previous._scope._end(0)
    attempt = failures = 0
    reportedError = undefined
    link._setUp(true)
    deps._setConnection('connected', connection._transport, connection._transport === 'stream' ? fallback : undefined)
    verifyIn(settleTime)
    reopenLater()
  }

  /** A connection that is quiet for long may be dead unnoticed: a new one takes its place before it is closed. */
  function reopenLater(): void {
    cancelReopen()
    cancelReopen = timers._after((1 + deps._random()) * 300000, () => {
      fallback = undefined // and the WebSocket gets another chance
      dial()
      reopenLater()
    })
  }

  function lose(connection: Connection, reason: SidecarError): void {
    connection._scope._end(0)
    const replaced = current && current !== connection
    if (!connection._live && connection._transport === 'websocket') {
      failures++
      // Open but silent is a known fault of some sidecars; so is one that ends before each object over 64 KiB.
      if (mode === 'auto' && (replaced || failures > 1 || reason.code === 'TIMEOUT' || reason.code === 'LIMIT'))
        fallback = reason.message
      else if (failures === 2 && connection._opened)
        deps._report(
          new SidecarError('LIMIT', 'The WebSocket ends before each object', {
            operation: 'watchGameServer',
            cause: reason,
            hint: "A sidecar's WebSocket carries no object over 64 KiB: use watch: 'auto' where the host can stream HTTP.",
          }),
        )
    }
    if (replaced) return
    const wasLive = connection._live
    current = undefined
    if (isFatal(reason)) {
      deps._report(reason)
      deps._setConnection('failed', undefined, reason.message)
      return watchScope._end(reason)
    }
    if (reason.code !== 'UNAVAILABLE' && reason.code !== 'TIMEOUT' && reportedError !== reason.code) {
      reportedError = reason.code
      deps._report(reason)
    }
    deps._setConnection(wasConnected ? 'reconnecting' : 'connecting', undefined, reason.message)
    if (!connection._opened) link._setUp(false, reason)
    void reconnect(wasLive ? 0 : backoff(deps._policy, attempt++, deps._random))
  }

  async function reconnect(delay: number): Promise<void> {
    try {
      if (delay) await timers._sleep(watchScope, delay)
      // Where no GET can be had (another origin), the watch itself is how one finds out.
      await link._whenUp(watchScope).then(null, () => {})
      await link._turn(watchScope)
    } catch {
      return // the watch has ended
    }
    if (watchScope._reason === undefined && !current) dial()
  }

  function verifyIn(ms: number): void {
    cancelVerify()
    cancelVerify = timers._after(ms, () => {
      const quiet = timers._now() - lastReceived
      if (ms > settleTime && current && quiet < ms) verifyIn(Math.max(ms - quiet, settleTime + 1))
      else void verify()
    })
  }

  async function verify(): Promise<void> {
    const seen = received
    const checked = current
    let next = interval
    try {
      const found = await link._attempt(
        watchScope, 'getGameServer', operations.getGameServer[1], undefined, probeTimeout,
      )
      if (isGameServer(found)) {
        reportedError = undefined
        const last = deps._last()
        if (!last || isToldByWatch(last, found)) await timers._sleep(watchScope, grace)
        if (received !== seen) next = settleTime * 10
        else {
          const known = deps._last()
          const missed = known && isToldByWatch(known, found)
          deps._offer(found)
          if (missed && deps._last() === found && current === checked) dial()
        }
      }
    } catch (error) {
      if (watchScope._reason !== undefined) return
      if (isPassing(error)) {
        if (checked && checked === current && received === seen) lose(checked, error as SidecarError)
      } else if (reportedError !== (error as SidecarError).message) {
        reportedError = (error as SidecarError).message
        deps._report(error as SidecarError)
      }
    }
    if (next) verifyIn(next)
  }

  watchScope._onEnd(() => {
    cancelVerify()
    cancelReopen()
  })
  deps._setConnection('connecting')
  if (interval) verifyIn(interval)
  void reconnect(0)
}

/** What no later attempt can change: somebody answers, and it isn't a sidecar that has this watch. */
function isFatal({ code, status }: SidecarError): boolean {
  return code === 'CONFIG' || (status !== undefined && status < 500 && status !== 429 && status !== 408) || status === 501
}
