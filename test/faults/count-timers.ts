import type { ClientOptions } from '../../src/index.js'

export interface CountedTimers {
  readonly scheduler: ClientOptions['scheduler'] & object
  /** Set, and neither run nor cleared. */
  readonly pending: number
  /** Resolves when a timer is set. */
  untilPending(): Promise<void>
}

/** The host's timers, counted: none left means that nothing can start by itself later. */
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
