import type { LogEntry } from '../../sidecar/index.js'
import { describe, describeChange } from './describe.js'
import { kindOf } from './entry.js'
import { requestOf } from './request-of.js'

type Test = (entry: LogEntry) => boolean

/**
 * Reads a filter such as `kind:call status:5 -health ms:>100`. Words are ANDed, `-` negates one, and a comma in a value
 * is an OR. A word without a known prefix is looked for in all that a row says.
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
    const kind = kindOf(entry)
    return kind === value || (value === 'event' && (kind === 'control' || kind === 'watch'))
  },
  op: ({ event }, value) => event.type === 'call' && event.call.operation.toLowerCase().startsWith(value),
  status: (entry, value) => String(statusOf(entry) ?? '').startsWith(value.replace(/x+$/, '')),
  client: ({ client = '' }, value) => client.toLowerCase().includes(value),
  path: (entry, value) => requestOf(entry)?.path.toLowerCase().includes(value) ?? false,
  ms({ ms }, value) {
    const [, sign, number] = /^([<>]?)(\d+(?:\.\d+)?)$/.exec(value) ?? []
    if (ms === undefined || number === undefined) return false
    if (sign === '<') return ms < Number(number)
    return sign === '>' ? ms > Number(number) : Math.round(ms) === Number(number)
  },
}

/** The status with which a call was answered. */
export const statusOf = ({ event, reply }: LogEntry): number | undefined =>
  event.type === 'refused' ? event.status : reply?.status

const texts = new WeakMap<LogEntry, string>()

/** All that a row says, in lower case. */
function textOf(entry: LogEntry): string {
  const known = texts.get(entry)
  if (known !== undefined) return known
  const { name, details } = describe(entry)
  const changes = entry.changes.map(describeChange)
  const warnings = entry.warnings.map(({ message }) => message)
  const text = [kindOf(entry), name, details, ...changes, ...warnings, statusOf(entry) ?? '', entry.client ?? '']
    .concat(entry.reply?.message ?? '', requestOf(entry)?.path ?? '')
    .join(' ')
    .toLowerCase()
  texts.set(entry, text)
  return text
}

/** Whether a word of a filter is on; for `kind:` whether its value is among those. */
export function hasWord(filter: string, word: string): boolean {
  const [prefix, value] = word.split(':') as [string, string]
  return filter.split(/\s+/).some(
    (one) =>
      one.startsWith(`${prefix}:`) &&
      one
        .slice(prefix.length + 1)
        .split(',')
        .includes(value),
  )
}

/** Adds a word such as `kind:call` to a filter, or takes it away. Values of one prefix are ORed. */
export function toggleWord(filter: string, word: string): string {
  const [prefix, value] = word.split(':') as [string, string]
  const words = filter.split(/\s+/).filter(Boolean)
  const at = words.findIndex((one) => one.startsWith(`${prefix}:`))
  if (at < 0) return [...words, word].join(' ')
  const values = words[at]!.slice(prefix.length + 1).split(',')
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
  words.splice(at, 1, ...(left.length > 0 ? [`${prefix}:${left.join(',')}`] : []))
  return words.join(' ')
}
