import type { Endpoint } from '../connection/endpoint.js'
import type { Pacing } from '../connection/pacing.js'
import type { Reachability } from '../connection/reachability.js'
import type { ConnectionStatus } from '../connection/status.js'
import type { GameServerStore } from '../game-server/store.js'
import type { ResolvedOptions } from '../options.js'
import type { Emit } from '../runtime/emitter.js'
import { isPassing, named, SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { Transport } from '../types.js'
import { dial, type WatchConnection } from './connection.js'
import { WATCH, type OpenWatch, type WatchEnd } from './message.js'
import { createTransportChoice } from './transport-choice.js'
import { createVerifier } from './verifier.js'

/** ms, up to twice as many, until a connection is replaced: one that is quiet for long may be dead unnoticed. */
const REOPEN_AFTER = 300000
/** ms that a connection must last to be replaced at once when it is lost, without backoff. */
const STABLE_AFTER = 5000

/** ms until a page that is refused tries its watch again: browsers write each attempt to the console. */
const REFUSED_PAUSE = 10000

export interface WatchParts {
  readonly options: ResolvedOptions
  readonly timers: Timers
  readonly pacing: Pacing
  readonly endpoint: Endpoint
  readonly reachability: Reachability
  readonly store: GameServerStore
  readonly status: ConnectionStatus
  readonly emit: Emit
  /** The gateway that the watch came through was told to stop. */
  onSignal(signal: string): void
  readonly transports: Readonly<Record<Transport, OpenWatch>>
  /** Entered where reads fail, but the watch can be read. */
  readonly direct: { readonly isActive: boolean; enter(): void }
}

export interface WatchRun {
  /** The scope of all waits for the watch. It ends when waiting can't help now. */
  readonly waiters: Scope
  verify(): Promise<void>
}

/**
 * Keeps one watch open, over the transport that works, until its scope ends. It ends the scope itself, with the error,
 * where trying again can't help.
 */
export function runWatch(scope: Scope, parts: WatchParts): WatchRun {
  const { options, timers, pacing, endpoint, reachability, store, status, emit, onSignal, transports, direct } = parts
  const choice = createTransportChoice(options, () => direct.isActive)
  const verifier = createVerifier({
    scope,
    timers,
    pacing,
    reachability,
    store,
    interval: options.verifyInterval,
    current: () => current,
    onMissed: () => replace(),
    onError: (error) => tellError(error),
  })
  let current: WatchConnection | undefined
  const run = { waiters: new Scope(scope), verify: verifier.verify }
  let reported: string | undefined
  /** Asks for a new connection in place of the current one. */
  let replace: () => void = () => {}
  /** Whether anything new has come since the last connection was lost. */
  let hasNews = false

  async function keepOpen(): Promise<void> {
    for (let failures = 0; ; failures++) {
      const { established, lasted, blocked } = await connect()
      // One that ends again and again without news is no restart but a fault.
      if (established && (hasNews || lasted > STABLE_AFTER)) failures = 0
      hasNews = false
      const pause = blocked ? REFUSED_PAUSE : pacing.backoff(established ? failures - 1 : failures)
      // A connection that was lost is replaced at once, the first time.
      if (!established || failures) await timers.sleep(scope, pause)
    }
  }

  /** One connection from the search to its end. Of that, nothing is kept: an error may hold everything it came with. */
  async function connect(): Promise<{ established: boolean; lasted: number; blocked: unknown }> {
    const blocked = await whenReachable()
    await pacing.turn(scope)
    const connection = open()
    const since = timers.now()
    const established = await connection.established
    if (established && blocked && endpoint.isForeign()) direct.enter()
    const end = established ? await keep(connection) : await connection.ended
    scope.throwIfEnded()
    if (!established) tellFailure(connection, end.reason, false)
    lost(connection, end, established, blocked)
    return { established, lasted: timers.now() - since, blocked }
  }

  /** Waits until somebody answers. Resolves with the error where answers can't be read: a watch may still work. */
  async function whenReachable(): Promise<SidecarError | undefined> {
    try {
      await reachability.whenUp(scope)
      return undefined
    } catch (error) {
      scope.throwIfEnded()
      const reason = error as SidecarError
      report(reason)
      return reason.code === 'CROSS_ORIGIN' ? reason : undefined
    }
  }

  function open(): WatchConnection {
    const { transport, patience } = choice.next()
    return dial(scope, transport, transports[transport], patience, timers, {
      onProblem: tellError,
      onGameServer(gameServer) {
        verifier.heard()
        if (store.offer(gameServer)) hasNews = true
      },
    })
  }

  /** Follows a connection from its first object to the end, through any number of replacements. */
  async function keep(connection: WatchConnection): Promise<WatchEnd> {
    for (;;) {
      adopt(connection)
      const renewal = new Scope(scope)
      const end = await Promise.race([connection.ended, whenToReplace(renewal)])
      renewal.end()
      if (end) return end
      const next = open()
      if (await next.established) {
        connection.close()
        connection = next
        continue
      }
      tellFailure(next, (await next.ended).reason, true)
      if (connection.isOver) return connection.ended
    }
  }

  /** The connection counts from now on. */
  function adopt(connection: WatchConnection): void {
    if (current === connection) return
    current = connection
    reported = undefined
    choice.established()
    reachability.note(true)
    const { transport } = connection
    status.set('connected', transport, transport === 'stream' ? choice.fallback : undefined)
    verifier.established()
  }

  function whenToReplace(renewal: Scope): Promise<undefined> {
    return renewal.wait((resolve) => {
      replace = () => resolve(undefined)
      timers.after(renewal, (1 + options.random()) * REOPEN_AFTER, () => {
        choice.fallback = undefined
        replace()
      })
    })
  }

  function tellFailure({ transport, isOpened }: WatchConnection, reason: SidecarError, replacing: boolean): void {
    const warning = choice.failed(transport, reason, isOpened, replacing)
    if (warning) tellError(warning)
  }

  function lost(
    { isOpened }: WatchConnection,
    { reason, refused, signal }: WatchEnd,
    established: boolean,
    blocked: SidecarError | undefined,
  ): void {
    current = undefined
    const passing = isPassing(reason)
    const { code, status: answered = 0 } = reason
    // No later attempt can change this: somebody answers, and it is no sidecar.
    const fatal = code === 'CONFIG' || (refused && (answered === 501 || (answered < 500 && !passing)))
    if (!passing) report(reason, fatal)
    if (signal && established) onSignal(signal)
    // The waits end; the watch goes on trying, since a proxy may say so while the sidecar is starting.
    if (blocked) {
      run.waiters.end(blocked)
      run.waiters = new Scope(scope)
    }
    if (fatal) {
      status.set('failed', undefined, reason.summary)
      scope.end(reason)
      throw reason
    }
    status.lost(reason.summary)
    if (!isOpened) reachability.note(false, reason)
  }

  const tellError = (error: SidecarError): void => emit('error', named(error, WATCH))

  /** The same trouble is told once, until the watch has worked in between. */
  function report(error: SidecarError, always?: boolean): void {
    if (always || reported !== error.code) tellError(error)
    reported = error.code
  }

  if (status.current.state !== 'connected') status.lost()
  keepOpen().catch((error: unknown) => {
    if (scope.reason) return
    // A defect of ours: better told than a watch that is silent for ever.
    const defect = new SidecarError('UNKNOWN', 'The watch failed', {
      operation: WATCH,
      hint: 'See `cause`',
      cause: error,
    })
    emit('error', defect)
    scope.end(defect)
  })
  return run
}
