import { bytesIn, createRandomBytes } from './bytes.js'
import { createConnection, namedError, STATES } from './connection.js'
import { callHost, checkNumbers } from './errors.js'
import { BINARY, CLOSE, encodeFrame, TEXT } from './frame.js'
import { createHandshake } from './handshake.js'
import { encodeUtf8 } from './text.js'
import type {
  ByteInput,
  Connect,
  FrameWebSocket,
  FrameWebSocketClass,
  ListenerOptions,
  SocketEvent,
  SocketListener,
  WebSocketOptions,
} from './types.js'

type Handlers = Readonly<Record<string, SocketListener | null | undefined>>

/** The listeners of a socket, with the semantics of an EventTarget. */
function createSocketEvents(socket: FrameWebSocket) {
  /** For each type, its listeners, and whether each is for one event only. */
  const listeners = new Map<string, Map<SocketListener, boolean>>()

  return {
    add(type: string, listener: SocketListener | null, options?: ListenerOptions | boolean): void {
      const known = listeners.get(type) ?? new Map<SocketListener, boolean>()
      if (listener === null || known.has(listener)) return
      // `Object` turns `true`, `null` and undefined into an object.
      listeners.set(type, known.set(listener, (Object(options) as ListenerOptions).once === true))
    },

    remove(type: string, listener: SocketListener | null): void {
      if (listener !== null) listeners.get(type)?.delete(listener)
    },

    /** Calls the handler, then the listeners in the order in which they were added. */
    dispatch(type: string, detail: Partial<SocketEvent> = {}): void {
      const event: SocketEvent = { type, target: socket, ...detail }
      const handler = (socket as unknown as Handlers)[`on${type}`]
      if (typeof handler === 'function') callHost(socket, handler, event)
      const known = listeners.get(type)
      for (const [listener, once] of [...(known ?? [])]) {
        // An earlier listener may have removed this one.
        if (known?.has(listener) !== true) continue
        if (once) known.delete(listener)
        callHost(socket, listener, event)
      }
    },
  }
}

type Listeners = ReturnType<typeof createSocketEvents>

/** The most bytes of a close frame's reason, besides the two of its code. */
const REASON_LIMIT = 123

/** Converts to text as pages do: a symbol is a TypeError. */
const toText = (value: unknown): string => ''.concat(value as string)

/** A property of a socket that a subclass can't use by accident. */
const inside = Symbol('inside')

/** Shared by all sockets. As properties of the prototype, they don't override accessors of a subclass. */
const SHARED = {
  ...STATES,
  extensions: '',
  binaryType: 'arraybuffer',
  onopen: null,
  onmessage: null,
  onerror: null,
  onclose: null,
}

/**
 * Creates a WebSocket class over any stream of bytes: Node's `net`, or the TCP of a script VM. It offers no extensions.
 * Faults of the network or the server are `error` and `close` events; no callback throws.
 * @throws RangeError for a timeout or a limit that isn't a number of at least 0
 */
export function createWebSocketClass(connect: Connect, options: WebSocketOptions = {}): FrameWebSocketClass {
  checkNumbers(options)
  const randomBytes = createRandomBytes(options)

  const createInside = (socket: FrameWebSocket, protocols: readonly string[]) => {
    const handshake = createHandshake(socket.url, protocols, randomBytes)
    const events = createSocketEvents(socket)
    const connection = createConnection({ connect, options, randomBytes }, handshake, events.dispatch)
    return { handshake, events, connection }
  }

  class Socket {
    readonly url: string
    private readonly [inside]: ReturnType<typeof createInside>

    constructor(url: string | { readonly href: string }, protocols: string | Iterable<string> = []) {
      this.url = toText(url)
      const offered = typeof protocols === 'string' ? [protocols] : Array.from(protocols, toText)
      this[inside] = createInside(this as unknown as FrameWebSocket, offered)
    }

    get protocol(): string {
      return this[inside].handshake.protocol()
    }
    get readyState(): number {
      return this[inside].connection.state()
    }
    get bufferedAmount(): number {
      return this[inside].connection.buffered()
    }

    addEventListener(...given: Parameters<Listeners['add']>): void {
      this[inside].events.add(...given)
    }
    removeEventListener(...given: Parameters<Listeners['remove']>): void {
      this[inside].events.remove(...given)
    }

    send(data: string | number | ByteInput): void {
      const { connection } = this[inside]
      if (connection.state() === STATES.CONNECTING) {
        throw namedError('InvalidStateError', 'Still connecting')
      }
      const bytes = typeof data === 'string' ? undefined : bytesIn(data)
      if (bytes === undefined && /^\[object (Blob|File)]$/.test(Object.prototype.toString.call(data))) {
        throw new TypeError('Send the arrayBuffer() of a Blob')
      }
      const payload = bytes ?? encodeUtf8(toText(data))
      if (connection.state() !== STATES.OPEN) return
      connection.write(encodeFrame(bytes === undefined ? TEXT : BINARY, payload, randomBytes))
    }

    close(code = 1000, reason = ''): void {
      if (!/^(1000|[34]\d{3})$/.test(String(code))) {
        throw namedError('InvalidAccessError', `The code must be 1000 or 3000-4999; got ${String(code)}`)
      }
      const encoded = encodeUtf8(toText(reason))
      if (encoded.length > REASON_LIMIT) {
        throw new SyntaxError(`The reason has ${encoded.length} bytes; at most ${REASON_LIMIT}`)
      }
      this[inside].connection.close(encodeFrame(CLOSE, [code >> 8, code, ...encoded], randomBytes))
    }
  }
  Object.assign(Socket.prototype, SHARED)
  return Object.assign(Socket, STATES) as unknown as FrameWebSocketClass
}
