import type { RandomBytes } from './bytes.js'
import { createDecoder } from './decoder.js'
import type { Handshake } from './handshake.js'
import type { ByteStream, Connect, ReadyStates, SocketEvent, WebSocketOptions } from './types.js'

/**
 * Writes to the host, and counts the bytes that it still buffers.
 * @param send its result tells when the host has sent the bytes, see `ByteStream.write`
 * @param failed takes the error or rejection of `write`
 * @param progressed is called when the host has sent buffered bytes
 */
function createOutlet(send: (bytes: Uint8Array) => unknown, failed: (error: unknown) => void, progressed: () => void) {
  let held = 0
  let isEnded = false

  return {
    /** Bytes that the host still buffers, as far as its `write` tells. */
    buffered: () => held,
    write(bytes: Uint8Array): void {
      if (isEnded) return
      const { length } = bytes
      try {
        const result = send(bytes)
        if (typeof result !== 'object' || result === null) return
        held += length
        const settle = (): void => {
          held -= length
          progressed()
        }
        // The result may be a promise of another realm, or a thenable.
        Promise.resolve(result).then(settle, (error: unknown) => {
          settle()
          failed(error)
        })
      } catch (error) {
        failed(error)
      }
    },
    /** Ignores all later writes. */
    end(): void {
      isEnded = true
    },
  }
}

declare const setTimeout: ((call: () => void, ms: number) => unknown) | undefined
declare const clearTimeout: (id: unknown) => void

export const STATES: ReadyStates = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }
const { CONNECTING, OPEN, CLOSING, CLOSED } = STATES

/** The code of a connection that ended without a close frame or with an error. */
const ABNORMAL = 1006
/** The longest time of a host's timers: they treat a longer one as 0. */
const LONGEST = 2 ** 31 - 1

export const namedError = (name: string, message: string): Error => Object.assign(new Error(message), { name })

/** Returns a function that cancels the timer; undefined on a host without timers. */
function startTimer(options: WebSocketOptions, ms: number, call: () => void): (() => void) | undefined {
  if (options.setTimer !== undefined) return options.setTimer(ms, call)
  if (typeof setTimeout !== 'function') return undefined
  const id = setTimeout(call, ms)
  return () => clearTimeout(id)
}

/** A time limit for the server's answer. */
function createDeadline(options: WebSocketOptions, fail: (error: Error) => void) {
  const { timeout = 10_000 } = options
  let cancel: (() => void) | undefined
  return {
    stop: () => cancel?.(),
    start(answer: string): void {
      cancel?.()
      if (timeout === 0 || timeout === Infinity) return
      const message = `Timeout: no ${answer} in ${timeout} ms`
      cancel = startTimer(options, Math.min(timeout, LONGEST), () => fail(new Error(message)))
    },
  }
}

/** Shared by the sockets of a class. */
interface Shared {
  readonly connect: Connect
  readonly options: WebSocketOptions
  readonly randomBytes: RandomBytes
}

/** The connection of one socket, from its opening handshake to its end. */
export function createConnection(
  { connect, options, randomBytes }: Shared,
  handshake: Handshake,
  dispatch: (type: string, detail?: Partial<SocketEvent>) => void,
) {
  let state: number = CONNECTING
  let stream: ByteStream | undefined

  const finish = (code: number, reason: string, error?: unknown): void => {
    if (state === CLOSED) return
    state = CLOSED
    decoder.stop()
    outlet.end()
    deadline.stop()
    attempt(() => stream?.close())
    if (error !== undefined) dispatch('error', { error })
    dispatch('close', { code, reason, wasClean: code !== ABNORMAL })
  }
  const fail = (error: unknown): void => finish(ABNORMAL, '', error ?? new Error('The stream failed'))
  /** Calls the host; its error or rejection ends the connection. */
  const attempt = (call: () => unknown): void => void (async () => call())().catch(fail)
  const failLater = (error: unknown): void => attempt(() => Promise.reject(error))
  const deadline = createDeadline(options, fail)
  const awaitAnswer = (): void => deadline.start('close frame')
  // A slow reader gets what was sent before the close frame, as long as it goes on reading.
  const outlet = createOutlet(
    (bytes) => stream!.write(bytes),
    failLater,
    () => {
      if (state === CLOSING) awaitAnswer()
    },
  )

  const checkHead = (head: string): boolean | string => {
    const verdict = handshake.check(head)
    if (verdict !== true) return verdict
    deadline.stop()
    state = OPEN
    dispatch('open')
    return true
  }
  const message = (data: string | Uint8Array): void => {
    if (state === OPEN) dispatch('message', { data: typeof data === 'string' ? data : data.slice().buffer })
  }
  const decoder = createDecoder(
    { ...options, handshake: checkHead, message, close: finish, error: fail },
    randomBytes,
    outlet.write,
    // As in a page, code that awaits `open` can add a listener before the first message.
    (call) => void (startTimer(options, 0, call) ?? Promise.resolve().then(call)),
  )
  const ended = (error: unknown): void =>
    decoder.after(() => {
      const moment = state === CONNECTING ? 'before the handshake' : 'without a close frame'
      fail(error || new Error(`The connection ended ${moment}`))
    })

  deadline.start('connection')
  attempt(async () => {
    const opened = (stream = await connect(handshake.target))
    // The socket was closed before it had a stream.
    if (state === CLOSED) await opened.close()
    if (state !== CONNECTING) return
    attempt(() => Promise.all([opened.onData(decoder.push), opened.onClose(ended)]))
    outlet.write(handshake.request)
  })

  return {
    state: () => state,
    buffered: outlet.buffered,
    write: outlet.write,
    /** Sends a close frame, and ends at the server's close frame. */
    close(frame: Uint8Array): void {
      if (state > OPEN) return
      const wasOpen = state === OPEN
      state = CLOSING
      if (!wasOpen) {
        decoder.stop()
        return failLater(namedError('AbortError', 'Closed before it was open'))
      }
      awaitAnswer()
      outlet.write(frame)
      // Nothing follows a close frame.
      outlet.end()
    },
  }
}
