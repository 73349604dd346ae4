import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Mock } from '../../../src/platform/mock.js'
import { mockAt } from './mock-target.js'
import { someTime, type Answer, type Body, type Request } from './wire-case.js'

const bytesOf = (body: Body): Buffer => {
  if (typeof body === 'string') return Buffer.from(body)
  if ('latin1' in body) return Buffer.from(body.latin1, 'latin1')
  return Buffer.from(body.before + 'a'.repeat(body.times) + body.after)
}

/** Sends one request with its path untouched (no URL parser on the way) and reads the whole answer. */
export const send = (port: number, call: string, request: Request = {}): Promise<Answer> => {
  const mock = mockAt(port)
  return mock ? sendToMock(mock, call, request) : sendToPort(port, call, request)
}

const headersOf = ({ headers }: Request): Record<string, string> => {
  const wanted = Object.entries({ 'Content-Type': 'application/json', ...headers })
  return Object.fromEntries(wanted.filter((entry): entry is [string, string] => entry[1] !== null))
}

async function sendToMock({ options }: Mock, call: string, request: Request): Promise<Answer> {
  const [method = '', target = ''] = splitCall(call)
  const init = {
    method,
    headers: headersOf(request),
    body: request.body === undefined ? undefined : (bytesOf(request.body) as unknown as string),
    redirect: 'manual',
    cache: 'no-store',
  } as const
  const response = await options.fetch(options.baseUrl + target, init)
  return asAnswer(response.status, response.headers.get('content-type'), await response.text())
}

const splitCall = (call: string): string[] => {
  const space = call.indexOf(' ')
  return [call.slice(0, space), call.slice(space + 1)]
}

async function sendToPort(port: number, call: string, request: Request): Promise<Answer> {
  const [method = '', path = ''] = splitCall(call)
  const body = request.body === undefined ? undefined : bytesOf(request.body)
  const headers = headersOf(request)
  if (request.chunked) headers['Transfer-Encoding'] = 'chunked'
  else if (body || !/^(GET|HEAD|OPTIONS|TRACE)$/.test(method)) headers['Content-Length'] = `${body?.length ?? 0}`

  const outgoing = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  // A sidecar answers a body that is too large before it has read all of it.
  outgoing.on('error', () => {})
  const middle = request.chunked ? (body?.length ?? 0) >> 1 : 0
  if (body && middle > 0) outgoing.write(body.subarray(0, middle))
  outgoing.end(body?.subarray(middle))
  const [response] = await answered
  return asAnswer(response.statusCode ?? 0, response.headers['content-type'] ?? null, await text(response))
}

/** Makes answers comparable: parsed, creation times masked, white space in error messages made plain. */
const asAnswer = (status: number, type: string | null, body: string): Answer => ({
  status,
  type,
  body: type?.startsWith('application/json') && body !== '' ? comparable(JSON.parse(body)) : body,
})

/** Parsed values as they are compared: sizes and the kind of white space in messages differ for no reason. */
export const comparable = (value: unknown, key = ''): unknown => {
  if (Array.isArray(value)) return value.map((item) => comparable(item))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, comparable(item, name)]))
  }
  if (key === 'message' && typeof value === 'string') {
    // Kubernetes really writes two spaces after the comma of an example.
    return value.replace(/(?<!',)\s+/g, ' ').replace(/\(\d+ vs\. /, '(more vs. ')
  }
  if (key === 'creation_timestamp' && isJustNow(value)) return someTime
  return value
}

const isJustNow = (seconds: unknown): boolean => Math.abs(Date.now() / 1000 - Number(seconds)) < 86_400
