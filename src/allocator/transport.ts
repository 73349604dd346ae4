import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, type AgentOptions, request as httpsRequest } from 'node:https'
import { createSecureContext } from 'node:tls'
import { AllocationError } from './errors.js'
import type { Way } from './find-way.js'

/** ms that an unused connection is kept: less than servers and load balancers keep theirs. */
const IDLE = 20_000
/** Connections at once; the platform takes at most 100 requests into a batch (`pkg/gameserverallocations/allocator.go`). */
const MOST_SOCKETS = 100
/** Bytes of the longest answer. */
const LONGEST_ANSWER = 2 ** 20

/** An HTTP answer. */
export interface Answer {
  readonly status: number
  readonly text: string
  /** ms, from the header `Retry-After`. */
  readonly retryAfter: number | undefined
  /** Why a Fleet on the desk didn't allocate, from the header `Warning`. A cluster doesn't say. */
  readonly reason: string | undefined
}

/** A request without a whole answer. */
export class Unanswered extends Error {
  override readonly cause: NodeJS.ErrnoException
  /** Whether the connection stood, so that the request may have arrived. */
  readonly wasSent: boolean

  constructor(cause: NodeJS.ErrnoException, wasSent: boolean) {
    super(cause.message)
    this.cause = cause
    this.wasSent = wasSent
  }
}

export interface Transport {
  /** Sends JSON. @throws Unanswered */
  post(path: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<Answer>
  close(): void
}

/** Sends requests over connections that are kept, and that are made anew once a certificate's file has changed. */
export function createTransport({ url, tls, servername }: Way, timeout: number): Transport {
  const options = { keepAlive: true, timeout: IDLE, maxSockets: MOST_SOCKETS }
  let texts: readonly (string | undefined)[] = []
  let agent: HttpAgent | undefined
  /** Of the certificates before, whose requests may still be under way. */
  let previous: HttpAgent | undefined

  async function present(): Promise<HttpAgent> {
    const read = await Promise.all([tls.ca?.(), tls.cert?.(), tls.key?.()])
    if (agent !== undefined && read.every((text, index) => text === texts[index])) return agent
    const given = Object.entries({ ca: read[0], cert: read[1], key: read[2], servername }).filter(([, text]) => text)
    const certificates: AgentOptions = Object.fromEntries(given)
    try {
      createSecureContext(certificates)
    } catch (cause) {
      const what = `ca, cert and key must be PEM texts that belong together (${(cause as Error).message})`
      throw new AllocationError('CONFIG', what, { cause })
    }
    previous?.destroy()
    previous = agent
    texts = read
    agent = url.protocol === 'https:' ? new HttpsAgent({ ...options, ...certificates }) : new HttpAgent(options)
    return agent
  }

  return {
    async post(path, headers, body, signal) {
      const chosen = await present()
      const target = new URL(url.pathname.replace(/\/$/, '') + path, url)
      return exchange({ url: target, agent: chosen, headers, body, signal, timeout })
    },
    close() {
      previous?.destroy()
      agent?.destroy()
    },
  }
}

interface Exchange {
  readonly url: URL
  readonly agent: HttpAgent
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
  readonly timeout: number
}

function exchange({ url, agent, headers, body, signal, timeout }: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let wasSent = false
    const isSecure = url.protocol === 'https:'
    const request = (isSecure ? httpsRequest : httpRequest)(url, { method: 'POST', agent, headers })
    const end = (error: Error): unknown => request.destroy(error)
    const stop = (): unknown => end(new Error('aborted'))
    const timer = setTimeout(
      end,
      timeout,
      Object.assign(new Error(`no answer within ${timeout} ms`), { code: 'ETIMEDOUT' }),
    )
    signal.addEventListener('abort', stop)
    request.on('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    })
    const fail = (cause: Error): void => reject(new Unanswered(cause, wasSent))
    request.on('error', fail)
    request.on('socket', (socket) => {
      if (request.reusedSocket || !socket.connecting) wasSent = true
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => (wasSent = true))
    })
    request.on('response', (response) => {
      readAnswer(response).then(resolve, (error: unknown) => {
        fail(error as Error)
        end(error as Error)
      })
    })
    request.end(body)
    if (signal.aborted) stop()
  })
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LONGEST_ANSWER) throw new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`)
    chunks.push(chunk)
  }
  const retryAfter = Number(response.headers['retry-after'])
  return {
    status: response.statusCode ?? 0,
    text: Buffer.concat(chunks).toString(),
    retryAfter: retryAfter > 0 ? retryAfter * 1000 : undefined,
    reason: /^299 - "UnAllocated: (.*)"$/.exec(String(response.headers['warning']))?.[1]?.replace(/\\(.)/g, '$1'),
  }
}
