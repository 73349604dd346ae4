import mitt from 'mitt'
import { check, checkName } from './checks.js'
import { globals, type LoggerLike, warn } from './globals.js'

/** An event on its way, and what its listeners have returned. */
type Delivery = readonly [event: unknown, results: unknown[]]

/** What mitt gets in place of a listener. */
interface Wrapper {
  (delivery: Delivery): void
  readonly listener: unknown
  readonly context: unknown
  readonly end: () => void
}

/**
 * Emits events. A listener that throws doesn't stop the others; a removed listener isn't called again.
 *
 * @param logger gets an `error` event that nobody listens to; default: the host's console
 */
export function createEmitter<Events extends { error: Error }>(types: readonly string[], logger?: LoggerLike) {
  type Listener<T extends keyof Events> = (event: Events[T]) => void
  const bus = mitt<Record<string, Delivery>>()
  const of = (type: string): Wrapper[] => (bus.all.get(type) ?? []) as Wrapper[]
  const has = (type: string): boolean => of(type).length > 0

  return {
    has,

    /** Returns what the listeners returned. */
    emit<T extends keyof Events & string>(type: T, event: Events[T]): unknown[] {
      const results: unknown[] = []
      if (has(type)) bus.emit(type, [event, results])
      else if (type === 'error') warn(logger, (event as Error).message)
      return results
    },

    /**
     * Returns the function that ends the subscription.
     *
     * @param replay tells the listener what came before, in a microtask, once `on` has returned
     * @throws SidecarError `INVALID_ARGUMENT` for an event that doesn't exist
     */
    on<T extends keyof Events & string>(
      type: T,
      listener: Listener<T>,
      context?: unknown,
      replay?: (tell: Listener<T>) => void,
    ): () => void {
      checkName(type, types, 'event', 'on')
      check(typeof listener === 'function', 'listener', listener, 'a function', 'on')
      let isOn = !replay
      let isOver = false
      const end = (): void => {
        isOver = true
        bus.off(type, wrapper)
      }
      const deliver = ([event, results]: Delivery): void => {
        if (!isOn || isOver) return
        try {
          results.push(listener.call(context, event as never))
        } catch (error) {
          reportListenerError(error, logger)
        }
      }
      const wrapper: Wrapper = Object.assign(deliver, { listener, context, end })
      bus.on(type, wrapper)
      if (replay)
        void Promise.resolve().then(() => {
          isOn = true
          if (!isOver) replay((event) => deliver([event, []]))
        })
      return end
    },

    off<T extends keyof Events & string>(type: T, listener: Listener<T>, context?: unknown): void {
      const found = of(type).find(
        (one) => one.listener === listener && (context === undefined || one.context === context),
      )
      if (found) found.end()
    },

    clear: (): void =>
      bus.all.forEach((_, type) =>
        of(type)
          .slice()
          .forEach(({ end }) => end()),
      ),
  }
}

export type Emitter<Events extends { error: Error }> = ReturnType<typeof createEmitter<Events>>

/** Reports an error as the host reports uncaught ones, without unwinding our own code. */
function reportListenerError(error: unknown, logger: LoggerLike | undefined): void {
  const { reportError } = globals()
  if (logger?.error) logger.error(error)
  else if (reportError) reportError(error)
  else void Promise.reject(error) // Unhandled on purpose: every engine reports that.
}
