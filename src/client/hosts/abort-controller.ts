import type { Controller } from '../signals.js'
import type { AbortSignalLike } from '../types.js'

/** What this package needs of an AbortController, for hosts without one. */
export class SubstituteController implements Controller {
  readonly signal: AbortSignalLike
  readonly abort: (reason?: unknown) => void

  constructor() {
    const listeners = new Set<() => void>()
    const signal = {
      aborted: false,
      reason: undefined as unknown,
      addEventListener: (_type: string, listener: () => void) => void listeners.add(listener),
      removeEventListener: (_type: string, listener: () => void) => void listeners.delete(listener),
    }
    this.signal = signal
    this.abort = (reason = new Error('aborted')) => {
      if (signal.aborted) return
      signal.aborted = true
      signal.reason = reason
      listeners.forEach((listener) => listener())
    }
  }
}
