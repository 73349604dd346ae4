/** The script that the runner puts into the hosted page, before the game's own: the global `gameServerHost`. */
import { Connections, type OnConnection } from './connections.js'
import type { EndWait, FrameCallback, HostConfig, PageWindow } from './page.js'
import type { PlayerSocket } from './player-socket.js'
import type { GameServerHost } from './types.js'

/** An argument of the function in which the runner wraps this script. */
declare const hostConfig: HostConfig

/** Longest wait for the socket to the host after the page's first step. */
const OPENING_MS = 1_000
const FRAME_MS = 1_000 / 60

const page = globalThis as unknown as PageWindow & Record<string, unknown>
// Only the top page of the gateway is the game server. The script also runs in frames, and wherever the page navigates
// to.
if (page.top === globalThis && page.location.host === hostConfig.host) install(hostConfig)

function install({ playersPath, isDrawn, isTimed }: HostConfig): void {
  const now = page.performance.now.bind(page.performance)
  const setTimeout = page.setTimeout.bind(page)
  const reportError = page.reportError.bind(page)
  const connections = new Connections(page, playersPath)
  const steps = { count: 0, last: 0, longest: 0 }
  let isListenedTo = false
  let boot!: () => void
  /** The page's socket must be open for a player who connects as soon as the page has booted. */
  const booted = new Promise<void>((resolve) => (boot = resolve)).then(() =>
    Promise.race([connections.opened, new Promise<void>((resolve) => setTimeout(resolve, OPENING_MS))]),
  )

  /** `types.ts` says what the members mean. */
  class Host extends EventTarget implements Record<keyof GameServerHost, unknown> {
    get onconnection(): OnConnection {
      return connections.onconnection
    }

    set onconnection(listener: OnConnection) {
      connections.onconnection = listener
    }

    get connections(): ReadonlyMap<number, PlayerSocket> {
      return connections.sockets
    }

    tick(): void {
      steps.count += 1
      boot()
      if (!isTimed) return
      const time = now()
      if (steps.count > 1) steps.longest = Math.max(steps.longest, time - steps.last)
      steps.last = time
    }

    override addEventListener(...[type, listener, options]: Parameters<EventTarget['addEventListener']>): void {
      if (type === 'shutdown') isListenedTo = true
      super.addEventListener(type, listener, options)
    }
  }

  const host = new Host()
  Object.defineProperty(globalThis, 'gameServerHost', { value: host, enumerable: true })
  const runnersOwn = {
    /** Resolves when the page has run its first step and players can connect. */
    booted,
    /** How often `tick()` was called, and the longest time between two calls since this was last asked, in ms. */
    takeSteps() {
      const { count, longest } = steps
      steps.longest = 0
      return [count, longest]
    },
    /**
     * Tells the page to end. Resolves when all promises that the page waits for have settled, with what the host
     * still has to wait for.
     *
     * @param deadline latest end of the page
     * @param clientDeadline latest end of a page that listens only to its clients
     */
    async shutdown(signal: string, deadline: number, clientDeadline: number): Promise<EndWait> {
      const waits: unknown[] = []
      const clientWaits: unknown[] = []
      // Tells the clients in this page.
      const ending = Object.assign(new Event('ending'), {
        deadline: isListenedTo ? deadline : clientDeadline,
        isHeard: undefined as boolean | undefined,
        waitUntil: (result: unknown) => void clientWaits.push(result),
      })
      host.dispatchEvent(ending)
      const late = new Promise<void>((resolve) => setTimeout(resolve, ending.deadline - Date.now()))
      const clientsDone = Promise.race([settle(clientWaits, reportError), late])
      const waitUntil = (promise: unknown): void => void waits.push(promise)
      host.dispatchEvent(Object.assign(new Event('shutdown'), { signal, deadline, waitUntil }))
      await Promise.all([settle(waits, reportError), clientsDone])
      // The players' goodbye must reach the host before the news that the page is done.
      await connections.handOver()
      if (isListenedTo) return 'nothing'
      if (ending.isHeard !== false) return 'shutdown'
      return clientWaits.length > 0 ? 'calls' : 'nothing'
    },
  }
  Object.defineProperty(globalThis, Symbol.for('gameserver-sidecar.host'), { value: runnersOwn })
  if (!isDrawn) frameByTimer(page)
  awaitFirstFrame(page, boot)
}

/**
 * Runs the page's frames by a timer, 60 a second. The browser's own frames pass through its compositor, which takes 3 %
 * of a core and draws for nobody.
 */
export function frameByTimer(page: PageWindow): void {
  const { performance } = page
  const now = performance.now.bind(performance)
  const setTimeout = page.setTimeout.bind(page)
  const reportError = page.reportError.bind(page)
  const frames = { waiting: new Map<number, FrameCallback>(), lastId: 0, due: 0, isDue: false }

  const run = (): void => {
    frames.isDue = false
    const time = now()
    // A callback that requests a frame gets the next frame. A callback that was cancelled meanwhile isn't called.
    for (const id of [...frames.waiting.keys()]) {
      const callback = frames.waiting.get(id)
      frames.waiting.delete(id)
      try {
        callback?.(time)
      } catch (error) {
        reportError(error)
      }
    }
  }

  page.requestAnimationFrame = (callback) => {
    frames.lastId += 1
    frames.waiting.set(frames.lastId, callback)
    if (!frames.isDue) {
      frames.isDue = true
      const time = now()
      frames.due = Math.max(frames.due + FRAME_MS, time)
      setTimeout(run, frames.due - time)
    }
    return frames.lastId
  }
  page.cancelAnimationFrame = (id) => void frames.waiting.delete(id)
}

/** Calls `onFirst` after the first frame that the page requested: a page without `tick()` has booted then. */
export function awaitFirstFrame(page: PageWindow, onFirst: () => void): void {
  const { requestAnimationFrame } = page
  const own: PageWindow['requestAnimationFrame'] = (callback) =>
    requestAnimationFrame.call(page, (time) => {
      callback(time)
      // The game may have wrapped the function.
      if (page.requestAnimationFrame === own) page.requestAnimationFrame = requestAnimationFrame
      onFirst()
    })
  page.requestAnimationFrame = own
}

/** Resolves when all promises have settled, including promises that are added meanwhile. Reports rejections. */
async function settle(waits: readonly unknown[], reportError: (error: unknown) => void): Promise<void> {
  for (let settled = 0; settled < waits.length;) {
    const batch = waits.slice(settled)
    settled += batch.length
    for (const result of await Promise.allSettled(batch)) {
      if (result.status === 'rejected') reportError(result.reason)
    }
  }
}
