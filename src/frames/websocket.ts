import { acceptOf, createKey } from './accept-key.js'
import { emit } from './emit.js'
import { encodeFrame } from './encode-frame.js'
import { MessageDecoder } from './message-decoder.js'
import { defaultRandom } from './random.js'
import type { DecoderHost, DecoderLimits } from './types.js'
import { encodeUtf8 } from './utf8.js'

/** A stream of bytes that the host opened. */
export interface ByteStream {
  write(bytes: Uint8Array): unknown
  /** Ends the stream once what was written is on its way. */
  close(): unknown
  onData(listener: (bytes: Uint8Array) => void): unknown
  /** `error`: why, if it was not an orderly end. */
  onClose(listener: (error?: unknown) => void): unknown
}

/** Opens a stream; for `secure` one over TLS. `host` is a name or an address, an IPv6 one without brackets. */
export type Connect = (target: { host: string; port: number; secure: boolean }) => ByteStream | PromiseLike<ByteStream>

export interface WebSocketOptions extends DecoderLimits, DecoderHost {
  /** Milliseconds that opening, and then closing, may take. Default: 10,000. */
  readonly timeout?: number
  /** Runs `call` after `ms`, and returns how to cancel it. Default: by the global timers; without any, no timeout. */
  readonly setTimer?: (ms: number, call: () => void) => () => void
}

/** Every event has `type` and `target`; what else it has depends on its type. */
export interface SocketEvent {
  readonly type: string
  readonly target: FrameWebSocket
  /** `message`: the text or bytes. */
  readonly data?: string | ArrayBuffer
  /** `close` */
  readonly code?: number
  readonly reason?: string
  readonly wasClean?: boolean
  /** `error` */
  readonly error?: unknown
  readonly message?: string
}

export type SocketListener = (event: SocketEvent) => void

export interface ReadyStates {
  readonly CONNECTING: 0
  readonly OPEN: 1
  readonly CLOSING: 2
  readonly CLOSED: 3
}

/** The WebSocket of the W3C, as far as it makes sense without a page. */
export interface FrameWebSocket extends ReadyStates {
  readonly url: string
  /** The subprotocol that the server chose, or ''. */
  readonly protocol: string
  readonly extensions: string
  readonly readyState: 0 | 1 | 2 | 3
  readonly bufferedAmount: number
  /** Bytes arrive as an ArrayBuffer, whatever is set here. */
  binaryType: string
  onopen: SocketListener | null
  onmessage: SocketListener | null
  onerror: SocketListener | null
  onclose: SocketListener | null
  addEventListener(type: string, listener: SocketListener): void
  removeEventListener(type: string, listener: SocketListener): void
  /** @throws InvalidStateError while the socket is still connecting. */
  send(data: string | ArrayBuffer | ArrayBufferView): void
  /** @throws InvalidAccessError for a code other than 1000 and 3000-4999, SyntaxError for a reason over 123 bytes. */
  close(code?: number, reason?: string): void
}

export interface FrameWebSocketClass extends ReadyStates {
  /** @throws SyntaxError for an URL or a subprotocol that can't be. */
  new (url: string, protocols?: string | readonly string[]): FrameWebSocket
}

declare const setTimeout: ((call: () => void, ms: number) => unknown) | undefined
declare const clearTimeout: (id: unknown) => void

const STATES: ReadyStates = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }

const URL = /^(?:ws|http)(s?):\/\/(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d+))?(?=[/?#]|$)(\/?)([!"$-~]*)(?:#.*)?$/i
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })

const defaultTimer = (ms: number, call: () => void): (() => void) => {
  if (typeof setTimeout !== 'function') return () => {}
  const id = setTimeout(call, ms)
  return () => clearTimeout(id)
}

/**
 * A WebSocket class over whatever stream of bytes the host has: Node's `net`, a script VM's TCP. Extensions are
 * never offered. Faults of the network or the server are `error` and `close` events, with code 1006 if no close
 * frame came; nothing is thrown out of a callback.
 */
