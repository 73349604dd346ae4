import { didYouMean } from '../../protocol/nearest.js'
import { operations } from '../../protocol/operations.js'
import { plainJson } from '../control/plain-json.js'
import { show } from '../model/state/show.js'
import { recordingVersion } from './recording-lines.js'
import type { RecordingLine } from './recording-lines.js'

/** What is wrong with a line of a recording, in words that follow "expected". */
export class BadLine extends Error {
  override readonly name = 'BadLine'
  /** The line is no JSON at all, as one that was torn off. */
  readonly isTorn: boolean

  constructor(message: string, isTorn = false) {
    super(message)
    this.isTorn = isTorn
  }
}

/** Most beats of one call: its body has at most 4 MiB. */
const mostBeats = 2 * 1024 * 1024

type Fields = Readonly<Record<string, unknown>>

/** Reads a line of a recording, of an export or of `watch --json`. @throws BadLine */
export function readLine(text: string): RecordingLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BadLine(`expected a JSON object; got ${show(text)}`, true)
  }
  if (plainJson(value) === undefined) throw new BadLine('expected at most 100 levels of nesting')
  const fields = objectAt(value, 'the line')
  const { type } = fields
  if (typeof type !== 'string') throw new BadLine(`expected an object with a "type"; got ${show(type)} there`)
  const check = Object.hasOwn(checks, type) ? checks[type] : undefined
  if (check === undefined) {
    throw new BadLine(`expected a type of a recording; got ${show(type)}; ${didYouMean(type, Object.keys(checks))}`)
  }
  check(fields)
  return value as RecordingLine
}

const checks: Readonly<Record<string, (fields: Fields) => void>> = {
  recording({ version }) {
    numberAt(version, 'version')
    if ((version as number) > recordingVersion) {
      throw new BadLine(
        `expected a recording of version ${recordingVersion} or older; got ${String(version)}; ` +
          'it is of a newer gameserver-sidecar, so update this one',
      )
    }
  },
  gameserver({ at, gameServer }) {
    numberAt(at, 'at')
    checkGameServer(gameServer)
  },
  entry({ entry }) {
    const { seq, at, event } = objectAt(entry, 'entry')
    numberAt(seq, 'entry.seq')
    numberAt(at, 'entry.at')
    checkEvent(objectAt(event, 'entry.event'))
  },
  exchange({ seq, request, response }) {
    numberAt(seq, 'seq')
    const { method, target, body, headers } = objectAt(request, 'request')
    methodAt(method, 'request.method')
    targetAt(target, 'request.target')
    textAt(body, 'request.body')
    textsAt(headers, 'request.headers')
    if (Object.values(headers ?? {}).some((text) => /[^\t\x20-\x7e\x80-\xff]/.test(String(text)))) {
      throw new BadLine('expected headers without line ends and control characters at request.headers')
    }
    if (response === undefined) return
    const answer = objectAt(response, 'response')
    numberAt(answer['status'], 'response.status')
    textAt(answer['body'], 'response.body')
    textsAt(answer['headers'], 'response.headers')
  },
  connection({ at, state }) {
    numberAt(at, 'at')
    textAt(state, 'state')
  },
  gap({ at }) {
    numberAt(at, 'at')
  },
}

/** Checks what a replay reads of an event. One of a newer kind has nothing that it would read. */
function checkEvent(event: Fields): void {
  textAt(event['type'], 'entry.event.type')
  if (event['type'] === 'control')
    textAt(objectAt(event['command'], 'entry.event.command')['type'], 'entry.event.command.type')
  if (event['type'] === 'refused') {
    methodAt(event['method'], 'entry.event.method')
    targetAt(event['path'], 'entry.event.path')
    numberAt(event['status'], 'entry.event.status')
  }
  if (event['type'] !== 'call') return
  const { operation, beats, key } = objectAt(event['call'], 'entry.event.call')
  if (typeof operation !== 'string' || !Object.hasOwn(operations, operation)) {
    throw new BadLine(`expected an operation at entry.event.call.operation; got ${show(operation)}`)
  }
  if (key !== undefined) textAt(key, 'entry.event.call.key')
  if (operation === 'health' && !(Number.isInteger(beats) && Number(beats) >= 0 && Number(beats) <= mostBeats)) {
    throw new BadLine(`expected a number of beats at entry.event.call.beats; got ${show(beats)}`)
  }
}

function checkGameServer(value: unknown): void {
  const gameServer = objectAt(value, 'gameServer')
  const meta = objectAt(gameServer['object_meta'], 'gameServer.object_meta')
  for (const name of ['name', 'uid']) textAt(meta[name], `gameServer.object_meta.${name}`)
  for (const name of ['labels', 'annotations']) textsAt(meta[name], `gameServer.object_meta.${name}`)
  const status = objectAt(gameServer['status'], 'gameServer.status')
  textAt(status['state'], 'gameServer.status.state')
  const { counters, lists } = status
  for (const [name, counter] of Object.entries(optionalAt(counters, 'gameServer.status.counters'))) {
    const where = `gameServer.status.counters.${name}`
    const { count, capacity } = objectAt(counter, where)
    integerAt(count, `${where}.count`)
    integerAt(capacity, `${where}.capacity`)
  }
  for (const [name, list] of Object.entries(optionalAt(lists, 'gameServer.status.lists'))) {
    const where = `gameServer.status.lists.${name}`
    const { capacity, values } = objectAt(list, where)
    integerAt(capacity, `${where}.capacity`)
    const isList = values === undefined || values === null || Array.isArray(values)
    if (!isList || !(values ?? []).every((one) => typeof one === 'string')) {
      throw new BadLine(`expected a list of texts at ${where}.values; got ${show(values)}`)
    }
  }
}

function objectAt(value: unknown, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new BadLine(`expected an object at ${where}; got ${show(value)}`)
}

const optionalAt = (value: unknown, where: string): Fields => objectAt(value ?? {}, where)

function textsAt(value: unknown, where: string): void {
  for (const [key, text] of Object.entries(optionalAt(value, where))) textAt(text, `${where}.${key}`)
}

/** What a request can't have as its method, no server gets. */
function methodAt(value: unknown, where: string): void {
  if (typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)) return
  throw new BadLine(`expected the method of a request at ${where}; got ${show(value)}`)
}

function targetAt(value: unknown, where: string): void {
  if (typeof value === 'string' && /^[^\s\p{Cc}\p{Cs}]*$/u.test(value)) return
  throw new BadLine(`expected the target of a request at ${where}; got ${show(value)}`)
}

function textAt(value: unknown, where: string): void {
  if (typeof value !== 'string') throw new BadLine(`expected text at ${where}; got ${show(value)}`)
}

/** An int64 as JSON has it, which may be absent. */
function integerAt(value: unknown, where: string): void {
  if (value === undefined || Number.isSafeInteger(value)) return
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return
  throw new BadLine(`expected an integer at ${where}; got ${show(value)}`)
}

function numberAt(value: unknown, where: string): void {
  // 1e999 is a number of JSON, and infinite.
  if (!Number.isFinite(value)) throw new BadLine(`expected a number at ${where}; got ${show(value)}`)
}
