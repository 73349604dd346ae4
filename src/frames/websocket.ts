import { BINARY, callHost, CLOSE, encodeFrame, TEXT } from './frame.js'
import { createKey, openingFor, protocolOf } from './handshake.js'
import { MessageDecoder } from './message-decoder.js'
import { encodeUtf8 } from './payload.js'
import type {
  ByteStream,
  Connect,
  FrameWebSocket,
  FrameWebSocketClass,
  ReadyStates,
  SocketEvent,
  SocketListener,
  WebSocketOptions,
} from './types.js'

declare const setTimeout: ((call: () => void, ms: number) => unknown) | undefined
declare const clearTimeout: (id: unknown) => void

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type Handlers = Readonly<Record<string, SocketListener | null | undefined>>

const CONNECTING = 0
const OPEN = 1
const CLOSING = 2
const CLOSED = 3
const STATES: ReadyStates = { CONNECTING, OPEN, CLOSING, CLOSED }

/** A close frame's payload: a code of two bytes, then the reason. */
const CLOSE_LIMIT = 125
/** The code for a connection that ended without a close frame, or after an error. */
const ABNORMAL = 1006

const defaultTimer = (ms: number, call: () => void): (() => void) => {
  if (typeof setTimeout !== 'function') return () => undefined
  const id = setTimeout(call, ms)
  return () => clearTimeout(id)
}

/**
 * Makes a WebSocket class over any stream of bytes that the host has: Node's `net`, or the TCP of a script VM. Extensions
 * are never offered. Faults of the network or the server are `error` and `close` events; no callback throws.
 */
export function createWebSocketClass(connect: Connect, options: WebSocketOptions = {}): FrameWebSocketClass {
  const { random = Math.random, timeout = 10_000, setTimer = defaultTimer } = options

  // A constructor whose members are closures: no script can reach into a socket.
  // eslint-disable-next-line @typescript-eslint/no-extraneous-class
  class Socket {
    constructor(url: string, protocols: string | readonly string[] = []) {
      const offered = typeof protocols === 'string' ? protocols : protocols.join(', ')
      const key = createKey(random)
      const { target, request } = openingFor(url, offered, key)
      const listeners = new Map<string, Set<SocketListener>>()
      let stream: ByteStream | undefined

      const dispatch = (type: string, detail: Partial<SocketEvent> = {}): void => {
        const event: SocketEvent = { type, target: self, ...detail }
        const handler = (self as unknown as Handlers)[`on${type}`]
        for (const listener of [handler, ...(listeners.get(type) ?? [])]) callHost(listener, event)
      }

      const finish = (code: number, reason: string, error?: unknown): void => {
        if (self.readyState === CLOSED) return
        self.readyState = CLOSED
        stopTimer()
        attempt(async () => stream?.close())
        if (error) dispatch('error', { error })
        dispatch('close', { code, reason, wasClean: code !== ABNORMAL })
      }
      const fail = (error: unknown): void => finish(ABNORMAL, '', error)
      const startTimer = (): (() => void) => setTimer(timeout, () => fail(new Error('Timeout')))

      /** Calls the host's stream, whose methods may throw or reject. */
      const attempt = (call: () => Promise<unknown>): void => void call().catch(fail)
      const write = (bytes: Uint8Array): void => attempt(async () => stream!.write(bytes))
      const writeFrame = (opcode: number, payload: Uint8Array): void => write(encodeFrame(opcode, payload, random))

      const decoder = new MessageDecoder({
        ...options,
        handshake: (head) => {
          const protocol = protocolOf(head, key, offered)
          if (protocol === undefined) return false
          stopTimer()
          self.protocol = protocol
          self.readyState = OPEN
          dispatch('open')
          return true
        },
        message: (data) => {
          if (self.readyState > OPEN) return
          dispatch('message', { data: typeof data === 'string' ? data : data.slice().buffer })
        },
        write: (frame) => {
          if (self.readyState <= OPEN) write(frame)
        },
        close: finish,
        error: fail,
      })

      const self = Object.assign(this as unknown as Writable<FrameWebSocket>, STATES, {
        url,
        protocol: '',
        extensions: '',
        readyState: CONNECTING,
        bufferedAmount: 0,
        binaryType: 'arraybuffer',

        addEventListener(type: string, listener: SocketListener) {
          const known = listeners.get(type) ?? new Set()
          listeners.set(type, known.add(listener))
        },

        removeEventListener(type: string, listener: SocketListener) {
          listeners.get(type)?.delete(listener)
        },

        send(data: string | ArrayBuffer | ArrayBufferView) {
          if (self.readyState === CONNECTING) throw new Error('InvalidStateError')
          if (self.readyState > OPEN) return
          if (typeof data === 'string') writeFrame(TEXT, encodeUtf8(data))
          else if (!ArrayBuffer.isView(data)) writeFrame(BINARY, new Uint8Array(data))
          else writeFrame(BINARY, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
        },

        close(code = 1000, reason = '') {
          const payload = Uint8Array.of(code >> 8, code, ...encodeUtf8(reason))
          if (!/^(1000|[34]\d{3})$/.test(String(code)) || payload.length > CLOSE_LIMIT) {
            throw new Error('InvalidAccessError')
          }
          if (self.readyState > OPEN) return
          if (self.readyState === OPEN) {
            writeFrame(CLOSE, payload)
            stopTimer = startTimer()
          } else {
            attempt(() => Promise.reject(new Error('AbortError')))
          }
          self.readyState = CLOSING
        },
      })

      let stopTimer = startTimer()
      attempt(async () => {
        stream = await connect(target)
        if (self.readyState === CONNECTING) {
          stream.onData((bytes) => decoder.push(bytes))
          stream.onClose((error) => fail(error || (self.readyState === CONNECTING && new Error('Closed'))))
          write(request)
        } else if (self.readyState === CLOSED) {
          // The socket was closed meanwhile, when there was no stream to close.
          await stream.close()
        }
      })
    }
  }
  return Object.assign(Socket, STATES) as unknown as FrameWebSocketClass
}
