import type { GameServer } from '../protocol/game-server.js'
import type { Predicate } from './calls.js'
import { checkNames } from './checks.js'
import type { Connection } from './connection.js'
import { isPassing, named, SidecarError, timedOut, toSidecarError } from './errors.js'
import { isToldByWatch } from './game-server.js'
import type { ResolvedOptions } from './options.js'
import type { State } from './state.js'
import { follow, type Task, throwIfAborted, type Time } from './time.js'
import { type LoadWebSocket, type OpenWatch, WATCH } from './transports.js'
import type { Transport, WatchOptions } from './types.js'

/** Objects that an iterator keeps for a slow reader. The oldest gives way to the newest. */
const QUEUE = 64

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
    task.abort(new SidecarError('ABORTED', 'The iterator has ended'))
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

/** The one watch that all listeners, iterators and waits of a client share. */
export interface Watch {
  /**
   * Starts the watch unless it runs.
   *
   * @param onHopeless called when waiting for the watch can't help now
   * @returns the function that forgets `onHopeless`
   */
  join(onHopeless?: (error: unknown) => void): () => void
  /** Waits until the watch shows a GameServer that passes the test, the present one included. */
  until(task: Task, passes: Predicate, ms?: number): Promise<GameServer>
  /** Compares the watch with a read. Never rejects. */
  verify(): Promise<void>
}

interface WatchSettings extends Pick<ResolvedOptions, 'watch' | 'verifyInterval' | 'timeout'> {
  readonly open: Readonly<Record<Transport, OpenWatch>>
  readonly loadWebSocket: LoadWebSocket
}

