import type { Connections } from './connections.js'
import type { PlayerSocket } from './player-socket.js'
import type { GameServerHost } from './types.js'

export interface HostTargetOptions {
  readonly connections: Connections
  /** The game has run a step. */
  onTick(): void
  reportError(error: unknown): void
}

/** The `gameServerHost` of a game, and the function that ends the game. */
export interface HostTarget {
  readonly host: EventTarget & Record<keyof GameServerHost, unknown>
  /** Whether the game has ever listened to `shutdown`. */
  readonly isListenedTo: boolean
  /** Tells the game to end. Resolves when every promise given to `waitUntil` has settled. */
  shutdown(signal: string, deadline: number): Promise<void>
}

export function createHostTarget({ connections, onTick, reportError }: HostTargetOptions): HostTarget {
  let isListenedTo = false

  class Host extends EventTarget {
    get onconnection(): ((socket: PlayerSocket) => void) | null {
      return connections.onconnection
    }

    set onconnection(listener: ((socket: PlayerSocket) => void) | null) {
      connections.onconnection = listener
    }

    get connections(): ReadonlyMap<number, PlayerSocket> {
      return connections.sockets
    }

    tick(): void {
      onTick()
    }

    override addEventListener(...[type, listener, options]: Parameters<EventTarget['addEventListener']>): void {
      if (type === 'shutdown') isListenedTo = true
      super.addEventListener(type, listener, options)
    }
  }

  const host = new Host()
  return {
    host,
    get isListenedTo() {
      return isListenedTo
    },
    shutdown(signal, deadline) {
      const waits: unknown[] = []
      host.dispatchEvent(new ShutdownEvent(signal, deadline, waits))
      return settle(waits, reportError)
    },
  }
}

/** Resolves when all promises have settled, including promises that are added meanwhile. Reports rejections. */
export async function settle(waits: readonly unknown[], reportError: (error: unknown) => void): Promise<void> {
  for (let settled = 0; settled < waits.length;) {
    const batch = waits.slice(settled)
    settled += batch.length
    for (const result of await Promise.allSettled(batch)) {
      if (result.status === 'rejected') reportError(result.reason)
    }
  }
}

/** `types.ts` says what the members mean. */
class ShutdownEvent extends Event {
  readonly signal: string
  readonly deadline: number
  readonly #waits: unknown[]

  constructor(signal: string, deadline: number, waits: unknown[]) {
    super('shutdown')
    this.signal = signal
    this.deadline = deadline
    this.#waits = waits
  }

  waitUntil(promise: Promise<unknown>): void {
    this.#waits.push(promise)
  }
}
