import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { toolAgent } from '../protocol/tool-agent.js'
import { Readable } from 'node:stream'
import type { ClientOptions, FetchLike } from '../index.js'

/** Longest answer. */
const MOST = 16 * 1024 * 1024

export interface Question {
  /** The command that asks: a local sidecar must not take it for the game. */
  readonly command: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Milliseconds until the end of the answer. */
  readonly patience: number
  /** Reading stops after this text. */
  readonly until?: string
}

/** An answer, or the reason why no answer came. */
export interface Answer {
  /** 0 without an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The part that arrived in time; a stream never ends. */
  readonly text: string
  /** From the request to the end of the answer. */
  readonly ms: number
  readonly problem: string | undefined
}

/**
 * Sends one request by `node:http`: unlike `fetch` it has no proxy, no list of bad ports and no kept connection. It never
 * rejects, and limits time and size, since any program may listen there.
 */
export async function ask(url: string, question: Question): Promise<Answer> {
  const { patience, until } = question
  const late = AbortSignal.timeout(Math.ceil(patience))
  const began = performance.now()
  const since = (): number => performance.now() - began
  let text = ''
  try {
    const response = await open(url, question, late)
    const { statusCode: status = 0, headers } = response
    try {
      // After an unrequested upgrade, the connection carries no HTTP.
      for await (const chunk of status < 200 ? [] : response.setEncoding('utf8')) {
        text += String(chunk)
        if (text.length > MOST || (until !== undefined && text.includes(until))) break
      }
    } catch (error) {
      if (!late.aborted) throw error
    } finally {
      response.destroy()
    }
    return { status, headers, text, ms: since(), problem: undefined }
  } catch (error) {
    const problem = late.aborted ? `no answer within ${patience / 1000} s` : reasonOf(error)
    return { status: 0, headers: {}, text: '', ms: since(), problem }
  }
}

/** Sends a request, and resolves with the head of its answer. */
function open(
  url: string,
  { method = 'GET', headers = {}, body, command }: Omit<Question, 'patience' | 'until'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const own = { 'user-agent': toolAgent(command), ...length }
    const request = send(url, { method, headers: { ...own, ...headers }, agent: false, signal })
    request.on('response', resolve).on('error', reject)
    // Without a listener, Node closes the connection and emits nothing.
    request.once('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response)
    })
    request.once('close', () => reject(new Error('the connection was closed')))
    request.end(body)
  })
}

export function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly unknown[] }
  if (message === '' && errors !== undefined) return reasonOf(errors[0])
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there'
    case 'ECONNRESET':
      return 'the connection was cut'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no such host'
    default:
      return message
  }
}

/** Most bytes of a frame: more than any GameServer has. */
const maxPayload = 4 * 1024 * 1024

/** Options of a client that a local sidecar doesn't take for the game. */
export async function toolOptions(command: string): Promise<Pick<ClientOptions, 'fetch' | 'WebSocket'>> {
  const { WebSocket } = await import('ws')
  const fetch: FetchLike = async (url, { method, headers, body, signal }) => {
    const message = await open(
      url,
      { command, method, headers, ...(body !== undefined && { body }) },
      signal as AbortSignal,
    )
    const status = message.statusCode!
    const hasBody = status >= 200 && ![204, 205, 304].includes(status)
    // A Response can't have the status of an upgrade.
    const init = { status: Math.max(200, status), headers: message.headers as Record<string, string> }
    return new Response(hasBody ? (Readable.toWeb(message) as ReadableStream) : null, init)
  }
  class ToolWebSocket extends WebSocket {
    constructor(url: string) {
      super(url, { perMessageDeflate: false, maxPayload, headers: { 'user-agent': toolAgent(command) } })
    }
  }
  return { fetch, WebSocket: ToolWebSocket }
}
