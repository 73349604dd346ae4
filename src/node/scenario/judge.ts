import type { GameServer } from '../../protocol/game-server.js'
import type { LogEntry, SidecarSnapshot } from '../../sidecar/index.js'
import { describeCall, describeValue } from './describe.js'
import type { CounterExpectation, Expectation, Failure, ListExpectation } from './types.js'

/** The state that an expectation is checked against. */
export interface View {
  readonly snapshot: SidecarSnapshot
  /** The log since the last step that did something. */
  readonly entries: readonly LogEntry[]
  /** Calls that have met an expectation already. */
  readonly used: ReadonlySet<LogEntry>
  readonly gameEnd: { readonly exitCode: number } | undefined
}

export interface Verdict {
  /** The conditions that don't hold; undefined if all hold. */
  readonly failure: Failure | undefined
  /** The call that meets the expectation. */
  readonly call?: LogEntry | undefined
}

/** Checks a single condition: undefined if it holds. */
type Finding = Failure | undefined

export function judge(expectation: Expectation, view: View): Verdict {
  const { gameServer, watchers } = view.snapshot
  const { object_meta: meta, status } = gameServer
  const { call, state, label, annotation, counter, list, watchers: count, warning, exit } = expectation
  const findings: Finding[] = []
  const found = call === undefined ? undefined : findCall(expectation, view)
  if (call !== undefined && found === undefined) findings.push(missingCall(expectation, view))
  if (state !== undefined) findings.push(compare('state', state, status.state === '' ? 'none' : status.state))
  findings.push(...metadata('label', label, meta.labels), ...metadata('annotation', annotation, meta.annotations))
  for (const [name, wanted] of Object.entries(counter ?? {})) findings.push(...judgeCounter(name, wanted, gameServer))
  for (const [name, wanted] of Object.entries(list ?? {})) findings.push(...judgeList(name, wanted, gameServer))
  if (count !== undefined) findings.push(compare('watchers', count, watchers.length))
  if (warning !== undefined) findings.push(judgeWarning(warning, view.entries))
  if (exit !== undefined) findings.push(judgeExit(exit, view))
  const failures = findings.filter((finding) => finding !== undefined)
  if (failures.length === 0) return { failure: undefined, call: found }
  const all = (field: keyof Failure): string => [...new Set(failures.map((failure) => failure[field]))].join('; ')
  return { failure: { expected: all('expected'), actual: all('actual') } }
}

/** The first call that an expectation describes, and that has met no other expectation. */
export function findCall(
  { call: operation, with: fields = {}, status }: Expectation,
  view: View,
): LogEntry | undefined {
  return view.entries.find(({ event, reply }, i) => {
    if (event.type !== 'call' || event.call.operation !== operation || view.used.has(view.entries[i]!)) return false
    if (status !== undefined && reply?.status !== status) return false
    const given = event.call as unknown as Readonly<Record<string, unknown>>
    return Object.entries(fields).every(([name, value]) => sameText(given[name], value))
  })
}

/** Whether two values are the same in text: int64 fields are text in a call and numbers in most files. */
function sameText(given: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return JSON.stringify(given) === JSON.stringify(wanted)
  return given !== undefined && describeValue(given) === describeValue(wanted)
}

function missingCall({ call: operation, with: fields, status }: Expectation, view: View): Failure {
  const calls = view.entries.flatMap((entry) =>
    entry.event.type === 'call' ? [{ ...entry, call: entry.event.call }] : [],
  )
  const same = calls.filter(({ call }) => call.operation === operation).at(-1)
  const end = view.gameEnd === undefined ? '' : `; the game's command has ended with code ${view.gameEnd.exitCode}`
  const shown = (entry: (typeof calls)[number]): string => {
    const { operation, ...given } = entry.call
    return describeCall(operation, given, entry.reply?.status)
  }
  const names = [...new Set(calls.map(({ call }) => call.operation))]
  const others = names.length === 0 ? 'no call' : `only ${names.join(', ')}`
  const isUsed = same !== undefined && view.used.has(view.entries.find(({ seq }) => seq === same.seq)!)
  const actual = same === undefined ? others : isUsed ? 'no further call of it' : shown(same)
  return { expected: describeCall(operation!, fields, status), actual: actual + end }
}

