import type { Core } from './core.js'
import { isPassing, named, toSidecarError, type SidecarError } from './errors.js'
import { follow, throwIfAborted } from './signals.js'
import { WATCH } from './transports.js'
import { createLinks, type Report } from './watch-links.js'

/** ms that a connection must last to be replaced without backoff when it is lost */
const STABLE_AFTER = 5000
/** ms until a refused page retries its watch: browsers log each attempt to the console. */
const REFUSED_PAUSE = 10000
/** ms that a stopping gateway gives its page, as the host does */
const GATEWAY_GRACE = 10000
/** How a stopping gateway ends a watch, over either transport. */
const STOPPING = /(ended with 1001|: The gateway is stopping) \((SIG\w{3,5})\)$/

/** Keeps a watch open. Returns the function that compares the watch with a read. */
export type KeepWatch = (onHopeless: (error: unknown) => void) => () => Promise<void>

/**
 * Keeps one watch open, over a WebSocket or, where that fails, the HTTP stream, until the client is closed or trying
 * again can't help.
 */
export function keepWatch(parts: Core, onHopeless: (error: unknown) => void): () => Promise<void> {
  const { life, options, timers, pacing, connection, state, hasWebSocket, emit } = parts
  const task = follow(life)
  const { signal } = task
  let reported: string | undefined
  const report: Report = (error) => {
    if (error && error.code !== reported) emit('error', named(error, WATCH))
    reported = error?.code
  }
  const { connect, plan, check } = createLinks(parts, signal, report)

  /**
   * Opens the watch, and waits until it may be opened again. Returns how many attempts have failed in a row.
   *
   * A separate function: a loop would keep the last error, whose stack may hold a large message, for hours.
   */
  async function openOnce(failures: number): Promise<number> {
    /** Why answers can't be read, while a watch may still work. */
    const blocked = await connection.whenUp(signal).then(
      () => undefined,
      (cause: unknown) => {
        throwIfAborted(signal)
        const reason = cause as SidecarError
        if (!isPassing(reason)) report(reason)
        return reason.code === 'CROSS_ORIGIN' ? reason : undefined
      },
    )
    await pacing.turn(signal)
    const since = timers.now()
    const before = state.last
    const { reason, isOpened, isEstablished } = await connect()
    const isFault = !isPassing(reason)
    const [, , name] = (isEstablished && !isFault && STOPPING.exec(reason.summary)) || []
    if (name) {
      emit('signal', { signal: name })
      state.end('signal', Date.now() + GATEWAY_GRACE)
    }
    // Ends the waits, but keeps the watch: a proxy may refuse while the sidecar is still starting.
    if (blocked) onHopeless(blocked)
    if (isFault && isFinal(reason)) throw reason
    if (isFault) report(reason)
    connection.lost(reason.summary)
    if (!isOpened) connection.note({ answered: false, error: reason })
    // A watch that ends repeatedly without a new object is a fault, not a restart.
    if (isEstablished && (state.last !== before || timers.now() - since > STABLE_AFTER)) failures = 0
    const pause = blocked ? REFUSED_PAUSE : pacing.backoff(isEstablished ? failures - 1 : failures)
    // The first lost connection is replaced at once.
    if (!isEstablished || failures) await timers.sleep(signal, pause)
    return failures + 1
  }

  async function keepOpen(): Promise<void> {
    for (let failures = 0; ;) failures = await openOnce(failures)
  }

  connection.isWatched = true
  if (connection.current.state !== 'connected') connection.lost()
  // Loads the class while the search for the sidecar runs.
  if (options.watch !== 'stream') void hasWebSocket()
  plan(options.verifyInterval)
  keepOpen().catch((cause: unknown) => {
    if (signal.aborted) return
    const error = toSidecarError(cause, 'UNKNOWN', 'The watch failed')
    task.abort(error)
    // Cleared before listeners hear of it: one may start a new watch at once.
    connection.isWatched = false
    report()
    report(error)
    connection.set('failed', undefined, error.summary)
    onHopeless(error)
  })
  return check
}

/** Whether a fault is permanent: another server than a sidecar answers. */
function isFinal({ code, status = 500 }: SidecarError): boolean {
  return code === 'CONFIG' || status === 501 || status < 500
}
