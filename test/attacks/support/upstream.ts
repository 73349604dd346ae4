import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** One request, byte by byte as it came. */
export interface Recorded {
  readonly line: string
  /** The lines of its head behind the first. */
  readonly headers: readonly string[]
  readonly body: string
}

export interface Upstream {
  readonly url: string
  /** Whole requests, in order. */
  readonly requests: Recorded[]
  /** What came that was no request, or came while another one wasn't answered yet. */
  readonly wrong: string[]
}

/** Answers one request; the bytes are written as they are. Undefined: nothing is written. */
export type Respond = (request: Recorded, socket: Socket) => string | undefined

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

const GAME_SERVER = JSON.stringify({ object_meta: {}, spec: {}, status: { state: 'Ready' } })
const SANE = `HTTP/1.1 200 OK\r\nContent-Length: ${GAME_SERVER.length}\r\n\r\n${GAME_SERVER}`

/** A head in the one way in which nobody can misread it: each line of it, and no line end but CR LF. */
const HEAD = /^([A-Z]+ \/[!-~]* HTTP\/1\.1)\r\n((?:[\w!#$%&'*+.^`|~-]+: [ -~\x80-\xff]*\r\n)+)\r\n/

/**
 * A sidecar that records each byte it gets and takes only what can be read in one way: a head, a length that
 * is said once, a body of that length. `/gameserver` is answered well, everything else as the test says.
 */
export async function startUpstream(respond: Respond = () => OK): Promise<Upstream> {
  const requests: Recorded[] = []
  const wrong: string[] = []
  const server = createServer((socket) => {
    let rest = ''
    let isAnswering = false
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1')
      if (isAnswering) wrong.push(`before an answer: ${rest}`)
      const request = readRequest(rest)
      if (typeof request === 'string') wrong.push(request)
      if (request === undefined || typeof request === 'string') return
      rest = rest.slice(request.length)
      if (rest !== '') wrong.push(`behind a request: ${rest}`)
      requests.push(request)
      isAnswering = true
      // Whatever else the gateway may want to say comes now.
      setTimeout(() => {
        isAnswering = false
        const isSane = request.line === 'GET /gameserver HTTP/1.1'
        const answer = isSane ? SANE : respond(request, socket)
        if (answer !== undefined) socket.write(Buffer.from(answer, 'latin1'))
      }, 2)
    })
    onTestFinished(() => void socket.destroy())
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, wrong }
}

/** Undefined: not whole yet. A text: why it is no request. */
function readRequest(bytes: string): (Recorded & { readonly length: number }) | string | undefined {
  const match = HEAD.exec(bytes)
  if (match === null) return bytes.includes('\r\n\r\n') ? `no head: ${bytes}` : undefined
  const headers = match[2]!.split('\r\n').slice(0, -1)
  const names = headers.map((header) => header.slice(0, header.indexOf(':')).toLowerCase())
  if (new Set(names).size < names.length) return `a header comes twice: ${bytes}`
  if (names.includes('transfer-encoding')) return `not by length: ${bytes}`
  const length = headers.find((_, i) => names[i] === 'content-length')?.split(': ')[1] ?? '0'
  if (!/^\d+$/.test(length)) return `a length of ${length}: ${bytes}`
  const end = match[0].length + Number(length)
  if (bytes.length < end) return undefined
  return { line: match[1]!, headers, body: bytes.slice(match[0].length, end), length: end }
}
