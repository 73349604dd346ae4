import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** One answer exactly as it came. */
export interface Answer {
  readonly status: number
  /** Names in lower case; the values of a repeated name are joined by LF, which no value can contain. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The bytes behind an answer that switches protocols. */
  readonly rest?: string
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [ -~]*\r\n((?:[\w!#$%&'*+.^`|~-]+: ?[\t -~\x80-\xff]*\r\n)*)\r\n/

/**
 * Parses the answers in the bytes of a server (one character a byte) strictly. Throws unless the bytes are exactly a
 * sequence of complete answers, since a successful attack on the framing breaks this sequence.
 *
 * @param method HEAD for answers without bodies
 */
export function readAnswers(bytes: string, method = ''): Answer[] {
  const answers: Answer[] = []
  for (let rest = bytes; rest !== '';) {
    const match = HEAD.exec(rest)
    if (match === null) throw new Error(`This is no answer: ${quote(rest)}`)
    const status = Number(match[1])
    const headers = readHeaders(match[2]!)
    rest = rest.slice(match[0].length)
    if (status === 101) return [...answers, { status, headers, body: '', rest }]
    const { body, length } = method === 'HEAD' ? NONE : readBody(status, headers, rest)
    answers.push({ status, headers, body })
    rest = rest.slice(length)
  }
  return answers
}

const NONE = { body: '', length: 0 }

function readHeaders(lines: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of lines.split('\r\n').slice(0, -1)) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).toLowerCase()
    const value = line.slice(at + 1).trim()
    headers[name] = name in headers ? `${headers[name]}\n${value}` : value
  }
  return headers
}

function readBody(
  status: number,
  headers: Readonly<Record<string, string>>,
  rest: string,
): { body: string; length: number } {
  const { 'content-length': announced, 'transfer-encoding': encoding } = headers
  if (announced !== undefined && encoding !== undefined) throw new Error('An answer has two lengths')
  if (status < 200 || status === 204 || status === 304) return NONE
  if (announced !== undefined) {
    const length = Number(announced)
    if (!/^\d+$/.test(announced) || rest.length < length) throw new Error(`An answer isn't ${announced} long`)
    return { body: rest.slice(0, length), length }
  }
  if (encoding === undefined) return { body: rest, length: rest.length }
  let body = ''
  for (let at = 0; ;) {
    const [head, digits] = /^([0-9a-f]+)\r\n/i.exec(rest.slice(at, at + 12)) ?? []
    if (head === undefined) throw new Error(`Here a chunk should begin: ${quote(rest.slice(at))}`)
    const size = parseInt(digits!, 16)
    at += head.length
    if (rest.slice(at + size, at + size + 2) !== '\r\n') throw new Error("A chunk isn't as long as it says")
    body += rest.slice(at, at + size)
    at += size + 2
    if (size === 0) return { body, length: at }
  }
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 300))

/** A connection that sends exactly the given bytes. */
export interface Wire {
  readonly socket: Socket
  /** One character a byte. */
  received(): string
  send(text: string): void
  /** Resolves with everything that came once the server has ended the connection. */
  readonly ended: Promise<string>
  /** Resolves with all bytes so far once they match. Rejects if the connection ends without a match. */
  saw(pattern: RegExp): Promise<string>
}

/** Opened for one test; destroyed with it. */
export async function dial(port: number, first = ''): Promise<Wire> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => (received += chunk.toString('latin1')))
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
  const send = (text: string): void => void socket.write(Buffer.from(text, 'latin1'))
  const saw = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(received)) {
      if (socket.destroyed) throw new Error(`The connection ended with ${quote(received)}`)
      await Promise.race([once(socket, 'data'), ended])
    }
    return received
  }
  if (first !== '') send(first)
  return { socket, received: () => received, send, ended, saw }
}

/** Sends this and reads every answer until the server ends the connection. */
export const askAll = async (port: number, bytes: string): Promise<Answer[]> =>
  readAnswers(await (await dial(port, bytes)).ended, bytes.split(' ')[0])

/** The bytes of one request's head. */
export const head = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n')

/** One request whose connection the server ends after its one answer. */
export async function ask(port: number, line: string, headers: readonly string[] = [], body = ''): Promise<Answer> {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]
  const answers = await askAll(port, head(line, ...headers, ...length, 'Connection: close') + body)
  if (answers.length !== 1) throw new Error(`${answers.length} answers came to one request`)
  return answers[0]!
}
