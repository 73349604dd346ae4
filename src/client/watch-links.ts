import type { Core } from './core.js'
import type { GameServer } from '../protocol/game-server.js'
import { isPassing, named, SidecarError, toSidecarError } from './errors.js'
import { isToldByWatch } from './game-server.js'
import type { AbortSignalLike } from './option-types.js'
import { follow, type Task, wait } from './signals.js'
import { WATCH } from './transports.js'

/** ms for a first object if the other transport is available; the real sidecar sends it within 30 ms. */
const FIRST_OBJECT_TIMEOUT = 1000
/** ms (up to twice as many) until a connection is replaced: a long quiet connection may be half-open. */
const REOPEN_AFTER = 300000
/** ms from the first object to the first check: a change is lost if it comes while the stream is being registered. */
const SETTLE_TIME = 100
/** ms in which the watch may still show by itself what a GET has found. */
const GRACE = 500

/** Emits an error, unless the last one had the same code. Called without an error once all is well again. */
export type Report = (error?: SidecarError) => void

/** How a connection ended. A connection is established once it has shown an object. */
interface End {
  readonly reason: SidecarError
  readonly isOpened: boolean
  readonly isEstablished: boolean
}

interface Links {
  /** Opens a connection. Resolves with the last connection's end when no connection is open any more. */
  connect(): Promise<End>
  /** Plans a check for when the watch has been quiet for so many ms. */
  plan(ms: number): void
  check(): Promise<void>
}

/** The connections of a watch: one, and at times a second that replaces it at its first object. */
export function createLinks(parts: Core, signal: AbortSignalLike, report: Report): Links {
  const { options, timers, connection, state, direct, open, hasWebSocket, emit } = parts
  /** The established connection. */
  let current: Task | undefined
  /** Connections that are still open. */
  let count = 0
  let onEnd: (end: End) => void
  /** Why the HTTP stream is used; undefined: use the WebSocket. */
  let fallback: string | undefined
  /** WebSockets in a row that ended before their first object. */
  let failed = 0
  const { plan, check, heard } = createChecks(parts, signal, report, () => current, dial)

  function dial(): void {
    const mayFallBack = options.watch === 'auto' && !direct.isActive
    if (mayFallBack && !hasWebSocket()) fallback = 'There is no WebSocket here'
    const isStream = !direct.isActive && (options.watch === 'stream' || !!fallback)
    const task = follow(signal)
    let isOpened = false
    let isEstablished = false
    /** Lifts the limit for the first object, and then the plan to replace this connection. */
    let cancel = timers.limit(task, mayFallBack && !isStream ? FIRST_OBJECT_TIMEOUT : options.timeout)

    function establish(): void {
      isEstablished = true
      cancel()
      cancel = timers.after((1 + options.random()) * REOPEN_AFTER, () => {
        fallback = undefined
        dial()
      })
      if (current) current.abort(true)
      current = task
      failed = 0
      report()
      connection.note({ answered: true })
      connection.set('connected', isStream ? 'stream' : 'websocket', isStream ? fallback : undefined)
      plan(SETTLE_TIME)
    }

    function end(reason: SidecarError): void {
      cancel()
      task.release()
      count--
      if (!isEstablished && !isStream) {
        if (!mayFallBack) {
          // A sidecar's WebSocket ends before an object of more than 64 KiB.
          if (isOpened && ++failed === 2)
            report(new SidecarError('LIMIT', 'The WebSocket ends before each object', { cause: reason }))
        } else if (current || ++failed > 1 || reason.code !== 'UNAVAILABLE') fallback = reason.summary
      }
      if (current === task) current = undefined
      if (!count) onEnd({ reason, isOpened, isEstablished })
    }

    count++
    open[isStream ? 'stream' : 'websocket'](task.signal, {
      onOpen: () => (isOpened = true),
      onProblem: (problem) => emit('error', named(problem, WATCH)),
      onGameServer(gameServer) {
        heard()
        state.offer(gameServer)
        if (!isEstablished) establish()
      },
    }).catch((reason: unknown) => end(toSidecarError(reason, 'UNAVAILABLE', 'The watch failed')))
  }

  return {
    plan,
    check,
    connect: () =>
      wait(signal, (resolve) => {
        onEnd = resolve
        dial()
        return undefined
      }),
  }
}

/** Checks by reads that the watch shows every change. */
function createChecks(
  { options, timers, pacing, connection, state }: Core,
  signal: AbortSignalLike,
  report: Report,
  getCurrent: () => Task | undefined,
  dial: () => void,
): Pick<Links, 'plan' | 'check'> & { heard(): void } {
  const { verifyInterval } = options
  let received = 0
  let lastReceived = 0
  let cancel = (): void => {}

  function plan(ms: number, pause = ms): void {
    cancel()
    if (!ms) return
    cancel = timers.after(pause, () => {
      const rest = ms - timers.now() + lastReceived
      // A watch that has just shown an object needs no check.
      if (getCurrent() && rest > 0) plan(ms, rest)
      else void check()
    })
  }

  async function look(): Promise<void> {
    const watching = getCurrent()
    const seen = received
    await pacing.turn(signal)
    const { error, body } = await connection.probe(signal)
    if (error && !isPassing(error)) return report(error)
    if (watching && !error) report()
    const found = body as unknown as GameServer
    // Gives the watch time to show the change, or its end: a sidecar that is about to end refuses requests first.
    if (error || !state.last || isToldByWatch(state.last, found)) await timers.sleep(signal, GRACE)
    // The watch has shown an object meanwhile: check again once it is quiet.
    if (received !== seen) return plan(SETTLE_TIME * 10)
    const { last } = state
    const isMissed = !error && state.offer(found) && last && isToldByWatch(last, found)
    if (watching && watching === getCurrent()) {
      if (error) watching.abort(error)
      else if (isMissed) dial()
    }
  }

  /** Never rejects: only the end of the watch throws. */
  function check(): Promise<void> {
    plan(verifyInterval)
    return look().catch(() => {})
  }

  return {
    plan,
    check,
    heard() {
      received++
      lastReceived = timers.now()
    },
  }
}
