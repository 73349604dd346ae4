import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { createSecureContext } from 'node:tls'
import { AllocationError } from './errors.js'
import { type Answer, failureOf } from './failures.js'
import type { Way } from './find-way.js'

/** An unused connection is closed sooner than servers and load balancers close theirs; the platform takes 100 requests into a batch. */
const CONNECTIONS = { keepAlive: true, timeout: 20_000, maxSockets: 100 }
/** Bytes of the longest answer. */
const LONGEST_ANSWER = 2 ** 20

/** Sends JSON over connections that are kept, and that are made anew once a certificate's file has changed. */
export class Transport {
  readonly #way: Way
  /** ms for one request. */
  readonly #timeout: number
  #texts: readonly (string | undefined)[] = []
  #agent: HttpAgent | undefined

  constructor(way: Way, timeout: number) {
    this.#way = way
    this.#timeout = timeout
  }

  /** @throws AllocationError without a whole answer, and CONFIG for files of the way that can't be used */
  post(path: string, body: string, signal: AbortSignal): Promise<Answer> {
    const { url, token } = this.#way
    const authorization = token()
    const options = {
      method: 'POST',
      agent: this.#presentAgent(),
      headers: {
        'content-type': 'application/json',
        ...(authorization && { authorization: `Bearer ${authorization}` }),
      },
      signal,
    }
    const isSecure = url.protocol === 'https:'
    const target = new URL(url.pathname.replace(/\/$/, '') + path, url)
    return new Promise((resolve, reject) => {
      let wasSent = false
      const fail = (cause: Error): void => reject(failureOf(this.#way, cause, wasSent))
      const request = (isSecure ? httpsRequest : httpRequest)(target, options)
      const late = Object.assign(new Error(`no answer within ${this.#timeout} ms`), { code: 'ETIMEDOUT' })
      const timer = setTimeout(() => request.destroy(late), this.#timeout)
      request.on('close', () => clearTimeout(timer))
      request.on('error', fail)
      request.on('socket', (socket) => {
        if (!socket.connecting) wasSent = true
        else socket.once(isSecure ? 'secureConnect' : 'connect', () => (wasSent = true))
      })
      request.on('response', (response) => {
        readAnswer(response).then(resolve, (error: unknown) => {
          fail(error as Error)
          request.destroy()
        })
      })
      request.end(body)
    })
  }

  #presentAgent(): HttpAgent {
    const { url, ...way } = this.#way
    const [ca, cert, key] = [way.ca(), way.cert(), way.key()]
    const texts = [ca, cert, key]
    if (this.#agent !== undefined && texts.every((text, index) => text === this.#texts[index])) return this.#agent
    this.#texts = texts
    try {
      const secureContext = createSecureContext({ ca, cert, key })
      return (this.#agent =
        url.protocol === 'https:' ? new HttpsAgent({ ...CONNECTIONS, secureContext }) : new HttpAgent(CONNECTIONS))
    } catch (cause) {
      this.#agent = undefined
      const what = `ca, cert and key must be PEM texts that belong together (${(cause as Error).message})`
      throw new AllocationError('CONFIG', what, { cause })
    }
  }

  close(): void {
    this.#agent?.destroy()
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) {
    text += chunk
    if (text.length > LONGEST_ANSWER) throw new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`)
  }
  const [, reason] = /^299 - "UnAllocated: (.*)"$/.exec(String(response.headers['warning'])) ?? []
  return { status: response.statusCode ?? 0, text, reason: reason?.replace(/\\(.)/g, '$1') }
}