export const createWebSocketClass = (connect: Connect, options: WebSocketOptions = {}): FrameWebSocketClass => {
  const { random = defaultRandom, timeout = 10000, setTimer = defaultTimer } = options

  class Socket {
    constructor(url: string, protocols: string | readonly string[] = []) {
      const [, s, host, explicitPort, , path] = URL.exec(url) || []
      const offered = ([] as string[]).concat(protocols)
      if (!host || offered.some((name, i) => !TOKEN.test(name) || offered.indexOf(name) < i)) {
        throw named('SyntaxError', 'Bad URL or protocol')
      }
      const defaultPort = s ? 443 : 80
      const port = +(explicitPort || defaultPort)
      const key = createKey(random)
      let listeners: [type: string, listener: SocketListener][] = []
      let stream: ByteStream | undefined
      let isClosing = false

      const dispatch = (type: string, detail?: object): void => {
        const event = Object.assign({ type, target: self }, detail) as SocketEvent
        emit(self as any, 'on' + type, event)
        listeners.forEach(([of, listener]) => of === type && emit({ listener }, 'listener', event))
      }

      const finish = (code: number, reason: string, error?: unknown): void => {
        if (self.readyState > 2) return
        self.readyState = 3
        stopTimer()
        if (stream) emit(stream, 'close')
        if (error) dispatch('error', { error, message: (error as any).message })
        dispatch('close', { code, reason, wasClean: code !== 1006 })
      }
      const fail = (error: unknown): void => finish(1006, '', error)
      const startTimer = () => setTimer(timeout, () => fail(new Error('Timeout')))

      const write = (bytes: Uint8Array) => {
        new Promise(resolve => resolve(stream!.write(bytes))).catch(fail)
      }

      const decoder = new MessageDecoder(Object.assign({}, options, {
        random,
        handshake: (head: string) => {
          const header = (name: string) => (new RegExp(`\r\n${name}:[ \t]*(.*?)[ \t]*\r\n`, 'i').exec(head) || ['', ''])[1]!
          const protocol = header('Sec-WebSocket-Protocol')
          if (
            !/^HTTP\/1\.1 101\b/.test(head) ||
            !/^websocket$/i.test(header('Upgrade')) ||
            !/(^|,)\s*upgrade\s*(,|$)/i.test(header('Connection')) ||
            header('Sec-WebSocket-Accept') !== acceptOf(key) ||
            header('Sec-WebSocket-Extensions') ||
            protocol && offered.indexOf(protocol) < 0
          ) return 'Bad handshake: ' + head.slice(0, 99)
          stopTimer()
          self.protocol = protocol
          self.readyState = 1
          dispatch('open')
          return
        },
        message: (data: string | Uint8Array) => {
          if (self.readyState < 2) dispatch('message', { data: typeof data === 'string' ? data : data.slice().buffer })
        },
        write: (frame: Uint8Array) => {
          if (!isClosing) write(frame)
        },
        close: finish,
        error: fail,
      }))

      const self = Object.assign(this, STATES, {
        url,
        protocol: '',
        extensions: '',
        readyState: 0,
        bufferedAmount: 0,
        binaryType: 'arraybuffer',
        addEventListener: (type: string, listener: SocketListener) => {
          self.removeEventListener(type, listener)
          listeners.push([type, listener])
        },
        removeEventListener: (type: string, listener: SocketListener) => {
          listeners = listeners.filter(entry => entry[0] !== type || entry[1] !== listener)
        },
        send: (data: string | ArrayBuffer | ArrayBufferView) => {
          if (!self.readyState) throw named('InvalidStateError', 'Still connecting')
          if (self.readyState > 1) return
          const isText = typeof data === 'string'
          write(encodeFrame(isText ? 1 : 2, isText ? encodeUtf8(data) : ArrayBuffer.isView(data)
            ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
            : new Uint8Array(data), random))
        },
        close: (code?: number, reason = '') => {
          const text = encodeUtf8(reason)
          if (code !== undefined && code !== 1000 && !(code > 2999 && code < 5000)) throw named('InvalidAccessError', 'Bad code')
          if (text.length > 123) throw named('SyntaxError', 'Reason too long')
          if (self.readyState > 1) return
          if (self.readyState) {
            write(encodeFrame(8, code || reason ? Uint8Array.of(code! >> 8, code!, ...text) : text, random))
            isClosing = true
            stopTimer = startTimer()
          } else {
            Promise.resolve(new Error('Closed before it was open')).then(fail)
          }
          self.readyState = 2
        },
      })

      let stopTimer = startTimer()
      new Promise<ByteStream>(resolve => resolve(connect({ host: host.replace(/[[\]]/g, ''), port, secure: !!s })))
        .then(opened => {
          stream = opened
          if (self.readyState) return stream.close()
          stream.onData(bytes => decoder.push(bytes))
          stream.onClose(error => self.readyState && !error ? finish(1006, '') : fail(error || new Error('Closed')))
          write(encodeUtf8(
            `GET /${path} HTTP/1.1\r\nHost: ${host}${port === defaultPort ? '' : ':' + port}\r\n` +
            `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n` +
            `${offered.length ? `Sec-WebSocket-Protocol: ${offered.join(', ')}\r\n` : ''}\r\n`,
          ))
          return
        })
        .catch(fail)
    }
  }
  return Object.assign(Socket, STATES) as unknown as FrameWebSocketClass
}
