import mitt from 'mitt'
import { host } from './host.js'
import type { LoggerLike } from './types.js'

interface Subscription {
  readonly _type: PropertyKey
  readonly _listener: unknown
  readonly _context: unknown
  readonly _end: () => void
}

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
  _clear(): void
}

/** mitt, with each listener on its own: one that throws stops nobody else, one that is removed isn't called again. */
export function createEmitter<Events extends object>(
  logger: LoggerLike | undefined,
): Emitter<Events> {
  const bus = mitt<Record<PropertyKey, never>>()
  const subscriptions = new Set<Subscription>()
  return {
    _on(type, listener, context, onCall) {
      let active = true
      const guarded = (event: never): void => {
        if (!active) return
        if (onCall) onCall()
        guard(() => listener.call(context, event), logger)
      }
      const subscription = {
        _type: type,
        _listener: listener,
        _context: context,
        _end() {
          active = false
          subscriptions.delete(subscription)
          bus.off(type, guarded)
        },
      }
      subscriptions.add(subscription)
      bus.on(type, guarded)
      return subscription._end
    },
    _off(type, listener, context) {
      const match = Array.from(subscriptions).find(
        (s) => s._type === type && s._listener === listener && (context === undefined || s._context === context),
      )
      if (match) match._end()
    },
    _emit: (type, event) => bus.emit(type, event as never),
    _has: (type) => (bus.all.get(type) ?? []).length > 0,
    _clear() {
      subscriptions.forEach((subscription) => subscription._end())
    },
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
