import { Agent as PlainAgent, request as requestPlain } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { hasClosed, SAFE_HEADERS } from '../../http/raw-response.js'
import type { Refusal } from '../../http/refusal.js'
import { Attempt } from './attempt.js'
import type { Watches } from './watches.js'

/**
 * The headers of a request that the sidecar gets. All others concern the connection, are private to a page and its user,
 * or could turn the call into another one: its method, its path, its deadline.
 */
const FORWARDED = ['accept', 'content-type', 'user-agent']

/** The headers of an answer that the client gets. All others could speak for the gateway, to the whole origin. */
const PASSED_BACK = ['content-type', 'content-encoding', 'content-length', 'retry-after']

/** Headers of every answer behind the sidecar's prefix. */
export const OWN_HEADERS = { ...SAFE_HEADERS, 'cross-origin-resource-policy': 'same-origin' } as const

export const requestHeaders = (given: IncomingHttpHeaders): Record<string, string> => pick(given, FORWARDED)

const pick = (given: IncomingHttpHeaders, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])))

/**
 * Milliseconds for which an idle connection to the sidecar is kept. Servers keep idle connections longer
 * (Node for five seconds, the real sidecar for ever), so the gateway never sends a call on a connection
 * that the sidecar is closing. A call that breaks off is never repeated, because it may have acted.
 */
const KEPT_MS = 4_000

/** Milliseconds for which a call goes on after its client has left: a closing page doesn't wait for its calls' answers. */
const ABANDONED_MS = 500

export interface ForwarderOptions {
  readonly sidecar: URL
  /** Milliseconds until a call must have been answered. */
  readonly timeout: number
  readonly watches: Watches
}

/** A request as it goes to the sidecar, and callbacks for its outcome. */
export interface Outgoing {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  onWatch(): void
  /** Called if the request fails before any part of an answer was sent. The refusal becomes the answer. */
  onFailure(refusal: Refusal): void
  /** Called if the request fails later, after the answer was cut off. */
  onBreak(refusal: Refusal): void
}

export interface OutgoingCall extends Outgoing {
  readonly body: Buffer
  readonly isWatch: boolean
  /** Headers of the answer beside the sidecar's and those of every answer. */
  readonly answerHeaders: Readonly<Record<string, string>> | undefined
}

/** Forwards calls and streams to one sidecar, and passes answers back as they come. */
export function createForwarder({ sidecar, timeout, watches }: ForwarderOptions) {
  const isSecure = sidecar.protocol === 'https:'
  const keptConnections = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, timeout: KEPT_MS })
  const basePath = sidecar.pathname.replace(/\/$/, '')

  return {
    /** Resolves when the answer was sent, or the client has left. */
    async request(
      message: IncomingMessage,
      reply: ServerResponse,
      { path, headers, body, isWatch, answerHeaders, ...outgoing }: OutgoingCall,
    ): Promise<void> {
      const { method } = message
      // Lets Node first notice kept connections that the sidecar has ended.
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
      // Over HTTP/2, an answer that the client gave up counts as finished without being ended.
      const hasLeft = !(reply.writableEnded && reply.writableFinished)
      if (hasLeft && !isWatch) await delay(ABANDONED_MS, undefined, { ref: false })
      attempt.end()
    },

    /** Ends the connections that are kept for later calls. */
    close(): void {
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
  reply.writeHead(response.statusCode!, { ...OWN_HEADERS, ...answerHeaders, ...pick(response.headers, PASSED_BACK) })
  // Unlike stream.pipeline(), pipe() can be undone, so that a watch can end with a last line of the gateway's own. An
  // error of the response and the end of the reply both end the attempt, so neither side outlives the other.
  response.pipe(reply)
}
