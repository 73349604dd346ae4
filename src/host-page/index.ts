/**
 * The script that the runner puts into the hosted page, before the game's own: the global `gameServerHost`.
 */
import { createConnections } from './connections.js'
import { createHostTarget, settle } from './host-target.js'
import type { EndWait, FrameCallback, HostConfig, PageWindow } from './page.js'

/** An argument of the function that the runner puts around this script. */
declare const hostConfig: HostConfig

/** Longest wait for the socket to the host, once the page has made its first step. */
const OPENING_MS = 1_000
const FRAME_MS = 1_000 / 60

const page = globalThis as unknown as PageWindow & Record<string, unknown>
// The script also runs in frames, where each would be another game server, and wherever the page navigates to.
if (page.top === globalThis && page.location.host === hostConfig.host) install(hostConfig)

function install({ playersPath, isDrawn }: HostConfig): void {
  let ticks = 0
  const setTimeout = page.setTimeout.bind(page)
  const reportError = page.reportError.bind(page)
  const connections = createConnections({ page, playersPath })
  let boot!: () => void
  const firstStep = new Promise<void>((resolve) => (boot = resolve))
  /** A player who comes as soon as the page has booted must find the page's socket open. */
  const booted = firstStep.then(
    () =>
      new Promise<void>((resolve) => {
        void connections.opened.then(resolve)
        setTimeout(resolve, OPENING_MS)
      }),
  )
  const onTick = (): void => {
    ticks += 1
    boot()
  }
  const target = createHostTarget({ connections, onTick, reportError })

  Object.defineProperty(globalThis, 'gameServerHost', { value: target.host, enumerable: true })
  // For the runner alone.
  Object.defineProperty(globalThis, Symbol.for('gameserver-sidecar.host'), {
    value: {
      /** Resolves when the page has made its first step, and players can come. */
      booted,
      get ticks() {
        return ticks
      },
      /**
       * Tells the page to end. Resolves when everything that it waits for has settled, with what the host has yet to wait for.
       *
       * @param deadline when the page is ended at the latest
       * @param clientDeadline the same for a page that listens only to its clients
       */
      async shutdown(signal: string, deadline: number, clientDeadline: number): Promise<EndWait> {
        const clientWaits: unknown[] = []
        const { host, isListenedTo } = target
        // For the clients in this page.
        const ending = Object.assign(new Event('ending'), {
          deadline: isListenedTo ? deadline : clientDeadline,
          isHeard: undefined as boolean | undefined,
          waitUntil: (result: unknown) => void clientWaits.push(result),
        })
        host.dispatchEvent(ending)
        const late = new Promise<void>((resolve) => setTimeout(resolve, ending.deadline - Date.now()))
        const clientsDone = Promise.race([settle(clientWaits, reportError), late])
        await Promise.all([target.shutdown(signal, deadline), clientsDone])
        // The players' goodbye must reach the host before the news that the page is done.
        await connections.handOver()
        if (isListenedTo) return 'nothing'
        if (ending.isHeard !== false) return 'shutdown'
        return clientWaits.length > 0 ? 'calls' : 'nothing'
      },
    },
  })
  if (!isDrawn) frameByTimer(page)
  awaitFirstFrame(page, boot)
}

/**
 * Gives the page its frames by a timer, 60 a second. The browser's own frames pass through its compositor, which takes
 * 3 % of a core and has nobody to draw for.
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
    // A callback that asks for another frame gets the next one, and one that was cancelled meanwhile isn't called.
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

/** Calls `onFirst` when the first frame that the page asks for has run: a page without `tick()` has booted then. */
export function awaitFirstFrame(page: PageWindow, onFirst: () => void): void {
  const { requestAnimationFrame } = page
  const own: PageWindow['requestAnimationFrame'] = (callback) =>
    requestAnimationFrame.call(page, (time) => {
      callback(time)
      // The game may have put something of its own around it.
      if (page.requestAnimationFrame === own) page.requestAnimationFrame = requestAnimationFrame
      onFirst()
    })
  page.requestAnimationFrame = own
}
