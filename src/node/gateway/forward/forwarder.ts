import { Agent as PlainAgent, request as requestPlain } from 'node:http'
import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { createReply, hasClosed } from '../../http/raw-response.js'
import type { Refusal } from '../../http/refusal.js'
import { handshakeHead, responseHeaders } from './forwarded-headers.js'
import type { Watches } from './watches.js'

/**
 * Time for which a connection to the sidecar is kept for the next call. Servers keep theirs longer (Node for five
 * seconds, the real sidecar for ever), so no call goes out on a connection that the sidecar is just closing. A call that
 * breaks off is never sent again, because nobody knows whether it acted.
 */
const KEPT_MS = 4_000

/** The sidecar is on this machine, so a connection to it is quick or not possible; clients hear that within a second. */
const CONNECT_MS = 900

/** Time for which a call goes on after its client has left. A closing page sends calls and doesn't wait for answers. */
const ABANDONED_MS = 500

export interface ForwarderOptions {
  readonly sidecar: URL
  /** Milliseconds until a call must have been answered. */
  readonly timeout: number
  readonly watches: Watches
}

/** A request as it goes to the sidecar, and callbacks for its fate. */
export interface Outgoing {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly isWatch: boolean
  /** Headers for the answer, beside those of the sidecar and those that every answer gets. */
  readonly answerHeaders: Readonly<Record<string, string>> | undefined
  /** Called when a watch has been opened. */
  onWatch(): void
  /** Called if the request fails before any part of an answer was sent. The refusal is to be the answer. */
  onFailure(refusal: Refusal): void
  /** Called if the request fails later. The answer was cut off. */
  onBreak(refusal: Refusal): void
}

/** Passes requests on to one sidecar, and passes answers back as they come. */
export interface Forwarder {
  /** Resolves when the answer has left, or the client has. */
  request(message: IncomingMessage, reply: ServerResponse, outgoing: Outgoing): Promise<void>
  /** Resolves when the client's connection has ended. */
  upgrade(message: IncomingMessage, socket: Socket, outgoing: Outgoing): Promise<void>
  /** Ends the connections that are kept for later calls. */
  close(): void
}

export function createForwarder({ sidecar, timeout, watches }: ForwarderOptions): Forwarder {
  const isSecure = sidecar.protocol === 'https:'
  const keptConnections = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, timeout: KEPT_MS })
  const basePath = sidecar.pathname.replace(/\/$/, '')
  const place = sidecar.host

  const send = (method: string | undefined, outgoing: Outgoing, agent: Agent | false): ClientRequest => {
    const request = (isSecure ? requestSecure : requestPlain)(sidecar, {
      method,
      path: basePath + outgoing.path,
      headers: { ...outgoing.headers, host: sidecar.host },
      agent,
    })
    return request.end(outgoing.body)
  }

  /** Passes an answer back. An open watch is a stream, which has no time limit. */
  const passBack = (
    response: IncomingMessage,
    reply: ServerResponse,
    attempt: Attempt,
    outgoing: Outgoing,
    isStream: boolean,
  ): void => {
    const { statusCode = 0, headers } = response
    attempt.answered(isStream)
    response.on('error', (error) => attempt.fail(error))
    if (reply.destroyed) return void response.resume()
    try {
      reply.writeHead(statusCode, responseHeaders(headers, outgoing.answerHeaders))
    } catch (error) {
      return attempt.fail(error as Error)
    }
    // pipe() can be undone, unlike stream.pipeline(): a watch needs that to end with a last line of the gateway's own.
    // Neither side outlives the other, since an error of the response and the end of the reply both end the attempt.
    response.pipe(reply)
    if (!isStream) return
    outgoing.onWatch()
    reply.flushHeaders()
    watches.addStream(response, reply)
  }

  return {
    async request(message, reply, outgoing) {
      const { isWatch } = outgoing
      // If the sidecar has ended a kept connection meanwhile, that is read first.
      if (!isWatch) await nextTurn()
      if (hasClosed(reply)) return
      const request = send(message.method, outgoing, isWatch ? false : keptConnections)
      const onFailure = (refusal: Refusal): void => {
        if (!reply.headersSent) return outgoing.onFailure(refusal)
        reply.destroy()
        outgoing.onBreak(refusal)
      }
      const attempt = new Attempt(request, { place, acts: message.method !== 'GET', timeout, onFailure })
      request.once('response', (response) => {
        passBack(response, reply, attempt, outgoing, isWatch && response.statusCode === 200)
      })
      reply.on('error', () => undefined)
      await closed(reply)
      // Over HTTP/2, an answer that the client gave up counts as finished, though nobody has ended it.
      const hasLeft = !(reply.writableEnded && reply.writableFinished)
      if (hasLeft && !isWatch) await delay(ABANDONED_MS, undefined, { ref: false })
      attempt.end()
    },

    async upgrade(message, socket, outgoing) {
      if (socket.destroyed) return
      const request = send('GET', outgoing, false)
      let reply: ServerResponse | undefined
      let isOpen = false
      const onFailure = (refusal: Refusal): void => {
        // Frames that came before still leave. A plain answer that broke off must not look like a whole one.
        if (isOpen) socket.end()
        else if (reply?.headersSent === true) socket.destroy()
        else return outgoing.onFailure(refusal)
        outgoing.onBreak(refusal)
      }
      const attempt = new Attempt(request, { place, acts: false, timeout, onFailure })
      socket.once('close', () => attempt.end())
      // A socket must be read from, or nobody notices its end. Nothing may come before the handshake is done.
      const leave = (): void => void socket.destroy()
      socket.on('data', leave).once('end', leave)
      request.once('response', (response) => {
        reply = createReply(message, socket)
        passBack(response, reply, attempt, outgoing, false)
      })
      request.once('upgrade', (response, upstream, head) => {
        isOpen = true
        attempt.answered(true)
        socket.off('data', leave).off('end', leave)
        upstream.setNoDelay(true).setKeepAlive(true)
        upstream.on('error', (error) => attempt.fail(error))
        if (head.byteLength > 0) upstream.unshift(head)
        socket.write(handshakeHead(response.headers), 'latin1')
        upstream.pipe(socket).pipe(upstream)
        outgoing.onWatch()
        watches.addSocket(upstream, socket)
      })
      await closed(socket)
    },

    close() {
      keptConnections.destroy()
    },
  }
}

