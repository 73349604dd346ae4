import { createKey } from './accept-key.js'
import { emit } from './emit.js'
import { encodeFrame } from './encode-frame.js'
import { protocolOf, requestFor } from './handshake.js'
import { MessageDecoder } from './message-decoder.js'
import { encodeUtf8 } from './utf8.js'
import type {
  ByteStream,
  Connect,
  FrameWebSocket,
  FrameWebSocketClass,
  ReadyStates,
  SocketEvent,
  SocketListener,
  WebSocketOptions,
} from './websocket-types.js'

declare const setTimeout: ((call: () => void, ms: number) => unknown) | undefined
declare const clearTimeout: (id: unknown) => void

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type Handlers = Readonly<Record<string, SocketListener | null>>

const STATES: ReadyStates = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }

const defaultTimer = (ms: number, call: () => void): (() => void) => {
  const id = typeof setTimeout === 'function' && setTimeout(call, ms)
  return () => id && clearTimeout(id)
}

/**
 * A WebSocket class over whatever stream of bytes the host has: Node's `net`, a script VM's TCP. Extensions
 * are never offered. Faults of the network or the server are `error` and `close` events; nothing is thrown
 * out of a callback.
 */
export const createWebSocketClass = (connect: Connect, options: WebSocketOptions = {}): FrameWebSocketClass => {
  const { random = Math.random, timeout = 10000, setTimer = defaultTimer } = options

  class Socket {
    constructor(url: string, protocols: string | readonly string[] = []) {
      const offered = ([] as string[]).concat(protocols).join(', ')
      const key = createKey(random)
      const [target, request] = requestFor(url, offered, key)
      const listeners: Record<string, Set<SocketListener>> = {}
      let stream: ByteStream | undefined

      const listenersOf = (type: string): Set<SocketListener> =>
        (listeners['on' + type] = listeners['on' + type] || new Set())
      const dispatch = (type: string, detail?: object): void => {
        const event = Object.assign({ type, target: self }, detail) as SocketEvent
        ;[(self as unknown as Handlers)['on' + type], ...listenersOf(type)].map((listener) => emit(listener, event))
      }

      const finish = (code: number, reason: string, error?: unknown): void => {
        if (self.readyState < 3) {
          self.readyState = 3
          stopTimer()
          attempt(async () => stream!.close())
          if (error) dispatch('error', { error })
          dispatch('close', { code, reason, wasClean: code !== 1006 })
        }
      }
      const fail = (error: unknown): void => finish(1006, '', error)
      const attempt = (work: () => Promise<unknown>): unknown => work().catch(fail)
      const startTimer = (): (() => void) => setTimer(timeout, () => fail(Error('Timeout')))

      const write = (bytes: Uint8Array): unknown => attempt(async () => stream!.write(bytes))
      const writeFrame = (opcode: number, payload: Uint8Array): unknown => write(encodeFrame(opcode, payload, random))

      const decoder = new MessageDecoder({
        ...options,
        handshake: (head: string) => {
          const protocol = protocolOf(head, key, offered)
          if (protocol === undefined) return false
          stopTimer()
          self.protocol = protocol
          self.readyState = 1
          dispatch('open')
          return true
        },
        message: (data: string | Uint8Array) => {
          if (self.readyState < 2) {
            dispatch('message', { data: typeof data === 'string' ? data : data.slice().buffer })
          }
        },
        write: (frame: Uint8Array) => self.readyState < 2 && write(frame),
        close: finish,
        error: fail,
      })

      const self = Object.assign(this as unknown as Writable<FrameWebSocket>, STATES, {
        url,
        protocol: '',
        extensions: '',
        readyState: 0,
        bufferedAmount: 0,
        binaryType: 'arraybuffer',
        addEventListener: (type: string, listener: SocketListener) => void listenersOf(type).add(listener),
        removeEventListener: (type: string, listener: SocketListener) => void listenersOf(type).delete(listener),
        send: (data: string | ArrayBuffer | ArrayBufferView) => {
          if (!self.readyState) throw Error('InvalidStateError')
          if (self.readyState < 2) {
            if (typeof data === 'string') writeFrame(1, encodeUtf8(data))
            else {
              // Of an ArrayBuffer, which is no view, all.
              const { buffer, byteOffset = 0, byteLength } = data as ArrayBufferView
              writeFrame(2, new Uint8Array(buffer || data, byteOffset, byteLength))
            }
          }
        },
        close: (code = 1000, reason = '') => {
          const payload = Uint8Array.of(code >> 8, code, ...encodeUtf8(reason))
          if (!/^(1000|[34]\d{3})$/.test(code as never) || payload.length > 125) {
            throw Error('InvalidAccessError')
          }
          if (self.readyState > 1) return
          if (self.readyState) {
            writeFrame(8, payload)
            stopTimer = startTimer()
          } else
            attempt(async () => {
              throw Error('AbortError')
            })
          self.readyState = 2
        },
      })

      let stopTimer = startTimer()
      attempt(async () => {
        stream = await connect(target)
        // What ended meanwhile could not close it.
        if (self.readyState) return self.readyState > 2 && stream.close()
        stream.onData((bytes) => decoder.push(bytes))
        stream.onClose((error) => fail(error || (!self.readyState && Error('Closed'))))
        return write(request)
      })
    }
  }
  return Object.assign(Socket, STATES) as unknown as FrameWebSocketClass
}
