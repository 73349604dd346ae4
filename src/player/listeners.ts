import { globals } from './browser.js'
import type { PlayerConnection, PlayerEvents } from './types.js'

type Types = keyof PlayerEvents
type Fields<Type extends Types> = Omit<PlayerEvents[Type], 'type' | 'target'>
type Listener = (event: never) => void

export interface Listeners extends Pick<PlayerConnection, 'addEventListener' | 'removeEventListener'> {
  emit<Type extends Types>(type: Type, fields: Fields<Type>): void
}

/** The listeners of a connection, with its `on…` ones. One that throws stops no other. */
export function createListeners(target: () => PlayerConnection): Listeners {
  const added = new Map<Types, Set<Listener>>()
  const of = (type: Types): Set<Listener> => {
    const known = added.get(type) ?? new Set()
    added.set(type, known)
    return known
  }
  const tell = (listener: Listener, event: object): void => {
    try {
      listener.call(target(), event as never)
    } catch (error) {
      // The page's own handling of errors gets it.
      globals().setTimeout(() => {
        throw error
      }, 0)
    }
  }
  return {
    addEventListener(type, listener) {
      of(type).add(listener)
    },
    removeEventListener(type, listener) {
      of(type).delete(listener)
    },
    emit(type, fields) {
      const event = Object.assign({ type, target: target() }, fields)
      const on = target()[`on${type}`] as Listener | null
      if (typeof on === 'function') tell(on, event)
      for (const listener of Array.from(of(type))) tell(listener, event)
    },
  }
}
