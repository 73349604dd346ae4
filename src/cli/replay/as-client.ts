import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { requestOf } from '../../sidecar/index.js'
import type { LogEntry, RequestRecord, ResponseRecord } from '../../sidecar/index.js'
import { plainText } from '../../node/plain-text.js'
import { CommandError } from '../context.js'
import type { CliContext } from '../context.js'
import { EXIT } from '../exit-codes.js'
import { compareBodies } from './compare-answers.js'
import type { NumberedLine } from './read-recording.js'
import { sleep } from './sleep.js'

/** How long an answer may take. */
const ANSWER_MS = 60_000

interface RecordedCall {
  /** Of its line. */
  readonly number: number
  readonly entry: LogEntry
  request: RequestRecord
  response?: ResponseRecord
}

/** Makes the calls of a recording again, in order and after the same times, and compares the answers. */
export async function replayAsClient(
  lines: AsyncIterable<NumberedLine>,
  url: string,
  speed: number,
  { print, warn, colors }: CliContext,
): Promise<number> {
  const { calls, faulty } = await callsOf(lines)
  if (calls.length === 0) {
    throw new CommandError(EXIT.FAILED, 'The recording holds no calls; one of watch --json has none.')
  }
  const begun = performance.now()
  const [first] = calls
  let different = 0
  for (const call of calls) {
    const due = begun + (startOf(call) - startOf(first!)) / speed
    await sleep(due - performance.now())
    const answer = await send(url, call.request)
    const differences = differencesOf(call, answer)
    if (differences.length === 0) continue
    different += 1
    const { method, target } = call.request
    print(colors.red(plainText(`line ${call.number}  ${method} ${target}: ${differences.join('; ')}`, 1_000)))
  }
  if (faulty > 0) warn(`${faulty} calls that a fault had answered were left out.`)
  const verdict = `${calls.length} calls made again, ${different === 0 ? 'all answered as before' : `${different} answered otherwise`}.`
  warn(different === 0 ? colors.green(verdict) : colors.red(verdict))
  return different === 0 ? EXIT.DONE : EXIT.FAILED
}

/** When a call came: its entry was made when it took effect. */
const startOf = ({ entry }: RecordedCall): number => entry.at

async function callsOf(lines: AsyncIterable<NumberedLine>): Promise<{ calls: RecordedCall[]; faulty: number }> {
  const calls: RecordedCall[] = []
  let bySeq = new Map<number, RecordedCall>()
  let faulty = 0
  for await (const { number, line } of lines) {
    // Numbers begin anew with each recording that was added.
    if (line.type === 'recording') bySeq = new Map()
    if (line.type === 'entry') {
      const { entry } = line
      const { event, reply } = entry
      if (event.type !== 'call' && event.type !== 'refused') continue
      if (entry.fault === true && reply?.status !== 200) {
        faulty += 1
        continue
      }
      const request =
        event.type === 'call'
          ? requestOf(event.call)
          : { method: event.method, target: event.path, headers: {}, body: '' }
      const call = { number, entry, request }
      calls.push(call)
      bySeq.set(entry.seq, call)
    }
    if (line.type !== 'exchange') continue
    const call = bySeq.get(line.seq)
    if (call === undefined) continue
    call.request = line.request
    if (line.response) call.response = line.response
  }
  return { calls, faulty }
}

function differencesOf({ entry, request, response }: RecordedCall, answer: Answer): string[] {
  const status = response?.status ?? entry.reply?.status ?? (entry.event.type === 'refused' ? entry.event.status : 0)
  if (status !== answer.status) return [`the status was ${status}, is ${answer.status}`]
  const isCut = response?.bodyBytes !== undefined || request.bodyBytes !== undefined
  return response === undefined || isCut ? [] : compareBodies(response.body, answer.body)
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends a request as it was: `fetch` would write its path in another way. */
function send(url: string, { method, target, headers, body }: RequestRecord): Promise<Answer> {
  const base = new URL(url)
  const type = headers['content-type']
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(
        new CommandError(EXIT.NO_SIDECAR, `${method} ${target} got no answer from ${url}: ${error.message}.`, {
          cause: error,
        }),
      )
    const outgoing = (base.protocol === 'https:' ? httpsRequest : httpRequest)(
      {
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        method,
        // Of a path that was too long to keep, an ellipsis is left.
        path: base.pathname.replace(/\/$/, '') + target.replace(/[^\x21-\xff]/gu, encodeURIComponent),
        timeout: ANSWER_MS,
        headers: {
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.once('end', () =>
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        )
        incoming.once('error', fail)
      },
    )
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)))
    outgoing.once('error', fail)
    // An answer after which the connection is no longer one of HTTP.
    for (const event of ['connect', 'upgrade']) {
      outgoing.once(event, (incoming: IncomingMessage, socket: Socket) => {
        socket.destroy()
        resolve({ status: incoming.statusCode ?? 0, body: '' })
      })
    }
    outgoing.end(body)
  })
}
