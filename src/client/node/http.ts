import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { SidecarError } from '../errors.js'
import type { FetchInit, WebSocketConstructor } from '../globals.js'
import { globals } from '../globals.js'
import { createStreamDecode, type HttpReceiver, type SendHttp } from '../http.js'
import { onAbort, type Task } from '../time.js'

type Send = (path: string, init: FetchInit) => ClientRequest

/**
 * Sends by Node's own client over kept connections, at half the cost of fetch.
 *
 * @param life aborts when the client is closed
 */
export function createNodeHttp(baseUrl: string, life: Task): SendHttp {
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

  return (url, init, to) => {
    let request: ClientRequest | undefined
    let isOver = false
    const end = (report: () => void): void => {
      if (isOver) return
      isOver = true
      report()
    }
    const fail = (error: unknown): void => end(() => to.onError(error))
    const begin = (send: Send): void => {
      if (isOver) return
      request = send(url.slice(origin.length), init)
      let isAnswered = false
      // An answer that goes on after its end is an error of the request, and whole.
      request.on('error', (error) => isAnswered || fail(error))
      request.on('response', (message) => {
        isAnswered = true
        receive(message, to, fail, () => end(to.onEnd))
      })
    }
    ;(connecting ??= connect()).then(begin).catch(fail)
    return () => {
      if (isOver) return
      isOver = true
      request?.destroy()
    }
  }
}

function receive(message: IncomingMessage, to: HttpReceiver, fail: (error: unknown) => void, end: () => void): void {
  const decode = createStreamDecode({})
  const pass = (run: () => void): void => {
    try {
      run()
    } catch (error) {
      fail(error)
      message.destroy()
    }
  }
  pass(() => to.onHead(message.statusCode!, (name) => message.headers[name.toLowerCase()] as string | undefined))
  message.on('data', (bytes: Uint8Array) => pass(() => to.onText(decode(bytes))))
  message.on('end', end)
  message.on('error', fail)
  message.on('aborted', () => fail(new Error('The connection was lost')))
}

type Ws = new (url: string, protocols: string[], options: object) => InstanceType<WebSocketConstructor>

/** The codes of `ws` for a message larger than `maxPayload`, or in too many fragments. */
const TOO_LONG = /^WS_ERR_(UNSUPPORTED_MESSAGE_LENGTH|TOO_MANY_BUFFERED_PARTS)$/

/** Converts an error of `ws` into a SidecarError if the other side's data caused it. */
function toSidecarError(error: unknown): unknown {
  const { code = '', message } = Object(error) as { code?: string; message?: string }
  if (!code.startsWith('WS_ERR_')) return error
  return TOO_LONG.test(code)
    ? new SidecarError('LIMIT', 'The message is longer than limits.message', { cause: error })
    : new SidecarError('PROTOCOL', `The watch breaks the WebSocket protocol: ${message}`, { cause: error })
}

/** The class of `ws`, loaded once for all clients; undefined where it can't be loaded. */
let loading: Promise<Ws | undefined> | undefined

/**
 * `ws` with a client's limits, and without the offer to compress. `ws` is loaded with the first watch, since it would
 * take most of this package's loading time. Where it can't be loaded, as in a bundle that leaves it out, Node's own class
 * takes its place, since Node 22; without that, the watch comes over the HTTP stream.
 *
 * @param limit characters of a message
 */
export const loadWebSocket = (limit: number): Promise<WebSocketConstructor | undefined> =>
  (loading ??= import('isomorphic-ws').then(
    (module) => (module.WebSocket ?? module.default) as unknown as Ws,
    (error: unknown): undefined => {
      const instead = globals().WebSocket ? "Node's own WebSocket" : 'the HTTP stream'
      process.emitWarning(`gameserver-sidecar: the watch uses ${instead}, since ws can't be loaded: ${String(error)}`)
    },
  )).then((ws) => (ws ? limited(ws, limit) : globals().WebSocket))

function limited(WebSocket: Ws, limit: number): WebSocketConstructor {
  // Text may take 3 bytes a character, but allowing 3 would hold more than three times the limit in memory.
  const maxPayload = 2 * limit
  return class NodeWebSocket extends WebSocket {
    constructor(url: string) {
      super(url, [], { perMessageDeflate: false, maxPayload, followRedirects: false })
    }

    override set onerror(listener: ((event: never) => void) | null) {
      super.onerror = ({ error }: { error: unknown }) => listener?.({ error: toSidecarError(error) } as never)
    }
  }
}
