import mitt from 'mitt'
import type { LoggerLike, SidecarEvents } from '../types.js'
import { host } from './host.js'

type Types = keyof SidecarEvents
type Listener<T extends Types> = (event: SidecarEvents[T]) => void
/** Emits one event. */
export type Emit = <T extends Types>(type: T, event: SidecarEvents[T]) => void

/** Tells one listener of what came before it. */
type Replay<T extends Types> = (tell: Listener<T>) => void

interface Subscription {
  readonly type: Types
  readonly listener: (event: never) => void
  readonly context: unknown
  readonly end: () => void
}

export interface Emitter {
  emit: Emit
  has(type: Types): boolean
  /**
   * Returns the function that ends the subscription.
   * @param replay called in a microtask, when the caller has the result of `on`, and before anything new is told
   */
  on<T extends Types>(type: T, listener: Listener<T>, context?: unknown, replay?: Replay<T>): () => void
  off<T extends Types>(type: T, listener: Listener<T>, context?: unknown): void
  /** Ends every subscription. */
  clear(): void
}

/** mitt with each listener on its own: one that throws stops nobody else, one that is removed isn't called again. */
export function createEmitter(logger: LoggerLike | undefined): Emitter {
  const bus = mitt<Record<PropertyKey, never>>()
  const subscriptions = new Set<Subscription>()
  const has = (type: Types): boolean => (bus.all.get(type) ?? []).length > 0

  return {
    has,
    emit(type, event) {
      // An error that nobody listens to is logged.
      if (type === 'error' && !has(type)) logger?.warn?.((event as SidecarEvents['error']).message)
      bus.emit(type, event as never)
    },

    on(type, listener, context, replay) {
      const tell = (event: never): void => {
        if (!subscriptions.has(subscription)) return
        try {
          listener.call(context, event)
        } catch (error) {
          reportListenerError(error, logger)
        }
      }
      const end = (): void => {
        subscriptions.delete(subscription)
        bus.off(type, tell)
      }
      const subscription: Subscription = { type, listener, context, end }
      subscriptions.add(subscription)
      if (replay)
        void Promise.resolve().then(() => {
          if (!subscriptions.has(subscription)) return
          bus.on(type, tell)
          replay(tell as never)
        })
      else bus.on(type, tell)
      return end
    },

    off(type, listener, context) {
      Array.from(subscriptions)
        .find(
          (subscription) =>
            subscription.type === type &&
            subscription.listener === listener &&
            (context === undefined || subscription.context === context),
        )
        ?.end()
    },

    clear: () => subscriptions.forEach(({ end }) => end()),
  }
}

/** Reports an error as the host reports uncaught ones, without unwinding anything of ours. */
function reportListenerError(error: unknown, logger: LoggerLike | undefined): void {
  const { reportError } = host()
  if (logger?.error) logger.error(error)
  else if (reportError) reportError(error)
  else void Promise.reject(error) // Unhandled on purpose: every engine reports that.
}
