import { bytesIn } from './bytes.js'
import { createKey } from './accept-key.js'
import { createDecoder } from './create-decoder.js'
import { encodeUtf8 } from './encode-text.js'
import { CLOSE, encodeFrame } from './frame.js'
import { createFrameWriter } from './frame-writer.js'
import { checkAnswer } from './handshake.js'
import { refusalOf, statusOf } from './http-head.js'
import { openingFor } from './opening.js'
import { createOutlet } from './outlet.js'
import { createRandomByte } from './random.js'
import { createSocketEvents } from './socket-events.js'
import type {
  ByteInput,
  ByteStream,
  Connect,
  FrameWebSocket,
  FrameWebSocketClass,
  ReadyStates,
  WebSocketOptions,
} from './types.js'

declare const setTimeout: ((call: () => void, ms: number) => unknown) | undefined
declare const clearTimeout: (id: unknown) => void

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const CONNECTING = 0
const OPEN = 1
const CLOSING = 2
const CLOSED = 3
const STATES: ReadyStates = { CONNECTING, OPEN, CLOSING, CLOSED }

/** A close frame's payload: a code of two bytes, then the reason. */
const REASON_LIMIT = 123
/** The code for a connection that ended without a close frame, or after an error. */
const ABNORMAL = 1006
/** The longest time that timers of hosts know: a longer one they take for none at all. */
const LONGEST = 2 ** 31 - 1

const defaultTimer = (ms: number, call: () => void): (() => void) => {
  if (typeof setTimeout !== 'function') return () => undefined
  const id = setTimeout(call, ms)
  return () => clearTimeout(id)
}

const namedError = (name: string, message: string): Error => Object.assign(new Error(message), { name })

/**
 * Makes a WebSocket class over any stream of bytes that the host has: Node's `net`, or the TCP of a script VM. Extensions
 * are never offered. Faults of the network or the server are `error` and `close` events; no callback throws.
 * @throws RangeError for a timeout that is no number of milliseconds
 */
export function createWebSocketClass(connect: Connect, options: WebSocketOptions = {}): FrameWebSocketClass {
  const { timeout = 10_000, setTimer = defaultTimer } = options
  if (!(timeout >= 0)) throw new RangeError(`timeout must be milliseconds from 0 on; got ${String(timeout)}`)
  const randomByte = createRandomByte(options.random)
  const frames = createFrameWriter(randomByte, options.TextEncoder)

  // A constructor whose members are closures: no script can reach into a socket.
  // eslint-disable-next-line @typescript-eslint/no-extraneous-class
  class Socket {
    constructor(url: string, protocols: string | readonly string[] = []) {
      const offered = typeof protocols === 'string' ? [protocols] : protocols
      const key = createKey(randomByte)
      const { target, request } = openingFor(url, offered, key)
      const socket = this as unknown as Writable<FrameWebSocket>
      const events = createSocketEvents(socket)
      let stream: ByteStream | undefined

      const finish = (code: number, reason: string, error?: unknown): void => {
        if (socket.readyState === CLOSED) return
        socket.readyState = CLOSED
        decoder.stop()
        stopTimer()
        attempt(async () => stream?.close())
        if (error) events.dispatch('error', { error })
        events.dispatch('close', { code, reason, wasClean: code !== ABNORMAL })
      }
      const fail = (error: unknown): void => finish(ABNORMAL, '', error)
      const startTimer = (waitsFor: string): (() => void) =>
        timeout === 0 || timeout === Infinity
          ? () => undefined
          : setTimer(Math.min(timeout, LONGEST), () => fail(new Error(`Timeout: no ${waitsFor} in ${timeout} ms`)))

      /** Calls the host's stream, whose methods may throw or reject. */
      const attempt = (call: () => Promise<unknown>): void => void call().catch(fail)
      const outlet = createOutlet((bytes) => {
        // Nothing follows a close frame.
        if (socket.readyState > OPEN) return undefined
        try {
          const result = stream!.write(bytes)
          return result instanceof Promise ? result.catch(fail) : result
        } catch (error) {
          attempt(() => Promise.reject(error))
          return undefined
        }
      })

      const decoder = createDecoder(
        {
          ...options,
          handshake: (head) => {
            const status = statusOf(head)
            if (status !== '101') return status === undefined ? false : refusalOf(status)
            const result = checkAnswer(head, key, offered)
            if ('problem' in result) return result.problem
            stopTimer()
            socket.protocol = result.protocol
            socket.readyState = OPEN
            events.dispatch('open')
            return true
          },
          message: (data) => {
            if (socket.readyState === OPEN) {
              events.dispatch('message', { data: typeof data === 'string' ? data : data.slice().buffer })
            }
          },
          close: finish,
          error: fail,
        },
        randomByte,
        outlet,
      )

      Object.assign(socket, STATES, {
        url,
        protocol: '',
        extensions: '',
        readyState: CONNECTING,
        binaryType: 'arraybuffer',
        addEventListener: events.add,
        removeEventListener: events.remove,

        send(data: string | ByteInput) {
          if (socket.readyState === CONNECTING) throw namedError('InvalidStateError', 'The socket is still connecting')
          const bytes = typeof data === 'string' ? undefined : bytesIn(data)
          if (bytes === undefined && /^\[object (Blob|File)]$/.test(Object.prototype.toString.call(data))) {
            throw new TypeError('A Blob can not be sent; send the ArrayBuffer of its arrayBuffer()')
          }
          if (socket.readyState === OPEN) {
            outlet.write(bytes === undefined ? frames.text(''.concat(data as string)) : frames.binary(bytes))
          }
        },

        close(code = 1000, reason = '') {
          if (!/^(1000|[34]\d{3})$/.test(String(code))) {
            throw namedError('InvalidAccessError', `The code must be 1000 or 3000 to 4999; got ${String(code)}`)
          }
          const encoded = encodeUtf8(reason)
          if (encoded.length > REASON_LIMIT) {
            throw new SyntaxError(`The reason must have ${REASON_LIMIT} bytes at most; it has ${encoded.length}`)
          }
          if (socket.readyState === OPEN) {
            outlet.write(encodeFrame(CLOSE, [code >> 8, code, ...encoded], randomByte))
            stopTimer = startTimer('answer to close()')
          } else if (socket.readyState === CONNECTING) {
            decoder.stop()
            attempt(() => Promise.reject(namedError('AbortError', 'The socket was closed before it was open')))
          } else {
            return
          }
          socket.readyState = CLOSING
        },
      })
      Object.defineProperty(socket, 'bufferedAmount', { enumerable: true, get: () => outlet.buffered })

      let stopTimer = startTimer('connection')
      attempt(async () => {
        stream = await connect(target)
        if (socket.readyState === CONNECTING) {
          stream.onData(decoder.push)
          stream.onDrain?.(decoder.drained)
          stream.onClose((error) =>
            fail(
              error ||
                new Error(
                  socket.readyState === CONNECTING
                    ? 'The connection ended before the handshake'
                    : 'The connection ended without a close frame',
                ),
            ),
          )
          outlet.write(request)
        } else if (socket.readyState === CLOSED) {
          // The socket was closed meanwhile, when there was no stream to close.
          await stream.close()
        }
      })
    }
  }
  return Object.assign(Socket, STATES) as unknown as FrameWebSocketClass
}
