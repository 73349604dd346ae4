import { Agent } from 'node:http'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { Socket } from 'node:net'
import { createProxyServer } from 'httpxy'
import type { Refusal } from '../../http/refusal.js'
import { Attempt } from './attempt.js'
import { handshakeHeaders, refusedHandshakeHeaders, responseHeaders } from './forwarded-headers.js'
import { standInForMessage, standInForReply } from './stand-ins.js'
import type { Sent } from './stand-ins.js'
import type { Watches } from './watches.js'

/**
 * How long a connection to the sidecar is kept for the next call. Shorter than servers keep one (Node's five
 * seconds are the least that is common; the real sidecar, Go's server without a limit, keeps them for ever),
 * so that none is used which the other side is just closing. Only the end of the sidecar itself can then meet
 * a call, and whether it acted nobody knows: the call fails and is never sent twice, by Node neither.
 */
const KEPT_MS = 4_000

/** How long a call may go on whose client left. */
const ABANDONED_MS = 500

export interface ForwarderOptions {
  readonly sidecar: URL
  /** Milliseconds until a call must have been answered. */
  readonly timeout: number
  readonly watches: Watches
}

/** A request as it goes to the sidecar. */
export interface Outgoing extends Sent {
  readonly isWatch: boolean
  /** Headers for the answer, beside the sidecar's and those that all have. */
  readonly answerHeaders: Readonly<Record<string, string>> | undefined
  /** Called when a watch was opened. */
  onWatch(): void
  /** Called when nothing came of it: this is to be told. */
  onFailure(refusal: Refusal): void
  /** Called when it came to an end in the middle of its answer, which was cut off then. */
  onBreak(refusal: Refusal): void
}

export interface Forwarder {
  /** Resolves when the answer has left, or the client has. Never rejects. */
  request(message: IncomingMessage, reply: ServerResponse, outgoing: Outgoing): Promise<void>
  /** Resolves when the client's connection has ended. Never rejects. */
  upgrade(message: IncomingMessage, socket: Socket, outgoing: Outgoing): Promise<void>
  /** Ends the connections that are kept. */
  close(): void
}

/** What the proxy's events are about. */
interface Exchange {
  readonly attempt: Attempt
  /** The request is made, and will be sent. */
  begin(request: ClientRequest): void
  /** The sidecar has answered; not called for upgrades. */
  answer?(response: IncomingMessage): void
}

/** Passes requests on to one sidecar and its answers back, streams as they come. */
export function createForwarder({ sidecar, timeout, watches }: ForwarderOptions): Forwarder {
  const agent = new (sidecar.protocol === 'https:' ? SecureAgent : Agent)({ keepAlive: true, timeout: KEPT_MS })
  const exchanges = new WeakMap<IncomingMessage, Exchange>()
  const opened = new WeakMap<Socket, () => void>()
  const proxy = createProxyServer()
  proxy.on('proxyReq', (request, message) => exchanges.get(message)?.begin(request))
  proxy.on('proxyRes', (response, message) => exchanges.get(message)?.answer?.(response))
  proxy.on('proxyReqWs', (request, message) => exchanges.get(message)?.begin(request))
  proxy.on('open', (upstream) => opened.get(upstream)?.())
  proxy.on('error', (error, message) => message && exchanges.get(message)?.attempt.fail(error))

  return {
    async request(message, reply, outgoing) {
      const { isWatch } = outgoing
      const attempt = new Attempt(sidecar.host, timeout, (refusal) => {
        if (!reply.headersSent) return outgoing.onFailure(refusal)
        reply.destroy()
        outgoing.onBreak(refusal)
      })
      const answer = (response: IncomingMessage): void => {
        const { statusCode = 0, rawHeaders, headers } = response
        const goesOn = isWatch && statusCode === 200
        attempt.answered(goesOn)
        if (reply.destroyed) return void response.resume()
        try {
          reply.writeHead(statusCode, responseHeaders(rawHeaders, headers.connection, outgoing.answerHeaders))
        } catch (error) {
          return attempt.fail(error as Error)
        }
        if (goesOn) {
          outgoing.onWatch()
          reply.flushHeaders()
          watches.addStream(response, reply)
        }
        response.pipe(reply)
      }
      const sent = standInForMessage(message, outgoing)
      exchanges.set(sent, { attempt, answer, begin: (request) => attempt.begin(request) })
      reply.on('error', () => undefined)
      const standIn = standInForReply(reply, isWatch ? 0 : ABANDONED_MS)
      standIn.once('close', () => attempt.end())
      const options = { target: sidecar, agent: isWatch ? false : agent, selfHandleResponse: true }
      await proxy.web(sent, standIn, options).catch(() => undefined)
    },

    async upgrade(message, socket, outgoing) {
      let isAnswered = false
      const attempt = new Attempt(sidecar.host, timeout, (refusal) => {
        if (isAnswered) outgoing.onBreak(refusal)
        else outgoing.onFailure(refusal)
      })
      const answered = (goesOn: boolean): void => {
        isAnswered = true
        attempt.answered(goesOn)
      }
      const begin = (request: ClientRequest): void => {
        attempt.begin(request)
        // Before the proxy's own listeners, which pass these headers on.
        request.once('response', (response) => {
          answered(false)
          response.headers = refusedHandshakeHeaders(response)
        })
        request.once('upgrade', (response, upstream: Socket) => {
          answered(true)
          socket.removeListener('data', gone).removeListener('end', gone)
          response.headers = handshakeHeaders(response.headers)
          opened.set(upstream, () => {
            outgoing.onWatch()
            watches.addSocket(upstream, socket)
          })
        })
      }
      const sent = standInForMessage(message, outgoing)
      exchanges.set(sent, { attempt, begin })
      // Until it is read from, nobody would notice its end. Nothing may come before the handshake is done.
      const gone = (): void => void socket.destroy()
      socket.on('data', gone).once('end', gone)
      socket.once('close', () => attempt.abandon())
      await proxy.ws(sent, socket, { target: sidecar }).catch(() => undefined)
    },

    close() {
      agent.destroy()
    },
  }
}
