import { operations } from '../../protocol/operations.js'
import { describeCall } from '../../platform/sidecar.js'
import type { Change, ControlCommand, LogEntry } from '../../platform/sidecar.js'
import type { SentRequest } from '../ui/copy.js'
import { cached } from './words.js'

type Kind = 'call' | 'beat' | 'event' | 'control' | 'watch' | 'refused'

/** The description of an entry, from that entry alone. */
interface Description {
  /** A beat has a kind of its own, apart from other calls. */
  readonly kind: Kind
  /** The name, such as the operation, and the further text of a row. */
  readonly name: string
  readonly details: string
  /** The request behind the entry: a call of the game, or a control command. */
  readonly request?: SentRequest
  /** For a call: the arguments of the client's method of that name. */
  readonly args?: readonly unknown[]
}

/** Describes an entry. Cached, since a filter describes thousands of entries with each key. */
export const describe = cached(({ event, problem }: LogEntry): Description => {
  switch (event.type) {
    case 'call': {
      const { operation } = event.call
      const [method, template] = operations[operation]
      const path = template.replace('{key}', 'key' in event.call ? encodeURIComponent(event.call.key) : '')
      const { details, body, args } = describeCall(event.call)
      const kind = operation === 'health' ? 'beat' : 'call'
      return { kind, name: operation, details, args, request: { method, path, body } }
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

/** One line of a diff. Undefined shows as empty. */
type Difference = readonly [path: string, before: string | undefined, after: string | undefined]

interface ChangeDescription {
  /** The text of a row. */
  readonly text: string
  /** The differences from `previous`, the last change of the same counter or list: those changes hold no old values. */
  differences(previous?: Change): readonly Difference[]
}

export function describeChange(change: Change): ChangeDescription {
  const told = (text: string, ...differences: Difference[]): ChangeDescription => ({
    text,
    differences: () => differences,
  })
  switch (change.type) {
    case 'state':
      return told(`state ${change.previous} → ${change.value}`, ['status.state', change.previous, change.value])
    case 'label':
    case 'annotation': {
      const { type, key, previous, value } = change
      const what = value === undefined ? 'removed' : `= ${value}`
      return told(`${type} ${key} ${what}`, [`metadata.${type}s[${key}]`, previous, value])
    }
    case 'counter': {
      const { name, count, capacity } = change
      const path = `status.counters.${name}`
      return {
        text: `${name} ${count} of ${capacity}`,
        differences: (old?: typeof change) => [
          [`${path}.count`, old?.count, count],
          [`${path}.capacity`, old?.capacity, capacity],
        ],
      }
    }
    case 'list': {
      const { name, capacity, added, removed } = change
      const path = `status.lists.${name}`
      const values = [...added.map((value) => `+${value}`), ...removed.map((value) => `−${value}`)]
      return {
        text: `${name} ${values.join(' ') || `capacity ${capacity}`}`,
        differences: (old?: typeof change) => [
          ...removed.map((value): Difference => [`${path}.values`, value, undefined]),
          ...added.map((value): Difference => [`${path}.values`, undefined, value]),
          [`${path}.capacity`, old || values.length === 0 ? old?.capacity : capacity, capacity],
        ],
      }
    }
    case 'deletion':
      return told('being deleted', ['metadata.deletionTimestamp', undefined, change.timestamp])
    case 'gone':
      return told('GameServer is gone', ['GameServer', 'exists', 'gone'])
    case 'replaced':
      return told('GameServer was replaced', ['GameServer', 'the one before', 'a new one'])
  }
}

/** The changes of an entry as lines of a diff. */
export const differencesOf = (entry: LogEntry, entries: readonly LogEntry[]): readonly Difference[] =>
  entry.changes.flatMap((change) => {
    const isSame = (other: Change): boolean =>
      'name' in change && other.type === change.type && other.name === change.name
    const earlier = entries.filter(({ seq }) => seq < entry.seq).flatMap(({ changes }) => changes.filter(isSame))
    const differences = describeChange(change).differences(earlier.at(-1))
    return differences.filter(([, old, young]) => old !== young)
  })
