/**
 * The script that the runner puts into the hosted page, before the game's own: the global `gameServerHost`.
 */
import { createConnections } from './connections.js'
import { awaitFirstFrame, frameByTimer } from './frames.js'
import type { EndWait, HostConfig, PageWindow } from './page.js'
import type { PlayerSocket } from './player-socket.js'
import type { GameServerHost } from './types.js'

/** An argument of the function that the runner puts around this script. */
declare const hostConfig: HostConfig

/** A page that has made its first step waits so long for its way to the players. */
const OPENING_MS = 1_000

const page = globalThis as unknown as PageWindow & Record<string, unknown>
// The script also runs in frames, where each would be another game server, and wherever the page navigates to.
if (page.top === globalThis && page.location.host === hostConfig.host) install(hostConfig)

function install({ playersPath, isDrawn }: HostConfig): void {
  let ticks = 0
  let isListenedTo = false

  const connections = createConnections({ page, playersPath })
  let boot!: () => void
  const firstStep = new Promise<void>((resolve) => (boot = resolve))
  const setTimeout = page.setTimeout.bind(page)
  /** Who comes as soon as the page has booted must find it at the other end. */
  const booted = firstStep.then(
    () =>
      new Promise<void>((resolve) => {
        void connections.opened.then(resolve)
        setTimeout(resolve, OPENING_MS)
      }),
  )

  class HostTarget extends EventTarget {
    get onconnection(): ((socket: PlayerSocket) => void) | null {
      return connections.onconnection
    }

    set onconnection(listener: ((socket: PlayerSocket) => void) | null) {
      connections.onconnection = listener
    }

    get connections(): ReadonlyMap<number, PlayerSocket> {
      return connections.sockets
    }

    /** One step of the game was made. Once it has been called, it must go on being called. */
    tick(): void {
      ticks += 1
      boot()
    }

    override addEventListener(...[type, listener, options]: Parameters<EventTarget['addEventListener']>): void {
      if (type === 'shutdown') isListenedTo = true
      super.addEventListener(type, listener, options)
    }
  }

  const host = new HostTarget() satisfies Record<keyof GameServerHost, unknown>
  Object.defineProperty(globalThis, 'gameServerHost', { value: host, enumerable: true })
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
        const waits: unknown[] = []
        const clientWaits: unknown[] = []
        // For the clients in this page. A client of an earlier version doesn't call `waitUntil`.
        const ending = Object.assign(new Event('ending'), {
          deadline: isListenedTo ? deadline : clientDeadline,
          isHeard: undefined as boolean | undefined,
          waitUntil: (result: unknown) => void clientWaits.push(result),
        })
        host.dispatchEvent(ending)
        host.dispatchEvent(new ShutdownEvent(signal, deadline, waits))
        const late = new Promise<void>((resolve) => setTimeout(resolve, ending.deadline - Date.now()))
        await Promise.all([settle(waits), Promise.race([settle(clientWaits), late])])
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

/** Resolves when all have settled. What is waited for may ask for more time while it is waited for. */
async function settle(waits: readonly unknown[]): Promise<void> {
  for (let settled = 0; settled < waits.length;) {
    const batch = waits.slice(settled)
    settled += batch.length
    for (const result of await Promise.allSettled(batch)) {
      if (result.status === 'rejected') page.reportError(result.reason)
    }
  }
}

/** The platform ends the game server. The page may finish its work until `deadline`. */
class ShutdownEvent extends Event {
  /** The signal's name, such as `SIGTERM`. */
  readonly signal: string
  /** When the page is ended at the latest, in ms since the Unix epoch. */
  readonly deadline: number
  readonly #waits: unknown[]

  constructor(signal: string, deadline: number, waits: unknown[]) {
    super('shutdown')
    this.signal = signal
    this.deadline = deadline
    this.#waits = waits
  }

  /** Makes the end wait for `promise`, but no longer than until `deadline`. A rejection is reported, and waited for no more. */
  waitUntil(promise: Promise<unknown>): void {
    this.#waits.push(promise)
  }
}