const closed = (end: Socket | ServerResponse): Promise<void> =>
  new Promise((resolve) => void end.once('close', resolve))

interface AttemptOptions {
  /** Host and port of the sidecar, for messages. */
  readonly place: string
  /** Whether the request may change something: then a failure leaves open whether it has. */
  readonly acts: boolean
  /** Milliseconds until the whole answer must have come. */
  readonly timeout: number
  /** Called once at most. The request is destroyed by then. */
  readonly onFailure: (refusal: Refusal) => void
}

/**
 * Follows a request to the sidecar. If it fails, the refusal for the client says whether the sidecar may have acted.
 */
class Attempt {
  readonly #request: ClientRequest
  readonly #options: AttemptOptions
  readonly #answerTimer: ReturnType<typeof setTimeout>
  #connectTimer: ReturnType<typeof setTimeout> | undefined
  #isSent = false
  #isAnswered = false
  #isOver = false

  constructor(request: ClientRequest, options: AttemptOptions) {
    this.#request = request
    this.#options = options
    this.#answerTimer = setTimeout(() => this.#failLate(), options.timeout)
    request.once('socket', (socket) => this.#followConnection(socket))
    request.on('error', (error) => this.fail(error))
    // Node reports no error for some ends, such as an answer that switches to a protocol nobody asked for.
    request.once('close', () => {
      if (!this.#isAnswered) this.fail(new Error('no answer'))
    })
  }

  /** The head of the answer has come. The rest of a stream takes as long as it takes. */
  answered(isStream: boolean): void {
    this.#isAnswered = true
    if (isStream) clearTimeout(this.#answerTimer)
  }

  /** Ends the request, wherever it is. No failure is reported any more. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#answerTimer)
    clearTimeout(this.#connectTimer)
    this.#request.destroy()
  }

  fail(error: NodeJS.ErrnoException): void {
    const why = error.code ?? error.message
    if (this.#isSent) this.#report(502, 2, `broke off (${why})${this.#doubt}`)
    else this.#report(502, 14, `could not be reached (${why}); nothing was sent`)
  }

  get #doubt(): string {
    return this.#options.acts ? '; it may have acted' : ''
  }

  #failLate(): void {
    if (this.#isSent) this.#report(504, 4, `did not answer within ${this.#options.timeout} ms${this.#doubt}`)
    else this.#report(502, 14, 'could not be reached in time; nothing was sent')
  }

  #report(status: number, code: number, problem: string): void {
    if (this.#isOver) return
    this.end()
    this.#options.onFailure({ status, code, message: `The sidecar at ${this.#options.place} ${problem}` })
  }

  #followConnection(socket: Socket): void {
    if (this.#isOver) return
    if (this.#request.reusedSocket) {
      this.#isSent = true
      return
    }
    this.#connectTimer = setTimeout(() => this.#failLate(), CONNECT_MS)
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      clearTimeout(this.#connectTimer)
      this.#isSent = true
    })
  }
}
