import type { LogEntry } from '../../sidecar/index.js'
import { describe, describeChange } from './describe.js'

type Test = (entry: LogEntry) => boolean

/**
 * Reads a filter such as `kind:call status:5 -health ms:>100`. Words are ANDed, `-` negates one, and a comma in a value
 * is an OR. A word without a known prefix must occur in the text of the row.
 */
export function readFilter(text: string): Test {
  const tests = text.trim().split(/\s+/).filter(Boolean).map(readWord)
  return (entry) => tests.every((test) => test(entry))
}

function readWord(word: string): Test {
  if (word.length > 1 && word.startsWith('-')) {
    const test = readWord(word.slice(1))
    return (entry) => !test(entry)
  }
  const [, prefix = '', value = ''] = /^(kind|op|status|client|path|ms):(.+)$/i.exec(word) ?? []
  const values = value.toLowerCase().split(',').filter(Boolean)
  const matches = fields[prefix.toLowerCase()]
  if (matches !== undefined && values.length > 0) return (entry) => values.some((one) => matches(entry, one))
  const wanted = word.toLowerCase()
  return (entry) => textOf(entry).includes(wanted)
}

const fields: Readonly<Record<string, (entry: LogEntry, value: string) => boolean>> = {
  kind(entry, value) {
    const { kind } = describe(entry)
    return kind === value || (value === 'event' && (kind === 'control' || kind === 'watch'))
  },
  op: ({ event }, value) => event.type === 'call' && event.call.operation.toLowerCase().startsWith(value),
  status: (entry, value) => String(statusOf(entry) ?? '').startsWith(value.replace(/x+$/, '')),
  client: ({ client = '' }, value) => client.toLowerCase().includes(value),
  path: (entry, value) => describe(entry).request?.path.toLowerCase().includes(value) ?? false,
  ms({ ms }, value) {
    const [, sign, number] = /^([<>]?)(\d+(?:\.\d+)?)$/.exec(value) ?? []
    if (ms === undefined || number === undefined) return false
    if (sign === '<') return ms < Number(number)
    return sign === '>' ? ms > Number(number) : Math.round(ms) === Number(number)
  },
}

/** The status of an entry's response. */
export const statusOf = ({ event, reply }: LogEntry): number | undefined =>
  event.type === 'refused' ? event.status : reply?.status

const texts = new WeakMap<LogEntry, string>()

/** The whole text of a row, in lower case. */
function textOf(entry: LogEntry): string {
  const known = texts.get(entry)
  if (known !== undefined) return known
  const { kind, name, details, request } = describe(entry)
  const changes = entry.changes.map((change) => describeChange(change).text)
  const warnings = entry.warnings.map(({ message }) => message)
  const text = [kind, name, details, ...changes, ...warnings, statusOf(entry) ?? '', entry.client ?? '']
    .concat(entry.reply?.message ?? '', request?.path ?? '')
    .join(' ')
    .toLowerCase()
  texts.set(entry, text)
  return text
}

/** Splits a filter into the values of a prefix such as `kind`, and the other words. */
function wordsOf(filter: string, prefix: string): { values: string[]; others: string[] } {
  const words = filter.split(/\s+/).filter(Boolean)
  const isOf = (word: string): boolean => word.startsWith(`${prefix}:`)
  return {
    values: words.filter(isOf).flatMap((word) => word.slice(prefix.length + 1).split(',')),
    others: words.filter((word) => !isOf(word)),
  }
}

export const hasWord = (filter: string, prefix: string, value: string): boolean =>
  wordsOf(filter, prefix).values.includes(value)

/** Adds a word such as `kind:call` to a filter, or removes it. Values of one prefix are ORed. */
export function toggleWord(filter: string, prefix: string, value: string): string {
  const { values, others } = wordsOf(filter, prefix)
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
  return [...others, ...(left.length > 0 ? [`${prefix}:${left.join(',')}`] : [])].join(' ')
}