export function createWatch(settings: WatchSettings, connection: Connection, state: State): Watch {
  const { time } = connection
  const joined = new Set<(error: unknown) => void>()
  const life = createLife(settings, connection, state, (error) => joined.forEach((reject) => reject(error)))

  function join(onHopeless?: (error: unknown) => void): () => void {
    if (!connection.isWatched && !time.life.aborted) life.begin()
    if (onHopeless) joined.add(onHopeless)
    return () => void joined.delete(onHopeless!)
  }

  return {
    join,
    verify: async () => {
      if (connection.isWatched) await life.compare()
    },
    until: (task, passes, ms) =>
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

/** The life of a watch, from its begin until the client is closed or another try can't help. It can begin again. */
interface Life {
  begin(): void
  compare(): Promise<void>
}

/** How a connection ended. It is opened once the other side accepts it, and established once it has shown an object. */
interface End {
  readonly reason: SidecarError
  readonly isOpened: boolean
  readonly isEstablished: boolean
}

function createLife(
  { watch: mode, verifyInterval, timeout, open, loadWebSocket }: WatchSettings,
  connection: Connection,
  state: State,
  onHopeless: (error: unknown) => void,
): Life {
  const { time, access } = connection
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

  /** Emits an error, unless the last one had the same code. Called without an error once all is well again. */
  function report(error?: SidecarError): void {
    if (error && error.code !== reported) state.emit('error', named(error, WATCH))
    reported = error?.code
  }

  const comparison = createComparison(connection, state, { verifyInterval, report, link: () => link })

  function begin(): void {
    const task = (life = follow(time.life))
    connection.isWatched = true
    if (connection.current.state !== 'connected') connection.lost()
    // Loads the class while the search for the sidecar runs.
    if (mode !== 'stream') Promise.resolve(loadWebSocket()).then(null, () => {})
    comparison.plan(task, verifyInterval)
    keepOpen().catch((cause: unknown) => {
      if (task.aborted) return
      const error = toSidecarError(cause, 'UNKNOWN', 'The watch failed')
      task.abort(error)
      // Cleared before listeners hear of it: one may start a new watch at once.
      connection.isWatched = false
      report()
      report(error)
      connection.set('failed', undefined, error.summary)
      onHopeless(error)
    })
  }

  async function keepOpen(): Promise<void> {
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
    if (blocked) onHopeless(blocked)
    if (isFault && !hasWorked && isFinal(reason)) throw reason
    if (isFault) report(reason)
    connection.lost(reason.summary)
    if (!isOpened) connection.note({ answered: false, error: reason })
    const pause = blocked ? REFUSED_PAUSE : connection.failed(0, isEstablished)
    if (pause) await time.sleep(life, pause)
  }

  async function dial(): Promise<End> {
    const mayFallBack = mode === 'auto' && !access.isDirect
    if (mayFallBack && !(await loadWebSocket())) fallback = 'There is no WebSocket here'
    const isStream = !access.isDirect && (mode === 'stream' || !!fallback)
    const limit = mayFallBack && !isStream ? FIRST_OBJECT_TIMEOUT : timeout
    const task = follow(life)
    let isOpened = false
    const lift = time.after(limit, () => task.abort(timedOut(limit)), true)

    function establish(): void {
      lift()
      link = task
      failed = 0
      hasWorked = true
      report()
      connection.note({ answered: true })
      connection.set('connected', isStream ? 'stream' : 'websocket', isStream ? fallback : undefined)
      comparison.plan(life, SETTLE_TIME)
    }

    const reason = await open[isStream ? 'stream' : 'websocket'](task, {
      onOpen: () => (isOpened = true),
      onProblem: (problem) => state.emit('error', named(problem, WATCH)),
      onGameServer(gameServer) {
        comparison.heard()
        state.offer(gameServer)
        if (link !== task) establish()
      },
    }).catch((cause: unknown) => toSidecarError(cause, 'UNAVAILABLE', 'The watch failed'))
    const isEstablished = link === task
    lift()
    task.release()
    link = undefined
    if (isEstablished || isStream) return { reason, isOpened, isEstablished }
    failed++
    if (mayFallBack) {
      if (failed > 1 || reason.code !== 'UNAVAILABLE') fallback = reason.summary
    } else if (isOpened && failed === 2)
      // A sidecar's WebSocket ends before an object of more than 64 KiB.
      report(new SidecarError('LIMIT', 'The WebSocket ends before each object', { cause: reason }))
    return { reason, isOpened, isEstablished }
  }

  return { begin, compare: () => comparison.compare(life) }
}

/** Whether a fault is permanent: another server than a sidecar answers. */
function isFinal({ code, status = 500 }: SidecarError): boolean {
  return code === 'CONFIG' || status === 501 || status < 500
}

interface ComparisonSettings {
  readonly verifyInterval: number
  report(error?: SidecarError): void
  /** The established connection. */
  link(): Task | undefined
}

/** Compares the watch with a read: a connection may be half-open, and a change may be lost. */
interface Comparison {
  /** Plans a comparison for when the watch has been quiet for so many ms. */
  plan(life: Task, ms: number): void
  compare(life: Task): Promise<void>
  /** The watch has shown an object. */
  heard(): void
}

function createComparison(
  connection: Connection,
  state: State,
  { verifyInterval, report, link }: ComparisonSettings,
): Comparison {
  const { time } = connection
  let received = 0
  let lastReceived = 0
  let cancel = (): void => {}

  function plan(life: Task, ms: number, pause = ms): void {
    cancel()
    if (!ms) return
    cancel = time.after(pause, () => {
      const rest = ms - time.now() + lastReceived
      // A watch that has just shown an object needs no comparison.
      if (link() && rest > 0) plan(life, ms, rest)
      else void compare(life)
    })
  }

  async function look(life: Task): Promise<void> {
    const watching = link()
    const seen = received
    const { error, body } = await connection.probe(life)
    throwIfAborted(life)
    if (error && !isPassing(error)) return report(error)
    if (watching && !error) report()
    const found = body as unknown as GameServer
    // Gives the watch time to show the change, or its end: a sidecar that is about to end refuses requests first.
    if (error || !state.last || isToldByWatch(state.last, found)) await time.sleep(life, GRACE)
    // The watch has shown an object meanwhile: compare again once it is quiet.
    if (received !== seen) return plan(life, SETTLE_TIME * 10)
    const { last } = state
    const isMissed = !error && state.offer(found) && last && isToldByWatch(last, found)
    if (watching && watching === link() && (error || isMissed))
      watching.abort(error ?? new SidecarError('UNAVAILABLE', 'The watch has missed a change'))
  }

  /** Never rejects: only the end of the watch throws. */
  function compare(life: Task): Promise<void> {
    plan(life, verifyInterval)
    return look(life).catch(() => {})
  }

  return {
    plan,
    compare,
    heard() {
      received++
      lastReceived = time.now()
    },
  }
}
