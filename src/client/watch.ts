import type { GameServer } from '../protocol/game-server.js'
import type { Predicate } from './calls.js'
import { checkNames } from './checks.js'
import type { Connection } from './connection.js'
import { isPassing, missingGlobal, named, SidecarError, timedOut, toSidecarError } from './errors.js'
import type { ResolvedOptions } from './options.js'
import { isShownByWatch, type State } from './state.js'
import { follow, type Task, throwIfAborted, type Time } from './time.js'
import { type LoadWebSocket, type OpenWatch, WATCH } from './transports.js'
import type { Transport, WatchOptions } from './types.js'

/** ms for a first object if the other transport is available; the real sidecar sends it within 30 ms. */
const FIRST_OBJECT_TIMEOUT = 1000
/** ms from the first object to the first comparison: a change is lost if it comes while the stream is being registered. */
const SETTLE_TIME = 100
/** ms in which the watch may still show by itself what a read has found. */
const GRACE = 500
/** ms until a refused page retries its watch: browsers log each attempt to the console. */
const REFUSED_PAUSE = 10000
/** ms that a stopping gateway gives its page, as the host does */
const GATEWAY_GRACE = 10000
/** How a stopping gateway ends a watch, over either transport. */
const STOPPING = /(ended with 1001|: The gateway is stopping) \((SIG\w{3,5})\)$/
/** Objects that an iterator keeps for a slow reader. The oldest gives way to the newest. */
const QUEUE = 64

export type Watch = ReturnType<typeof createWatch>

/**
 * The one watch that all listeners, iterators and waits of a client share. It lives from its begin until the client is
 * closed or another try can't help, and can begin again: search, dial, first object, comparisons, end.
 */
export function createWatch(
  { watch: mode, verifyInterval, timeout }: Pick<ResolvedOptions, 'watch' | 'verifyInterval' | 'timeout'>,
  open: Readonly<Record<Transport, OpenWatch>>,
  loadWebSocket: LoadWebSocket,
  connection: Connection,
  state: State,
) {
  const { time, access } = connection
  /** Each is called when waiting for the watch can't help now. */
  const joined = new Set<(error: unknown) => void>()
  let life: Task
  /** The established connection. */
  let link: Task | undefined
  /** Why the HTTP stream is used; undefined: use the WebSocket. */
  let fallback: string | undefined
  /** WebSockets in a row that ended before their first object. */
  let failed = 0
  /** A watch that has worked is kept, whatever a proxy answers: without it the game would miss its allocation. */
  let hasWorked = false
  let reported: string | undefined
  /** Objects that the watch has shown, and when it showed the last one. */
  let received = 0
  let receivedAt = 0
  let cancelComparison = (): void => {}

  const giveUp = (error: unknown): void => joined.forEach((reject) => reject(error))

  /** Emits an error, unless the last one had the same code. Called without an error once all is well again. */
  function report(error?: SidecarError): void {
    if (error && error.code !== reported) state.emit('error', named(error, WATCH))
    reported = error?.code
  }

  function begin(): void {
    const task = (life = follow(time.life))
    connection.isWatched = true
    if (connection.current.state !== 'connected') connection.lost()
    // Loads the class while the search for the sidecar runs.
    if (mode !== 'stream') Promise.resolve(loadWebSocket()).then(null, () => {})
    planComparison(verifyInterval)
    keepOpen().catch((cause: unknown) => {
      if (task.aborted) return
      const error = toSidecarError(cause, 'UNKNOWN', 'The watch failed')
      task.abort(error)
      // Cleared before listeners hear of it: one may start a new watch at once.
      connection.isWatched = false
      report()
      report(error)
      connection.set('failed', undefined, error.summary)
      giveUp(error)
    })
  }

  async function keepOpen(): Promise<never> {
    for (;;) await openOnce()
  }

  /**
   * Opens the watch, and waits until it may be opened again.
   *
   * A separate function: a loop would keep the last error, whose stack may hold a large message, for hours.
   */
  async function openOnce(): Promise<void> {
    /** Why answers can't be read, while a watch may still work. */
    const blocked = await connection.whenUp(life).then(
      () => undefined,
      (cause: unknown) => {
        throwIfAborted(life)
        const reason = cause as SidecarError
        if (!isPassing(reason)) report(reason)
        return reason.code === 'CROSS_ORIGIN' ? reason : undefined
      },
    )
    const { reason, isOpened, isEstablished } = await dial()
    throwIfAborted(life)
    const isFault = !isPassing(reason)
    const [, , name] = (isEstablished && !isFault && STOPPING.exec(reason.summary)) || []
    if (name) {
      state.emit('signal', { signal: name })
      state.end('signal', Date.now() + GATEWAY_GRACE)
    }
    // Ends the waits, but keeps the watch: a proxy may refuse while the sidecar is still starting.
    if (blocked) giveUp(blocked)
    if (isFault && !hasWorked && isFinal(reason)) throw reason
    if (isFault) report(reason)
    connection.lost(reason.summary)
    if (!isOpened) connection.note({ answered: false, error: reason })
    const pause = blocked ? REFUSED_PAUSE : connection.failed(0, isEstablished)
    if (pause) await time.sleep(life, pause)
  }

  /** Resolves with how the connection ended: opened once the other side accepts it, established by its first object. */
  async function dial(): Promise<{ reason: SidecarError; isOpened: boolean; isEstablished: boolean }> {
    const mayFallBack = mode === 'auto' && !access.isDirect
    if (mayFallBack && !(await loadWebSocket())) fallback = missingGlobal('WebSocket').summary
    const isStream = !access.isDirect && (mode === 'stream' || !!fallback)
    const limit = mayFallBack && !isStream ? FIRST_OBJECT_TIMEOUT : timeout
    const transport = isStream ? 'stream' : 'websocket'
    const task = follow(life)
    let isOpened = false
    const lift = time.after(limit, () => task.abort(timedOut(limit)), true)

    const reason = await open[transport](task, {
      onOpen: () => (isOpened = true),
      onProblem: (problem) => state.emit('error', named(problem, WATCH)),
      onGameServer(gameServer) {
        received++
        receivedAt = time.now()
        state.offer(gameServer)
        if (link === task) return
        lift()
        link = task
        failed = 0
        hasWorked = true
        report()
        connection.note({ answered: true })
        connection.set('connected', transport, isStream ? fallback : undefined)
        planComparison(SETTLE_TIME)
      },
    }).catch((cause: unknown) => toSidecarError(cause, 'UNAVAILABLE', 'The watch failed'))
    const isEstablished = link === task
    lift()
    task.release()
    link = undefined
    if (!isEstablished && !isStream) {
      failed++
      if (mayFallBack) {
        if (failed > 1 || reason.code !== 'UNAVAILABLE') fallback = reason.summary
      } else if (isOpened && failed === 2)
        // A sidecar's WebSocket ends before an object of more than 64 KiB.
        report(new SidecarError('LIMIT', 'The WebSocket ends before each object', { cause: reason }))
    }
    return { reason, isOpened, isEstablished }
  }

  /** Plans a comparison for when the watch has been quiet for so many ms. */
  function planComparison(ms: number, pause = ms): void {
    cancelComparison()
    if (!ms) return
    cancelComparison = time.after(pause, () => {
      const rest = ms - time.now() + receivedAt
      // A watch that has just shown an object needs no comparison.
      if (link && rest > 0) planComparison(ms, rest)
      else void verify()
    })
  }

  /** Compares the watch with a read: a connection may be half-open, and a change may be lost. */
  async function compare(task: Task): Promise<void> {
    const watching = link
    const seen = received
    const { error, body } = await connection.probe(task)
    throwIfAborted(task)
    if (error && !isPassing(error)) return report(error)
    if (watching && !error) report()
    const found = body as unknown as GameServer
    // Gives the watch time to show the change, or its end: a sidecar that is about to end refuses requests first.
    if (error || !state.last || isShownByWatch(state.last, found)) await time.sleep(task, GRACE)
    // The watch has shown an object meanwhile: compare again once it is quiet.
    if (received !== seen) return planComparison(SETTLE_TIME * 10)
    const { last } = state
    const isMissed = !error && state.offer(found) && last && isShownByWatch(last, found)
    if (watching && watching === link && (error || isMissed))
      watching.abort(error ?? new SidecarError('UNAVAILABLE', 'The watch has missed a change'))
  }

  /** Never rejects: only the end of the watch throws. */
  async function verify(): Promise<void> {
    if (!connection.isWatched) return
    planComparison(verifyInterval)
    return compare(life).catch(() => {})
  }

  /**
   * Starts the watch unless it runs.
   *
   * @param onHopeless called when waiting for the watch can't help now
   * @returns the function that forgets `onHopeless`
   */
  function join(onHopeless?: (error: unknown) => void): () => void {
    if (!connection.isWatched && !time.life.aborted) begin()
    if (onHopeless) joined.add(onHopeless)
    return () => void joined.delete(onHopeless!)
  }

  return {
    join,
    verify,

    /** Waits until the watch shows a GameServer that passes the test, the present one included. */
    until: (task: Task, passes: Predicate, ms?: number): Promise<GameServer> =>
      time.wait(
        task,
        (resolve, reject) => {
          const leave = join(reject)
          const forget = state.follow((gameServer) => {
            try {
              if (passes(gameServer)) resolve(gameServer)
            } catch (cause) {
              reject(toSidecarError(cause, 'UNKNOWN', 'The predicate failed'))
            }
          })
          return () => {
            leave()
            forget()
          }
        },
        ms,
      ),
  }
}

