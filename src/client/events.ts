import mitt from 'mitt'
import { emitChanges, type Emit } from '../watch/changes.js'
import type { Core } from './core.js'
import type { SidecarError } from './errors.js'
import { host } from './host.js'
import type { SidecarEvents } from './types.js'

type Listener = (event: never) => void

/** Whether an event is derived from the watch, which its first listener then starts. */
export function isOfWatch(type: keyof SidecarEvents): boolean {
  return !/^(health|connection|error|signal)$/.test(type)
}

export interface Events {
  /** An `error` that nobody listens to is logged. */
  _emit: Emit
  _has(type: keyof SidecarEvents): boolean
  /** Ends every subscription. */
  _clear(): void
  on<T extends keyof SidecarEvents>(type: T, listener: (event: SidecarEvents[T]) => void, context?: unknown): () => void
  off(type: keyof SidecarEvents, listener: Listener, context?: unknown): void
}

/** mitt, with each listener on its own: one that throws stops nobody else, one that is removed isn't called again. */
export function createEvents(core: Core): Events {
  const bus = mitt<Record<PropertyKey, never>>()
  /** By the function that ends it, each subscription. */
  const subscriptions = new Map<() => void, unknown[]>()
  const { logger = {} } = core
  const _has = (type: keyof SidecarEvents): boolean => !!(bus.all.get(type) || [])[0]

  return {
    _has,
    _emit(type, event) {
      if (type === 'error' && logger.warn && !_has(type)) logger.warn((event as SidecarError).message)
      bus.emit(type, event as never)
    },

    _clear: () => subscriptions.forEach((_, end) => end()),

    on(type, listener, context) {
      let told = !isOfWatch(type)
      const handle = (event: never): void => {
        if (!subscriptions.has(end)) return
        told = true
        try {
          listener.call(context, event)
        } catch (error) {
          // As the host reports uncaught errors; it unwinds nobody.
          const { reportError } = host()
          if (logger.error) logger.error(error)
          else if (reportError) reportError(error)
          else void Promise.reject(error) // unhandled on purpose: every engine reports that
        }
      }
      const end = (): void => {
        subscriptions.delete(end)
        bus.off(type, handle)
      }
      subscriptions.set(end, [type, listener, context])
      bus.on(type, handle)
      if (!told) {
        core._ensureWatch()
        // Who comes late is told what is known, once the caller has what `on` returns.
        void Promise.resolve().then(() => {
          if (!told && core._last)
            emitChanges(
              core,
              undefined,
              core._last,
              (name, event) => {
                if (name === (type as string)) handle(event as never)
              },
              (name) => name === type,
            )
        })
      }
      return end
    },

    off(type, listener, context) {
      const found = Array.from(subscriptions).find(
        ([, [t, l, c]]) => t === type && l === listener && (context === undefined || c === context),
      )
      if (found) found[0]()
    },
  }
}