function compare(what: string, wanted: unknown, actual: unknown): Finding {
  return String(wanted) === String(actual)
    ? undefined
    : { expected: `${what} ${String(wanted)}`, actual: `${what} ${String(actual)}` }
}

type Texts = Readonly<Record<string, string>> | null | undefined

function metadata(what: string, wanted: Expectation['label'], texts: Texts): Finding[] {
  return Object.entries(wanted ?? {}).map(([key, value]) => {
    const actual = texts && Object.hasOwn(texts, key) ? texts[key] : undefined
    if ((actual ?? null) === value) return undefined
    const expected = value === null ? `no ${what} ${key}` : `${what} ${key}=${value}`
    const all = Object.entries(texts ?? {}).map(([name, text]) => `${name}=${text}`)
    const known = all.length === 0 ? `no ${what}s` : `${what}s ${all.slice(0, 10).join(', ')}`
    return { expected, actual: actual === undefined ? known : `${what} ${key}=${actual}` }
  })
}

function judgeCounter(name: string, wanted: string | number | CounterExpectation, gameServer: GameServer): Finding[] {
  const counters = gameServer.status.counters ?? {}
  if (!Object.hasOwn(counters, name)) return [absent('counter', name, counters)]
  const fields: Readonly<Record<string, unknown>> = typeof wanted === 'object' ? { ...wanted } : { count: wanted }
  const actual = counters[name]!
  return Object.entries(fields).map(([field, value]) =>
    compare(`counter ${name} ${field}`, value, actual[field as keyof CounterExpectation]),
  )
}

function judgeList(name: string, wanted: readonly string[] | ListExpectation, gameServer: GameServer): Finding[] {
  const lists = gameServer.status.lists ?? {}
  if (!Object.hasOwn(lists, name)) return [absent('list', name, lists)]
  const { capacity, values } = lists[name]!
  const held = values ?? []
  const actual = `list ${name} ${describeValue(held)}`
  if (isList(wanted)) return [compare(`list ${name}`, describeValue(wanted), describeValue(held))]
  const { contains = [], lacks = [] } = wanted
  const missing = contains.filter((value) => !held.includes(value))
  const present = lacks.filter((value) => held.includes(value))
  return [
    missing.length === 0 ? undefined : { expected: `list ${name} with ${missing.join(', ')}`, actual },
    present.length === 0 ? undefined : { expected: `list ${name} without ${present.join(', ')}`, actual },
    wanted.size === undefined ? undefined : compare(`list ${name} size`, wanted.size, held.length),
    wanted.capacity === undefined ? undefined : compare(`list ${name} capacity`, wanted.capacity, capacity),
  ]
}

const isList = (value: readonly string[] | ListExpectation): value is readonly string[] => Array.isArray(value)

function absent(what: string, name: string, known: object): Failure {
  const names = Object.keys(known)
  return { expected: `${what} ${name}`, actual: names.length === 0 ? `no ${what}s` : `${what}s ${names.join(', ')}` }
}

function judgeWarning(code: string, entries: readonly LogEntry[]): Finding {
  const codes = entries.flatMap(({ warnings }) => warnings.map((warning) => warning.code))
  if (codes.some((one) => one === code)) return undefined
  return { expected: `warning ${code}`, actual: codes.length === 0 ? 'no warning' : `warnings ${codes.join(', ')}` }
}

function judgeExit(code: number, { gameEnd }: View): Finding {
  if (gameEnd?.exitCode === code) return undefined
  const actual = gameEnd === undefined ? 'the command is still running' : `exit code ${gameEnd.exitCode}`
  return { expected: `exit code ${code}`, actual }
}
