import { plainText } from '../../local/files.js'
import { isObject } from '../../protocol/is-object.js'
import { redacted } from '../../platform/sidecar.js'
import type { LogEntry, RequestRecord, ResponseRecord } from '../../platform/sidecar.js'
import { ask } from '../ask.js'
import type { Answer } from '../ask.js'
import { CommandError } from '../context.js'
import type { CliContext } from '../context.js'
import { EXIT } from '../exit-codes.js'
import { sleep } from './read-recording.js'
import type { NumberedLine } from './read-recording.js'

const ANSWER_MS = 60_000
/** Most differences that are printed of one answer. */
const MOST = 5

/** Fields that differ in each run, so they aren't compared. */
const volatile = new Set([
  ...['uid', 'name', 'resource_version', 'generation', 'creation_timestamp', 'deletion_timestamp'],
  'agones.dev/last-allocated',
])

interface RecordedCall {
  /** The number of its line. */
  readonly number: number
  readonly entry: LogEntry
  readonly request: RequestRecord
  readonly response?: ResponseRecord
}

/** Repeats the calls of a recording in the same order and at the same times, and compares the answers. */
export async function replayAsClient(
  lines: AsyncIterable<NumberedLine>,
  url: string,
  speed: number,
  { print, warn, colors }: CliContext,
): Promise<number> {
  const { calls, faulty } = await callsOf(lines)
  const [first] = calls
  if (first === undefined) {
    throw new CommandError(EXIT.FAILED, 'The recording holds no calls. Lines of watch --json never do.')
  }
  const begun = performance.now()
  let different = 0
  for (const call of calls) {
    await sleep(begun + (call.entry.at - first.entry.at) / speed - performance.now())
    const differences = differencesOf(call, await send(url, call.request))
    if (differences.length === 0) continue
    different += 1
    const { method, target } = call.request
    print(colors.red(plainText(`line ${call.number}  ${method} ${target}: ${differences.join('; ')}`, 1_000)))
  }
  if (faulty > 0) warn(`Skipped ${faulty} calls that a fault had answered.`)
  const verdict = `${calls.length} calls repeated, ${different === 0 ? 'all answered as before' : `${different} answered differently`}.`
  warn(different === 0 ? colors.green(verdict) : colors.red(verdict))
  return different === 0 ? EXIT.DONE : EXIT.FAILED
}

/** The calls of a recording. Requests of beats aren't recorded, so the usual one stands in. */
async function callsOf(lines: AsyncIterable<NumberedLine>): Promise<{ calls: RecordedCall[]; faulty: number }> {
  const calls = new Map<LogEntry, RecordedCall | undefined>()
  const entries = new Map<number, LogEntry>()
  let faulty = 0
  for await (const { number, line } of lines) {
    if (line.type === 'entry') {
      const { entry } = line
      const { event } = entry
      // Each session that was appended numbers its entries from 1 again.
      entries.set(entry.seq, entry)
      if (event.type !== 'call' && event.type !== 'refused') continue
      const isBeat = event.type === 'call' && event.call.operation === 'health'
      if (entry.fault === true && entry.reply?.status !== 200) faulty += 1
      else calls.set(entry, isBeat ? { number, entry, request: beat } : undefined)
    }
    const entry = line.type === 'exchange' ? entries.get(line.seq) : undefined
    if (line.type === 'exchange' && entry !== undefined && calls.has(entry))
      calls.set(entry, { number, ...line, entry })
  }
  return { calls: [...calls.values()].filter((call) => call !== undefined), faulty }
}

const beat: RequestRecord = { method: 'POST', target: '/health', headers: {}, body: '{}' }

function differencesOf({ entry, request, response }: RecordedCall, answer: Answer): string[] {
  const status = response?.status ?? entry.reply?.status ?? 0
  if (status !== answer.status) return [`the status was ${status}, is ${answer.status}`]
  const isCut = response?.bodyBytes !== undefined || request.bodyBytes !== undefined
  if (response === undefined || isCut || response.body === redacted) return []
  const differences: string[] = []
  compare(parse(response.body), parse(answer.text), '', differences)
  return differences.slice(0, MOST)
}

function compare(before: unknown, now: unknown, path: string, differences: string[]): void {
  if (differences.length > MOST || Object.is(before, now) || before === redacted) return
  const isList = Array.isArray(before) && Array.isArray(now)
  if (!isList && !(isObject(before) && isObject(now))) {
    differences.push(`${path || 'the body'} was ${shown(before)}, is ${shown(now)}`)
    return
  }
  const [old, young] = [{ ...before } as Record<string, unknown>, { ...now } as Record<string, unknown>]
  for (const key of new Set([...Object.keys(old), ...Object.keys(young)])) {
    if (!volatile.has(key)) compare(old[key], young[key], path === '' ? key : `${path}.${key}`, differences)
  }
}

const shown = (value: unknown): string =>
  value === undefined ? 'not there' : JSON.stringify(value).replace(/^(.{80}).+$/s, '$1…')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Sends a request unchanged, where `fetch` would normalise its path. @throws CommandError without an answer */
async function send(url: string, { method, target, headers, body }: RequestRecord): Promise<Answer> {
  const type = headers['content-type']
  const answer = await ask(url, {
    method,
    // A path that was cut ends in an ellipsis.
    target: target.replace(/[^\x21-\xff]/gu, encodeURIComponent),
    patience: ANSWER_MS,
    headers: type === undefined ? {} : { 'content-type': type },
    ...(body !== '' && { body }),
  })
  if (answer.problem === undefined) return answer
  throw new CommandError(EXIT.NO_SIDECAR, `${method} ${target} got no answer from ${url}: ${answer.problem}.`)
}
