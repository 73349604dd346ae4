import { Agent as PlainAgent, request as requestPlain } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { hasClosed } from '../../http/raw-response.js'
import type { Refusal } from '../../http/refusal.js'
import { Attempt } from './attempt.js'
import { responseHeaders } from './forwarded-headers.js'
import type { Watches } from './watches.js'

/**
 * Time for which a connection to the sidecar is kept for the next call. Servers keep theirs longer (Node for five
 * seconds, the real sidecar for ever), so no call goes out on a connection that the sidecar is just closing. A call that
 * breaks off is never sent again, because nobody knows whether it acted.
 */
const KEPT_MS = 4_000

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
  /** Called when a watch has been opened. */
  onWatch(): void
  /** Called if the request fails before any part of an answer was sent. The refusal is to be the answer. */
  onFailure(refusal: Refusal): void
  /** Called if the request fails later. The answer was cut off. */
  onBreak(refusal: Refusal): void
}

export interface OutgoingCall extends Outgoing {
  readonly body: Buffer
  readonly isWatch: boolean
  /** Headers for the answer, beside those of the sidecar and those that every answer gets. */
  readonly answerHeaders: Readonly<Record<string, string>> | undefined
}

/** Passes calls and streams on to one sidecar, and passes answers back as they come. */
export interface Forwarder {
  /** Resolves when the answer has left, or the client has. */
  request(message: IncomingMessage, reply: ServerResponse, outgoing: OutgoingCall): Promise<void>
  /** Ends the connections that are kept for later calls. */
  close(): void
}

export function createForwarder({ sidecar, timeout, watches }: ForwarderOptions): Forwarder {
  const isSecure = sidecar.protocol === 'https:'
  const keptConnections = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, timeout: KEPT_MS })
  const basePath = sidecar.pathname.replace(/\/$/, '')

  return {
    async request(message, reply, { path, headers, body, isWatch, answerHeaders, ...outgoing }) {
      const { method } = message
      // If the sidecar has ended a kept connection meanwhile, that is read first.
      if (!isWatch) await nextTurn()
      if (hasClosed(reply)) return
      const request = (isSecure ? requestSecure : requestPlain)(sidecar, {
        method,
        path: basePath + path,
        headers: { ...headers, host: sidecar.host },
        agent: isWatch ? false : keptConnections,
      })
      request.end(body)
      const onFailure = (refusal: Refusal): void => {
        if (!reply.headersSent) return outgoing.onFailure(refusal)
        reply.destroy()
        outgoing.onBreak(refusal)
      }
      const attempt = new Attempt(request, { place: sidecar.host, acts: method !== 'GET', timeout, onFailure })
      request.once('response', (response) => {
        const isStream = isWatch && response.statusCode === 200
        passBack(response, reply, attempt, answerHeaders, isStream)
        if (!isStream || !reply.headersSent) return
        outgoing.onWatch()
        reply.flushHeaders()
        watches.addStream(response, reply)
      })
      reply.on('error', () => undefined)
      await new Promise<void>((resolve) => void reply.once('close', resolve))
      // Over HTTP/2, an answer that the client gave up counts as finished, though nobody has ended it.
      const hasLeft = !(reply.writableEnded && reply.writableFinished)
      if (hasLeft && !isWatch) await delay(ABANDONED_MS, undefined, { ref: false })
      attempt.end()
    },

    close() {
      keptConnections.destroy()
    },
  }
}

/** Passes an answer back. A stream has no time limit. */
export function passBack(
  response: IncomingMessage,
  reply: ServerResponse,
  attempt: Attempt,
  answerHeaders: OutgoingCall['answerHeaders'],
  isStream: boolean,
): void {
  attempt.answered(isStream)
  response.on('error', (error) => attempt.fail(error))
  if (reply.destroyed) return void response.resume()
  reply.writeHead(response.statusCode!, responseHeaders(response.headers, answerHeaders))
  // pipe() can be undone, unlike stream.pipeline(): a watch needs that to end with a last line of the gateway's own.
  // Neither side outlives the other, since an error of the response and the end of the reply both end the attempt.
  response.pipe(reply)
}
