import type { LogEntry } from '../../platform/sidecar.js'
import { describe, describeChange } from './describe.js'
import { readerOfWords } from './words.js'

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

const readTexts = readerOfWords(fields, (entry: LogEntry) => {
  const { kind, name, details, request } = describe(entry)
  const changes = entry.changes.map((change) => describeChange(change).text)
  const warnings = entry.warnings.map(({ message }) => message)
  return [
    kind,
    name,
    details,
    ...changes,
    ...warnings,
    statusOf(entry),
    entry.client,
    entry.reply?.message,
    request?.path,
  ]
})

/** Reads the filter of a sidecar's timeline, such as `kind:call status:5 -health ms:>100`. */
export function readFilter(text: string): (entry: LogEntry) => boolean {
  const passes = readTexts(text)
  // A tick of the clock without any effect has no row.
  return (entry) => (entry.event.type !== 'tick' || entry.changes.length + entry.warnings.length > 0) && passes(entry)
}
