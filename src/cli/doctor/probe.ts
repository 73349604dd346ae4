import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'

/** The most of an answer that is read. */
const MOST = 16 * 1024 * 1024

export interface Question {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly patience: number
}

/** What came of a request: an answer, or the reason for none. */
export interface Answer {
  /** 0 where none came. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** From the request to the whole answer. */
  readonly ms: number
  readonly problem: string | undefined
}

/** Sends one request by Node's own client, which no proxy, no list of bad ports and no kept connection changes. */
export async function ask(url: string, question: Question): Promise<Answer> {
  const began = performance.now()
  const since = (): number => performance.now() - began
  try {
    const response = await open(url, question)
    const text = await readAll(response, question.patience - since())
    return { status: response.statusCode ?? 0, headers: response.headers, text, ms: since(), problem: undefined }
  } catch (error) {
    return { status: 0, headers: {}, text: '', ms: since(), problem: reasonOf(error) }
  }
}

/** The body, or as much of it as has come when the time is over: a stream never ends. */
async function readAll(response: IncomingMessage, patience: number): Promise<string> {
  let text = ''
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      response.destroy()
    },
    Math.max(1, patience),
  )
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk)
      if (text.length > MOST) break
    }
  } catch (error) {
    if (!isLate) throw error
  } finally {
    clearTimeout(timer)
    response.destroy()
  }
  return text
}

/** The first line of a stream and when it came; `undefined` if none came in time. */
export async function firstLine(url: string, question: Question): Promise<{ line: string; ms: number } | undefined> {
  const began = performance.now()
  const response = await open(url, question).catch(() => undefined)
  if (response === undefined) return undefined
  const timer = setTimeout(() => response.destroy(), Math.max(1, question.patience - (performance.now() - began)))
  let line = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      line += String(chunk)
      if (line.includes('\n')) return { line: line.slice(0, line.indexOf('\n')), ms: performance.now() - began }
      if (line.length > MOST) return undefined
    }
  } catch {
    // It was cut, or the time is over.
  } finally {
    clearTimeout(timer)
    response.destroy()
  }
  return undefined
}

function open(url: string, { method = 'GET', headers = {}, body, patience }: Question): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const request = send(url, { method, headers: { ...headers }, agent: false })
    const timer = setTimeout(() => request.destroy(new Error(`no answer within ${patience / 1000} s`)), patience)
    request.on('response', (response) => {
      clearTimeout(timer)
      resolve(response)
    })
    request.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    request.end(body)
  })
}

/** Whether something listens there. */
export function dial(host: string, port: number, patience: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const finish = (problem: string | undefined): void => {
      socket.destroy()
      resolve(problem)
    }
    socket.setTimeout(patience, () => finish(`no answer within ${patience / 1000} s`))
    socket.once('connect', () => finish(undefined)).once('error', (error) => finish(reasonOf(error)))
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
