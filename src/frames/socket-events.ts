import { callHost } from './errors.js'
import type { FrameWebSocket, ListenerOptions, SocketEvent, SocketListener, SocketListenerObject } from './types.js'

type Listener = SocketListener | SocketListenerObject
type Handlers = Readonly<Record<string, SocketListener | null | undefined>>

export type SocketEvents = ReturnType<typeof createSocketEvents>

/** The listeners of a socket, with the semantics of an EventTarget. */
export function createSocketEvents(socket: FrameWebSocket) {
  const listeners = new Map<string, Map<Listener, ListenerOptions>>()

  const call = (listener: Listener, event: SocketEvent): void => {
    if (typeof listener === 'function') callHost(socket, listener, event)
    else callHost(listener, listener.handleEvent, event)
  }

  return {
    add(type: string, listener: Listener | null, options?: ListenerOptions | boolean): void {
      // `Object` turns `true`, `null` and undefined into an object.
      const given = Object(options) as ListenerOptions
      const known = listeners.get(type) ?? new Map<Listener, ListenerOptions>()
      if (listener === null || given.signal?.aborted === true || known.has(listener)) return
      const added = { once: given.once === true }
      listeners.set(type, known.set(listener, added))
      given.signal?.addEventListener('abort', () => {
        if (known.get(listener) === added) known.delete(listener)
      })
    },

    remove(type: string, listener: Listener | null): void {
      if (listener !== null) listeners.get(type)?.delete(listener)
    },

    /** Calls the handler, then the listeners in the order in which they were added. */
    dispatch(type: string, detail: Partial<SocketEvent> = {}): void {
      const event: SocketEvent = { type, target: socket, ...detail }
      const handler = (socket as unknown as Handlers)[`on${type}`]
      if (typeof handler === 'function') call(handler, event)
      const known = listeners.get(type)
      for (const [listener, { once }] of [...(known ?? [])]) {
        // An earlier listener may have removed this one.
        if (known?.has(listener) !== true) continue
        if (once === true) known.delete(listener)
        call(listener, event)
      }
    },
  }
}
