import { request as httpRequest } from 'node:http'
import type { Mock } from '../../../src/platform/mock.js'
import { mockAt } from './mock-target.js'
import type { Answer, Body, Request } from './wire-case.js'
import { someTime } from './wire-case.js'

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

async function sendToMock({ options }: Mock, call: string, { headers, body }: Request): Promise<Answer> {
  const [method = '', target = ''] = splitCall(call)
  const wanted = Object.entries({ 'Content-Type': 'application/json', ...headers }).filter(
    ([, value]) => value !== null,
  )
  const init = {
    method,
    headers: Object.fromEntries(wanted) as Record<string, string>,
    body: body === undefined ? undefined : (bytesOf(body) as unknown as string),
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

const sendToPort = (port: number, call: string, request: Request): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const [method = '', target = ''] = splitCall(call)
    const body = request.body === undefined ? undefined : bytesOf(request.body)
    const headers: Record<string, string> = {}
    const wanted = { 'Content-Type': 'application/json', ...request.headers }
    for (const [name, value] of Object.entries(wanted)) if (value !== null) headers[name] = value
    if (request.chunked) headers['Transfer-Encoding'] = 'chunked'
    else if (body || !/^(GET|HEAD|OPTIONS|TRACE)$/.test(method)) {
      headers['Content-Length'] = `${body?.length ?? 0}`
    }

    const outgoing = httpRequest(
      { host: '127.0.0.1', port, method, path: target, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          resolve(
            asAnswer(
              response.statusCode ?? 0,
              response.headers['content-type'] ?? null,
              Buffer.concat(chunks).toString(),
            ),
          )
        })
      },
    )
    outgoing.on('error', reject)
    if (body && request.chunked) {
      const middle = body.length >> 1
      outgoing.write(body.subarray(0, middle))
      outgoing.write(body.subarray(middle))
    } else if (body) outgoing.write(body)
    outgoing.end()
  })

/** Makes answers comparable: parsed, creation times masked, white space in error messages made plain. */
const asAnswer = (status: number, type: string | null, text: string): Answer => ({
  status,
  type,
  body: type?.startsWith('application/json') && text !== '' ? comparable(JSON.parse(text)) : text,
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
