import { createKey } from './accept-key.js'
import { bytesIn } from './bytes.js'
import { createDecoder } from './create-decoder.js'
import { encodeUtf8 } from './encode-text.js'
import { checkNumber } from './errors.js'
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

const CONNECTING = 0
const OPEN = 1
const CLOSING = 2
const CLOSED = 3
const STATES: ReadyStates = { CONNECTING, OPEN, CLOSING, CLOSED }

/** Most bytes of a close frame's reason, beside its code of two. */
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

/** Converts to text as a page does: a symbol is a TypeError. */
const toText = (value: unknown): string => ''.concat(value as string)

/**
 * Makes a WebSocket class over any stream of bytes that the host has: Node's `net`, or the TCP of a script VM. Extensions
 * are never offered. Faults of the network or the server are `error` and `close` events; no callback throws.
 * @throws RangeError for a timeout or a limit that is no number
 */
export function createWebSocketClass(connect: Connect, options: WebSocketOptions = {}): FrameWebSocketClass {
  const { timeout = 10_000, setTimer = defaultTimer, maxMessage = 0, maxFragments = 0 } = options
  for (const [name, value] of Object.entries({ timeout, maxMessage, maxFragments })) checkNumber(name, value)
  const randomByte = createRandomByte(options.random)
  const frames = createFrameWriter(randomByte, options.TextEncoder)

  // A constructor whose members are closures: no script can reach into a socket.
  // eslint-disable-next-line @typescript-eslint/no-extraneous-class
  class Socket {
    constructor(url: string, protocols: string | readonly string[] = []) {
      const offered = typeof protocols === 'string' ? [protocols] : protocols
      const key = createKey(randomByte)
      const { target, request } = openingFor(url, offered, key)
      const events = createSocketEvents(this as unknown as FrameWebSocket)
      let state: number = CONNECTING
      let chosen = ''
      let stream: ByteStream | undefined
      let stopTimer = (): void => undefined

      const finish = (code: number, reason: string, error?: unknown): void => {
        if (state === CLOSED) return
        state = CLOSED
        decoder.stop()
        outlet.end()
        stopTimer()
        attempt(() => stream?.close())
        if (error !== undefined) events.dispatch('error', { error })
        events.dispatch('close', { code, reason, wasClean: code !== ABNORMAL })
      }
      const fail = (error: unknown): void => finish(ABNORMAL, '', error ?? new Error('The stream failed'))

      /** Calls the host, which may throw or reject. */
      const attempt = (call: () => unknown): void => void (async () => call())().catch(fail)

      const startTimer = (waitsFor: string): void => {
        stopTimer()
        if (timeout === 0 || timeout === Infinity) return
        stopTimer = setTimer(Math.min(timeout, LONGEST), () =>
          fail(new Error(`Timeout: no ${waitsFor} in ${timeout} ms`)),
        )
      }

      const outlet = createOutlet(
        (bytes) => stream!.write(bytes),
        (error) => attempt(() => Promise.reject(error)),
      )

      const decoder = createDecoder(
        {
          ...options,
          handshake: (head) => {
            const status = statusOf(head)
            if (status !== '101') return status === undefined ? false : refusalOf(status)
            const result = checkAnswer(head, key, offered)
            if ('problem' in result) return result.problem
            stopTimer()
            chosen = result.protocol
            state = OPEN
            events.dispatch('open')
            return true
          },
          message: (data) => {
            if (state === OPEN) {
              events.dispatch('message', { data: typeof data === 'string' ? data : data.slice().buffer })
            }
          },
          close: finish,
          error: fail,
        },
        randomByte,
        outlet,
      )

      const members = {
        ...STATES,
        url,
        extensions: '',
        binaryType: 'arraybuffer',
        onopen: null,
        onmessage: null,
        onerror: null,
        onclose: null,
        addEventListener: events.add,
        removeEventListener: events.remove,

        get protocol() {
          return chosen
        },
        get readyState() {
          return state
        },
        get bufferedAmount() {
          return outlet.buffered
        },

        send(data: string | number | ByteInput) {
          if (state === CONNECTING) throw namedError('InvalidStateError', 'The socket is still connecting')
          const bytes = typeof data === 'string' ? undefined : bytesIn(data)
          if (bytes === undefined && /^\[object (Blob|File)]$/.test(Object.prototype.toString.call(data))) {
            throw new TypeError('A Blob can not be sent; send the ArrayBuffer of its arrayBuffer()')
          }
          const text = bytes === undefined ? toText(data) : ''
          if (state === OPEN) outlet.write(bytes === undefined ? frames.text(text) : frames.binary(bytes))
        },

        close(code = 1000, reason = '') {
          if (!/^(1000|[34]\d{3})$/.test(String(code))) {
            throw namedError('InvalidAccessError', `The code must be 1000 or 3000 to 4999; got ${String(code)}`)
          }
          const encoded = encodeUtf8(toText(reason))
          if (encoded.length > REASON_LIMIT) {
            throw new SyntaxError(`The reason must have ${REASON_LIMIT} bytes at most; it has ${encoded.length}`)
          }
          if (state > OPEN) return
          const wasOpen = state === OPEN
          state = CLOSING
          if (wasOpen) {
            startTimer('answer to close()')
            outlet.write(encodeFrame(CLOSE, [code >> 8, code, ...encoded], randomByte))
            // Nothing follows a close frame.
            outlet.end()
          } else {
            decoder.stop()
            attempt(() => Promise.reject(namedError('AbortError', 'The socket was closed before it was open')))
          }
        },
      } satisfies FrameWebSocket
      Object.defineProperties(this, Object.getOwnPropertyDescriptors(members))

      startTimer('connection')
      attempt(async () => {
        const opened = (stream = await connect(target))
        if (state === CONNECTING) {
          const ended = (error?: unknown): void => {
            const moment = state === CONNECTING ? 'before the handshake' : 'without a close frame'
            fail(error || new Error(`The connection ended ${moment}`))
          }
          attempt(() => opened.onData(decoder.push))
          attempt(() => opened.onDrain?.(decoder.drained))
          attempt(() => opened.onClose(ended))
          outlet.write(request)
        } else if (state === CLOSED) {
          // The socket was closed meanwhile, when there was no stream to close.
          await opened.close()
        }
      })
    }
  }
  return Object.assign(Socket, STATES) as unknown as FrameWebSocketClass
}
