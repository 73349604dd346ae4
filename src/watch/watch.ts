import { fail, type SidecarError } from '../client/errors.js'
import { pick } from '../client/host.js'
import { isPassing, probeTimeout, type Link } from '../client/link.js'
import type { ResolvedOptions } from '../client/options.js'
import { backoff } from '../client/retry.js'
import { createScope, type Scope } from '../client/scope.js'
import type { Timers } from '../client/timers.js'
import type { ConnectionState, Transport } from '../client/types.js'
import type { GameServer } from '../protocol/game-server.js'
import { operations } from '../protocol/operations.js'
import { isGameServer, isToldByWatch } from './order.js'
import { parseMessage, transports } from './transport.js'

/** ms for a first object where the other transport is at hand, so that it is there within 5 s. */
const firstObjectTimeout = 2000
/** ms after the first object: a change that came while the stream was being registered was lost. */
const settleTime = 100
/** ms in which the watch may still tell by itself what a GET has found. */
const grace = 500
/** ms, and up to twice that, after which a connection is replaced by a new one. */
const reopenAfter = 300000

const operation = 'watchGameServer'

export interface WatchListener {
  _last(): GameServer | undefined
  /** Takes an object, unless it is old or known. */
  _offer(gameServer: GameServer): void
  _setConnection(state: ConnectionState, transport?: Transport, reason?: string): void
  _report(error: SidecarError): void
}

interface Connection {
  _transport: Transport
  _scope: Scope
  _opened?: boolean
  _live?: boolean
}

/**
 * Keeps one watch open, over whichever transport works, and checks by a GET now and then that it tells the truth.
 * It lasts until its scope ends; it ends that itself, with the error, where trying again can't help.
 */
export function startWatch(
  options: ResolvedOptions,
  timers: Timers,
  link: Link,
  watchScope: Scope,
  listener: WatchListener,
): void {
  const auto = options.watch === 'auto'
  let current: Connection | undefined
  let attempt = 0
  let failures = 0
  let fallback: string | undefined
  let received = 0
  let lastReceived = 0
  let state: ConnectionState = 'connecting'
  let reported: string | undefined
  let cancelVerify = (): void => {}
  let cancelReopen = (): void => {}

  function dial(): void {
    if (auto && !pick(options, 'WebSocket')) fallback = 'No WebSocket here'
    const transport = auto ? (fallback ? 'stream' : 'websocket') : (options.watch as Transport)
    const scope = createScope(watchScope)
    const connection: Connection = { _transport: transport, _scope: scope }
    const stopWaiting = timers._after(
      auto && !fallback ? firstObjectTimeout : options.timeout,
      () => lose(connection, fail('TIMEOUT', 'No object came', operation)),
    )
    scope._onEnd(stopWaiting)
    transports[transport](
      options,
      scope,
      link._url(operations.watchGameServer[1]),
      () => {
        connection._opened = true
      },
      (text) => {
        try {
          const object = parseMessage(text)
          if (!isGameServer(object)) throw fail('PROTOCOL', 'Not a GameServer', operation)
          stopWaiting()
          if (!connection._live) adopt(connection)
          received++
          lastReceived = timers._now()
          listener._offer(object)
        } catch (error) {
          // A line that makes no sense is skipped; an error that the sidecar sends ends this connection.
          if ((error as SidecarError).status) lose(connection, error as SidecarError)
          else listener._report(error as SidecarError)
        }
      },
      (reason) => lose(connection, reason),
    )
  }

  /** The first object has come: only now does the connection count. */
  function adopt(connection: Connection): void {
    if (current) current._scope._end(0)
    current = connection
    connection._live = true
    attempt = failures = 0
    reported = undefined
    state = 'reconnecting'
    link._setUp(true)
    listener._setConnection('connected', connection._transport, connection._transport === 'stream' ? fallback : undefined)
    verifyIn(settleTime)
    reopenLater()
  }

  /** A connection that is quiet for long may be dead unnoticed: a new one takes its place before it is closed. */
  function reopenLater(): void {
    cancelReopen()
    cancelReopen = timers._after((1 + options.random()) * reopenAfter, () => {
      if (!current) return
      fallback = undefined // and the WebSocket gets another chance
      dial()
      reopenLater()
    })
  }

  function lose(connection: Connection, reason: SidecarError): void {
    if (connection._scope._reason !== undefined) return
    connection._scope._end(0)
    const isReplacement = current && current !== connection
    if (!connection._live && connection._transport === 'websocket') {
      failures++
      // Open but silent is a known fault of some sidecars; so is one that ends before each object over 64 KiB.
      if (auto && (isReplacement || failures > 1 || reason.code !== 'UNAVAILABLE')) fallback = reason.message
      else if (failures === 2 && connection._opened)
        listener._report(
          fail(
            'LIMIT',
            'The WebSocket ends before each object',
            operation,
            reason,
            "A sidecar's WebSocket carries 64 KiB at most: use watch: 'auto' where HTTP can stream.",
          ),
        )
    }
    if (isReplacement) return
    current = undefined
    const { code, status = 500, message } = reason
    // What no later attempt can change: somebody answers, and it is no sidecar.
    const isFatal = code === 'CONFIG' || status === 501 || (status < 500 && !isPassing(reason))
    if (isFatal || (!isPassing(reason) && reported !== code)) listener._report(reason)
    reported = code
    listener._setConnection(isFatal ? 'failed' : state, undefined, message)
    if (isFatal) return watchScope._end(reason)
    if (!connection._opened) link._setUp(false, reason)
    void reconnect(connection._live ? 0 : backoff(options, attempt++))
  }

  async function reconnect(delay: number): Promise<void> {
    try {
      await timers._sleep(watchScope, delay)
      // Where no GET can be had (another origin), the watch itself is how one finds out.
      await link._whenUp(watchScope).then(null, () => {})
      await link._turn(watchScope)
    } catch {
      return // the watch has ended
    }
    dial()
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
    let next = options.verifyInterval
    try {
      await link._turn(watchScope)
      const found: unknown = await link._attempt(watchScope, 'getGameServer', probeTimeout)
      if (!isGameServer(found)) throw fail('PROTOCOL', 'Not a GameServer', 'getGameServer')
      reported = undefined
      let last = listener._last()
      if (!last || isToldByWatch(last, found)) await timers._sleep(watchScope, grace)
      last = listener._last()
      if (received !== seen) next = settleTime * 10 // it is talking: look again once it is quiet
      else {
        listener._offer(found)
        if (last && isToldByWatch(last, found) && listener._last() === found && current && current === checked) dial()
      }
    } catch (error) {
      const reason = error as SidecarError
      if (watchScope._reason !== undefined) return
      if (isPassing(reason)) {
        if (checked && checked === current && received === seen) lose(checked, reason)
      } else if (reported !== reason.message) {
        reported = reason.message
        listener._report(reason)
      }
    }
    if (next) verifyIn(next)
  }

  watchScope._onEnd(() => {
    cancelVerify()
    cancelReopen()
  })
  listener._setConnection(state)
  verifyIn(options.verifyInterval || Infinity)
  void reconnect(0)
}
