import { isObject } from '../../protocol/is-object.js'
import type { Change, LogEntry } from '../../sidecar/index.js'

/** One line of a diff. Undefined is shown as nothing. */
export interface Difference {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** What an entry changed. Counters have no value before in a change, so it is that of the change before. */
export function diffOf(entry: LogEntry, entries: readonly LogEntry[]): Difference[] {
  return entry.changes.flatMap((change) => ofChange(change, () => earlier(change, entry.seq, entries)))
}

function ofChange(change: Change, previous: () => Change | undefined): Difference[] {
  switch (change.type) {
    case 'state':
      return [{ path: 'status.state', before: change.previous, after: change.value }]
    case 'label':
    case 'annotation':
      return [{ path: `metadata.${change.type}s[${change.key}]`, before: change.previous, after: change.value }]
    case 'counter': {
      const old = previous() as typeof change | undefined
      const path = `status.counters.${change.name}`
      return [
        { path: `${path}.count`, before: old?.count, after: change.count },
        { path: `${path}.capacity`, before: old?.capacity, after: change.capacity },
      ].filter(({ before, after }) => before !== after)
    }
    case 'list': {
      const old = previous() as typeof change | undefined
      const path = `status.lists.${change.name}`
      return [
        ...change.removed.map((value) => ({ path: `${path}.values`, before: value, after: undefined })),
        ...change.added.map((value) => ({ path: `${path}.values`, before: undefined, after: value })),
        ...(old?.capacity === change.capacity || (old === undefined && change.added.length + change.removed.length > 0)
          ? []
          : [{ path: `${path}.capacity`, before: old?.capacity, after: change.capacity }]),
      ]
    }
    case 'deletion':
      return [{ path: 'metadata.deletionTimestamp', before: undefined, after: change.timestamp }]
    case 'gone':
      return [{ path: 'GameServer', before: 'exists', after: 'gone' }]
    case 'replaced':
      return [{ path: 'GameServer', before: 'the one before', after: 'a new one' }]
  }
}

function earlier(change: Change, seq: number, entries: readonly LogEntry[]): Change | undefined {
  const name = 'name' in change ? change.name : ''
  return entries
    .filter((entry) => entry.seq < seq)
    .flatMap(({ changes }) => changes)
    .filter((other) => other.type === change.type && 'name' in other && other.name === name)
    .at(-1)
}

/** The differences of two plain values, leaf by leaf. */
export function diffValues(before: unknown, after: unknown, path = ''): Difference[] {
  if (before === after) return []
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => diffValues(before[key], after[key], path === '' ? key : `${path}.${key}`))
  }
  const [old, young] = [JSON.stringify(before), JSON.stringify(after)]
  return old === young ? [] : [{ path, before: old, after: young }]
}
