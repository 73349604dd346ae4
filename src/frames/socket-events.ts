import { callHost } from './errors.js'
import type { FrameWebSocket, SocketEvent, SocketListener, SocketListenerObject } from './types.js'

type Listener = SocketListener | SocketListenerObject
type Handlers = Readonly<Record<string, SocketListener | null | undefined>>

/** The listeners of a socket, as an EventTarget of the web has them. */
export interface SocketEvents {
  add(type: string, listener: Listener | null, options?: { readonly once?: boolean } | boolean): void
  remove(type: string, listener: Listener | null): void
  /** Calls the handler, then the listeners in the order in which they were added. */
  dispatch(type: string, detail?: Partial<SocketEvent>): void
}

export function createSocketEvents(socket: FrameWebSocket): SocketEvents {
  /** By type; each with whether it is for one event only. */
  const listeners = new Map<string, Map<Listener, boolean>>()

  const call = (listener: Listener, event: SocketEvent): void => {
    callHost(() => {
      if (typeof listener === 'function') listener.call(socket, event)
      else listener.handleEvent(event)
    }, undefined)
  }

  return {
    add(type, listener, options) {
      if (listener === null) return
      const known = listeners.get(type) ?? new Map<Listener, boolean>()
      listeners.set(type, known)
      if (!known.has(listener)) known.set(listener, typeof options === 'object' && options.once === true)
    },

    remove(type, listener) {
      if (listener !== null) listeners.get(type)?.delete(listener)
    },

    dispatch(type, detail = {}) {
      const event: SocketEvent = { type, target: socket, ...detail }
      const handler = (socket as unknown as Handlers)[`on${type}`]
      if (typeof handler === 'function') call(handler, event)
      const known = listeners.get(type)
      for (const [listener, once] of [...(known ?? [])]) {
        // One that was removed by a listener before it isn't called.
        if (known?.has(listener) !== true) continue
        if (once) known.delete(listener)
        call(listener, event)
      }
    },
  }
}
