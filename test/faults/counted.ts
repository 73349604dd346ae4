import WebSocket from 'ws'
import type { ClientOptions } from '../../src/index.js'

export interface CountedDials {
  /** When each request and each socket was started, refused ones included, by `now`. */
  readonly dials: readonly number[]
  readonly options: Required<Pick<ClientOptions, 'fetch' | 'WebSocket'>>
}

/** The host's own fetch and the `ws` package, counted on the client's side, since no server sees a refused dial. */
export function countDials(now: () => number = () => performance.now()): CountedDials {
  const dials: number[] = []
  return {
    dials,
    options: {
      fetch(url, init) {
        dials.push(now())
        return fetch(url, init as object)
      },
      WebSocket: class extends WebSocket {
        constructor(url: string) {
          dials.push(now())
          super(url, { perMessageDeflate: false })
        }
      },
    },
  }
}

export interface CountedTimers {
  readonly scheduler: ClientOptions['scheduler'] & object
  /** Timers that were set and have neither run nor been cleared. */
  readonly pending: number
  /** Resolves when a timer is set. */
  untilPending(): Promise<void>
}

/** The host's timers, counted: without a pending timer, nothing can start by itself later. */
export function countTimers(): CountedTimers {
  const open = new Set<NodeJS.Timeout>()
  const waiting = new Set<() => void>()
  return {
    scheduler: {
      setTimeout(callback, ms) {
        const id = setTimeout(() => {
          open.delete(id)
          callback()
        }, ms)
        open.add(id)
        waiting.forEach((resume) => resume())
        waiting.clear()
        return id
      },
      clearTimeout(id) {
        open.delete(id)
        clearTimeout(id)
      },
    },
    get pending() {
      return open.size
    },
    untilPending: () => (open.size > 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve))),
  }
}
