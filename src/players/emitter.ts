import { isSidecarError, type SidecarError } from '../index.js'
import { check, checkName } from './checks.js'

declare const console: { warn?(message: string): void } | undefined

export interface Emitter<Events> {
  /** @throws SidecarError `INVALID_ARGUMENT` for an event that doesn't exist */
  on<T extends keyof Events & string>(type: T, listener: (event: Events[T]) => void): () => void
  emit<T extends keyof Events & string>(type: T, event: Events[T]): void
}

/** Tells events, each listener on its own: one that throws stops nobody else. */
export function createEmitter<Events extends { error: SidecarError }>(types: readonly string[]): Emitter<Events> {
  const listeners = new Set<{ type: string; listener: (event: never) => void }>()

  return {
    on(type, listener) {
      checkName(type, types, 'event', 'on')
      check(typeof listener === 'function', 'listener', listener, 'a function', 'on')
      const entry = { type, listener }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },

    emit(type, event) {
      const heard = Array.from(listeners).filter((entry) => entry.type === type)
      for (const entry of heard) {
        // What it throws becomes an unhandled rejection on purpose: every engine reports that.
        if (listeners.has(entry)) void new Promise<void>(() => entry.listener(event as never))
      }
      // An error that nobody listens to is not lost.
      if (!heard.length && isSidecarError(event) && typeof console === 'object' && console.warn)
        console.warn('gameserver-sidecar: ' + event.message)
    },
  }
}
