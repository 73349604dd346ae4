import mitt from 'mitt'
import { host } from './host.js'
import type { LoggerLike } from './types.js'

export interface Emitter<Events extends object> {
  /** `onCall` is told before each call of the listener. */
  _on<T extends keyof Events>(
    type: T,
    listener: (event: Events[T]) => void,
    context?: unknown,
    onCall?: () => void,
  ): () => void
  _off<T extends keyof Events>(type: T, listener: (event: Events[T]) => void, context?: unknown): void
  _emit<T extends keyof Events>(type: T, event: Events[T]): void
  _has(type: keyof Events): boolean
  /** Whether the listener that this ends is still subscribed. */
  _isActive(end: () => void): boolean
  _clear(): void
}

/** mitt, with each listener on its own: one that throws stops nobody else, one that is removed isn't called again. */
export function createEmitter<Events extends object>(logger: LoggerLike | undefined): Emitter<Events> {
  const bus = mitt<Record<PropertyKey, never>>()
  const ends = new Map<() => void, unknown[]>()
  return {
    _on(type, listener, context, onCall) {
      const guarded = (event: never): void => {
        if (!ends.has(end)) return
        if (onCall) onCall()
        guard(() => listener.call(context, event), logger)
      }
      const end = (): void => {
        ends.delete(end)
        bus.off(type, guarded)
      }
      ends.set(end, [type, listener, context])
      bus.on(type, guarded)
      return end
    },
    _off(type, listener, context) {
      const found = Array.from(ends).find(
        ([, [t, l, c]]) => t === type && l === listener && (context === undefined || c === context),
      )
      if (found) found[0]()
    },
    _emit: (type, event) => bus.emit(type, event as never),
    _has: (type) => (bus.all.get(type) || []).length > 0,
    _isActive: (end) => ends.has(end),
    _clear: () => ends.forEach((_, end) => end()),
  }
}

/** Runs a listener; what it throws is reported as the host reports uncaught errors, and unwinds nobody. */
export function guard(run: () => void, logger: LoggerLike | undefined): void {
  try {
    run()
  } catch (error) {
    const { reportError } = host()
    if (logger && logger.error) logger.error(error)
    else if (reportError) reportError(error)
    else void Promise.reject(error) // unhandled on purpose: every engine reports that
  }
}
