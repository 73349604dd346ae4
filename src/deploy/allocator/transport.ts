import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type Answer, failureOf } from './failures.js'
import type { Way } from './types.js'

/** An unused connection is closed sooner than servers and load balancers close theirs; the platform takes 100 requests into a batch. */
const CONNECTIONS = { keepAlive: true, timeout: 20_000, maxSockets: 100 }

export interface Transport {
  /** @throws AllocationError without a whole answer, and CONFIG for files of the way that can't be used */
  post(path: string, body: string, signal: AbortSignal): Promise<Answer>
  close(): void
}

/**
 * Sends JSON over connections that are kept.
 *
 * @param timeout ms for one request
 * @param connectMs ms of it until it can be sent
 */
export function createTransport(way: Way, timeout: number, connectMs: number): Transport {
  const isSecure = way.url.protocol === 'https:'
  const agent = isSecure ? new HttpsAgent(CONNECTIONS) : new HttpAgent(CONNECTIONS)

  async function post(path: string, body: string, signal: AbortSignal): Promise<Answer> {
    const { token, ...certificates } = way.secrets()
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const target = new URL(way.url.pathname.replace(/\/$/, '') + path, way.url)
    let wasSent = false
    const ask = (resolve: (answer: Answer) => void, reject: (error: unknown) => void): void => {
      // The agent keeps connections apart by their certificates, so a renewed one gets a new connection.
      const options = { method: 'POST', agent, headers, signal, ...certificates }
      const request = (isSecure ? httpsRequest : httpRequest)(target, options)
      const endAfter = (ms: number, what: string): NodeJS.Timeout => {
        const late = Object.assign(new Error(`no ${what} within ${ms} ms`), { code: 'ETIMEDOUT' })
        const timer = setTimeout(() => request.destroy(late), ms)
        request.on('close', () => clearTimeout(timer))
        return timer
      }
      endAfter(timeout, 'answer')
      request.on('error', reject)
      request.on('socket', (socket) => {
        if (!socket.connecting) return void (wasSent = true)
        const timer = endAfter(connectMs, 'connection')
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          wasSent = true
          clearTimeout(timer)
        })
      })
      request.on('response', (response) => {
        readAnswer(response).then(resolve, (error: unknown) => (reject(error), request.destroy()))
      })
      request.end(body)
    }
    try {
      return await new Promise(ask)
    } catch (cause) {
      throw failureOf(way, cause as NodeJS.ErrnoException, wasSent)
    }
  }

  return { post, close: () => agent.destroy() }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) text += chunk
  const [, reason] = /^299 - "UnAllocated: (.*)"$/.exec(String(response.headers['warning'])) ?? []
  return { status: response.statusCode ?? 0, text, reason: reason?.replace(/\\(.)/g, '$1') }
}