/** Whether a fault is permanent: another server than a sidecar answers. */
function isFinal({ code, status = 500 }: SidecarError): boolean {
  return code === 'CONFIG' || status === 501 || status < 500
}

/**
 * An iterator over what the watch tells: the connection is read however slow the reader is. It starts with the first
 * `next()`. Written without an async generator, which ES2017 lacks.
 */
export function iterate(watch: Watch, state: State, time: Time, options: WatchOptions): AsyncIterator<GameServer> {
  let queue: GameServer[] = []
  const readers: ((gameServer: GameServer) => void)[] = []
  let task: Task | undefined
  let done = false
  let leave = (): void => {}

  function start(): Task {
    const opened = follow(time.life, options.signal)
    const forget = watch.join(opened.abort)
    const off = state.on('gameserver', (gameServer) => {
      const reader = readers.shift()
      if (reader) reader(gameServer)
      else if (queue.push(gameServer) > QUEUE) queue.shift()
    })
    leave = () => {
      forget()
      off()
    }
    return opened
  }

  async function end(): Promise<IteratorResult<GameServer>> {
    done = true
    queue = []
    task = task ?? follow()
    task.abort(new SidecarError('ABORTED', 'The watch ended'))
    leave()
    return { done, value: undefined }
  }

  return {
    return: end,

    async next() {
      try {
        checkNames(options, ['signal'], 'option', WATCH)
        task = task ?? start()
        const value = queue.shift() ?? (await time.wait<GameServer>(task, (resolve) => void readers.push(resolve)))
        return { done: false, value }
      } catch (error) {
        // A reader that called `return()` or closed the client expects no error: the loop just ends.
        const isWanted = done || /^(ABORTED|CLOSED)$/.test((error as SidecarError).code)
        const result = await end()
        if (!isWanted) throw named(error as SidecarError, WATCH)
        return result
      }
    },
  }
}
