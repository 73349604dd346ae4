import { operations } from '../../protocol/operations.js'
import { describeCall, describeChange } from '../../platform/sidecar.js'
import type { Change, ControlCommand, LogEntry } from '../../platform/sidecar.js'
import { cached, state } from '../store/state.js'
import { readerOfWords } from '../timeline/model.js'
import type { SentRequest } from '../ui/actions.js'

/** The entries of a sidecar's log that the page keeps. */
export const logEntries = (): readonly LogEntry[] => state.entries as readonly LogEntry[]

/** The description of an entry, from that entry alone. */
interface Description {
  /** A beat has a kind of its own, apart from other calls. */
  readonly kind: 'call' | 'beat' | 'event' | 'control' | 'watch' | 'refused'
  /** The name, such as the operation, and the further text of a row. */
  readonly name: string
  readonly details: string
  /** The request behind the entry: a call of the game, or a control command. */
  readonly request?: SentRequest
}

/** Describes an entry. Cached, since a filter describes thousands of entries with each key. */
export const describe = cached(({ event, problem }: LogEntry): Description => {
  switch (event.type) {
    case 'call': {
      const { operation } = event.call
      const [method, template] = operations[operation]
      const path = template.replace('{key}', 'key' in event.call ? encodeURIComponent(event.call.key) : '')
      const { details, body } = describeCall(event.call)
      const kind = operation === 'health' ? 'beat' : 'call'
      return { kind, name: operation, details, request: { method, path, body } }
    }
    case 'refused': {
      // With a leading slash, the request always goes to this sidecar, never to another host.
      const request = { method: event.method, path: event.path.replace(/^(?!\/)/, '/') }
      return { kind: 'refused', name: `${event.method} ${event.path}`, details: event.message, request }
    }
    case 'control': {
      const { command } = event
      const request = { method: 'POST', path: '/_/api/commands', body: command }
      // The reason replaces the manifest of a refused allocation, which would fill the row.
      const refusal = problem && (command.type === 'allocate' ? `not allocated: ${problem}` : problem)
      return { kind: 'control', name: command.type, details: refusal ?? fieldsOf(command), request }
    }
    case 'watch-opened':
      return { kind: 'watch', name: `watch #${event.id} opened`, details: event.transport }
    case 'watch-closed':
      return { kind: 'watch', name: `watch #${event.id} ended`, details: event.reason }
    case 'tick':
      return { kind: 'event', name: 'time', details: '' }
  }
})

const fieldsOf = ({ type: _, ...fields }: ControlCommand): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .slice(0, 300)

/** The status of an entry's response. */
export const statusOf = ({ event, reply }: LogEntry): number | undefined =>
  event.type === 'refused' ? event.status : reply?.status

/** Successful beats share a row, and so do successful reads of the GameServer, which an idle client sends. */
export function groupOf(entry: LogEntry): string | undefined {
  const { event, reply, changes, warnings, fault, client } = entry
  const isRoutine = event.type === 'call' && ['health', 'getGameServer'].includes(event.call.operation)
  const isIdle = isRoutine && reply?.status === 200 && changes.length + warnings.length === 0 && !fault
  return isIdle ? `${describe(entry).kind} ${client}` : undefined
}

/** One line of a diff. Undefined shows as empty. */
type Difference = readonly [path: string, before: string | undefined, after: string | undefined]

/** @param old the last change of the same counter or list, since those changes hold no old values */
function differencesBy(change: Change, old?: Change): readonly Difference[] {
  switch (change.type) {
    case 'state':
      return [['status.state', change.previous, change.value]]
    case 'label':
    case 'annotation':
      return [[`metadata.${change.type}s[${change.key}]`, change.previous, change.value]]
    case 'counter': {
      const path = `status.counters.${change.name}`
      const before = old as typeof change | undefined
      return [
        [`${path}.count`, before?.count, change.count],
        [`${path}.capacity`, before?.capacity, change.capacity],
      ]
    }
    case 'list': {
      const { name, capacity, added, removed } = change
      const path = `status.lists.${name}`
      const before = old as typeof change | undefined
      const isKnown = before !== undefined || added.length + removed.length === 0
      return [
        ...removed.map((value): Difference => [`${path}.values`, value, undefined]),
        ...added.map((value): Difference => [`${path}.values`, undefined, value]),
        [`${path}.capacity`, isKnown ? before?.capacity : capacity, capacity],
      ]
    }
    case 'deletion':
      return [['metadata.deletionTimestamp', undefined, change.timestamp]]
    case 'gone':
      return [['GameServer', 'exists', 'gone']]
    case 'replaced':
      return [['GameServer', 'the one before', 'a new one']]
  }
}

/** The changes of an entry as lines of a diff. */
export const differencesOf = (entry: LogEntry, entries: readonly LogEntry[]): readonly Difference[] =>
  entry.changes.flatMap((change) => {
    const isSame = (other: Change): boolean =>
      'name' in change && 'name' in other && other.type === change.type && other.name === change.name
    const earlier = entries.filter(({ seq }) => seq < entry.seq).flatMap(({ changes }) => changes.filter(isSame))
    return differencesBy(change, earlier.at(-1)).filter(([, before, after]) => before !== after)
  })

const readTexts = readerOfWords<LogEntry>(
  {
    kind(entry, value) {
      const { kind } = describe(entry)
      return kind === value || (value === 'event' && (kind === 'control' || kind === 'watch'))
    },
    status: (entry, value) => String(statusOf(entry) ?? '').startsWith(value.replace(/x+$/, '')),
  },
  (entry) => {
    const { kind, name, details, request } = describe(entry)
    const { changes, warnings, client, reply } = entry
    const texts = [...changes.map((change) => describeChange(change)), ...warnings.map(({ message }) => message)]
    return [kind, name, details, ...texts, statusOf(entry), client, reply?.message, request?.path]
  },
)

/** Reads the filter of a sidecar's timeline, such as `kind:call status:5 -health`. */
export function readFilter(text: string): (entry: LogEntry) => boolean {
  const passes = readTexts(text)
  // A tick of the clock without any effect has no row.
  return (entry) => (entry.event.type !== 'tick' || entry.changes.length + entry.warnings.length > 0) && passes(entry)
}
