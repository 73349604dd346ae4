import { check, checkName } from './checks.js'
import { host } from './host.js'
import type { LoggerLike } from './option-types.js'

interface Subscription {
  readonly listener: (event: never) => unknown
  readonly context: unknown
  isOn: boolean
}

export interface Emitter<Events> {
  /** Returns what the listeners returned. */
  emit: <T extends keyof Events & string>(type: T, event: Events[T]) => unknown[]
  has: (type: string) => boolean
  /**
   * Returns the function that ends the subscription.
   *
   * @param replay tells the listener what came before, in a microtask, once `on` has returned
   * @throws SidecarError `INVALID_ARGUMENT` for an event that doesn't exist
   */
  on: <T extends keyof Events & string>(
    type: T,
    listener: (event: Events[T]) => void,
    context?: unknown,
    replay?: (tell: (event: Events[T]) => void) => void,
  ) => () => void
  off: <T extends keyof Events & string>(type: T, listener: (event: Events[T]) => void, context?: unknown) => void
  clear: () => void
}

/**
 * Emits events. A listener that throws doesn't stop the others; a removed listener isn't called again.
 *
 * @param logger gets an `error` event that nobody listens to; default: the host's console
 */
export function createEmitter<Events extends { error: Error }>(
  types: readonly string[],
  logger?: LoggerLike,
): Emitter<Events> {
  // An array is replaced, never changed: an event goes to the listeners of the moment when it was emitted.
  const subscriptions = new Map<string, Subscription[]>()
  const of = (type: string): Subscription[] => subscriptions.get(type) ?? []

  function tell(subscription: Subscription, event: unknown): unknown {
    if (!subscription.isOn) return
    try {
      return subscription.listener.call(subscription.context, event as never)
    } catch (error) {
      return reportListenerError(error, logger)
    }
  }

  const emitter: Emitter<Events> = {
    has: (type) => of(type).length > 0,

    emit(type, event) {
      const results = of(type).map((subscription) => tell(subscription, event))
      if (type !== 'error' || results.length) return results
      const sink = logger ?? host().console
      if (sink?.warn) sink.warn((logger ? '' : 'gameserver-sidecar: ') + (event as Events['error']).message)
      return results
    },

    on(type, listener, context, replay) {
      checkName(type, types, 'event', 'on')
      check(typeof listener === 'function', 'listener', listener, 'a function', 'on')
      const subscription = { listener, context, isOn: !replay }
      subscriptions.set(type, of(type).concat(subscription))
      if (replay)
        void Promise.resolve().then(() => {
          if (!of(type).includes(subscription)) return
          subscription.isOn = true
          replay((event) => void tell(subscription, event))
        })
      return () => remove(type, subscription)
    },

    off(type, listener, context) {
      const found = of(type).find(
        (one) => one.listener === listener && (context === undefined || one.context === context),
      )
      if (found) remove(type, found)
    },

    clear() {
      subscriptions.forEach((all) => all.forEach((one) => (one.isOn = false)))
      subscriptions.clear()
    },
  }

  function remove(type: string, subscription: Subscription): void {
    subscription.isOn = false
    subscriptions.set(
      type,
      of(type).filter((one) => one !== subscription),
    )
  }

  return emitter
}

/** Reports an error as the host reports uncaught ones, without unwinding our own code. */
function reportListenerError(error: unknown, logger: LoggerLike | undefined): void {
  const { reportError } = host()
  if (logger?.error) logger.error(error)
  else if (reportError) reportError(error)
  else void Promise.reject(error) // Unhandled on purpose: every engine reports that.
}
