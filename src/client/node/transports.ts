import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { SidecarError } from '../errors.js'
import { createStreamDecode, type HttpResponse, type SendHttp } from '../http.js'
import { onAbort } from '../signals.js'
import type { AbortSignalLike, FetchInit, WebSocketConstructor } from '../option-types.js'

type Send = (path: string, init: FetchInit) => ClientRequest

/**
 * Sends by Node's own client over kept connections, at half the cost of fetch.
 *
 * @param life aborts when the client is closed
 */
export function createNodeHttp(baseUrl: string, life: AbortSignalLike): SendHttp {
  const { protocol, host, hostname, port } = new URL(baseUrl)
  const origin = `${protocol}//${host}`
  let connecting: Promise<Send> | undefined

  // Loaded with the first request: loading it takes Node longer than all of this package.
  async function connect(): Promise<Send> {
    const http = await (protocol === 'https:' ? import('node:https') : import('node:http'))
    const agent: Agent = new http.Agent({ keepAlive: true })
    onAbort(life, () => agent.destroy())
    const target = { agent, hostname: hostname.replace(/^\[|\]$/g, ''), port }
    return (path, { method, headers, body }) => {
      if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body))
      return http.request(Object.assign({ method, path, headers }, target)).end(body)
    }
  }

  return async (signal, url, init) => {
    const send = await (connecting ??= connect())
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const request = send(url.slice(origin.length), init)
      const forget = onAbort(signal, () => {
        request.destroy()
        reject(signal.reason)
      })
      request.on('error', (error) => {
        forget()
        reject(error)
      })
      request.on('response', (message) => resolve(responseOf(message, signal, forget)))
    })
  }
}

function responseOf(message: IncomingMessage, signal: AbortSignalLike, forget: () => void): HttpResponse {
  return {
    status: message.statusCode!,
    header: (name) => message.headers[name.toLowerCase()] as string | undefined,
    read: (onText) =>
      new Promise((resolve, reject) => {
        const fail = (error: unknown): void => {
          forget()
          // Before the rest is aborted, which would raise another error.
          reject(signal.aborted ? signal.reason : error)
          message.destroy()
        }
        const decode = createStreamDecode({})
        message.on('data', (bytes: Uint8Array) => {
          try {
            onText(decode(bytes))
          } catch (error) {
            fail(error)
          }
        })
        message.on('end', () => {
          forget()
          resolve()
        })
        message.on('error', fail)
        message.on('aborted', () => fail(new Error('The connection was lost')))
        onAbort(signal, () => fail(signal.reason))
      }),
  }
}

type Ws = new (url: string, protocols: string[], options: object) => InstanceType<WebSocketConstructor>

/** The codes of `ws` for a message larger than `maxPayload`, or in too many fragments. */
const TOO_LONG = /^WS_ERR_(UNSUPPORTED_MESSAGE_LENGTH|TOO_MANY_BUFFERED_PARTS)$/

/** Converts an error of `ws` into a SidecarError if the other side's data caused it. */
function toOurs(error: unknown): unknown {
  const { code = '', message } = Object(error) as { code?: string; message?: string }
  if (!code.startsWith('WS_ERR_')) return error
  return TOO_LONG.test(code)
    ? new SidecarError('LIMIT', 'The message is longer than limits.message', { cause: error })
    : new SidecarError('PROTOCOL', `The watch breaks the WebSocket protocol: ${message}`, { cause: error })
}

let loading: Promise<Ws> | undefined

/**
 * `ws` with our limits, and without the offer to compress. `ws` is loaded with
 * the first watch, since it would take most of this package's loading time.
 *
 * @param limit characters of a message
 */
export async function loadWebSocket(limit: number): Promise<WebSocketConstructor> {
  loading ??= import('isomorphic-ws').then((module) => (module.WebSocket ?? module.default) as unknown as Ws)
  const WebSocket = await loading
  // Text may take 3 bytes a character, but allowing 3 would hold more than three times the limit in memory.
  const maxPayload = 2 * limit
  return class NodeWebSocket extends WebSocket {
    constructor(url: string) {
      super(url, [], { perMessageDeflate: false, maxPayload, followRedirects: false })
    }

    override set onerror(listener: ((event: never) => void) | null) {
      super.onerror = ({ error }: { error: unknown }) => listener?.({ error: toOurs(error) } as never)
    }
  }
}
