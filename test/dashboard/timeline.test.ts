import { expect, test } from 'vitest'
import { describe, differencesOf, groupOf, readFilter } from '../../src/dashboard/sidecar/describe.js'
import { rowsOf } from '../../src/dashboard/timeline/model.js'
import type { ControlCommand, LogEntry } from '../../src/platform/sidecar.js'

const health = { operation: 'health', beats: 1 } as const
const look = { operation: 'getGameServer' } as const

/** The rows of these entries as text, oldest first. */
function rows(...entries: readonly Partial<LogEntry>[]): string[] {
  const log = entries.map((entry, i): LogEntry => ({
    seq: i + 1,
    at: i * 1000,
    event: { type: 'call', call: look },
    reply: { status: 200 },
    changes: [],
    warnings: [],
    client: 'node#1',
    ...entry,
  }))
  const name = ({ event }: LogEntry): string => (event.type === 'call' ? event.call.operation : event.type)
  return rowsOf(log, () => true, groupOf).map((row) => {
    if (row.type === 'skipped') return row.type
    return `${name(row.entries[0]!)}${row.type === 'repeats' ? ` ×${row.entries.length}` : ''}`
  })
}

const beat: Partial<LogEntry> = { event: { type: 'call', call: health } }
const failed: Partial<LogEntry> = { reply: { status: 503 } }

test('the beats and the reads of an idle client take two rows, of which the one with the newest entry is last', () => {
  expect(rows(beat, beat, {}, beat, beat, {}, beat)).toEqual(['getGameServer ×2', 'health ×5'])
})

test('any other entry ends the rows of repeats, so that rows stay in order', () => {
  const allocated: Partial<LogEntry> = { event: { type: 'control', command: { type: 'allocate' } } }
  expect(rows(beat, {}, allocated, {}, beat)).toEqual([
    'health ×1',
    'getGameServer ×1',
    'control',
    'getGameServer ×1',
    'health ×1',
  ])
  expect(rows({}, failed, {})).toEqual(['getGameServer ×1', 'getGameServer', 'getGameServer ×1'])
})

test('repeats of different clients have rows of their own', () => {
  expect(rows({}, { client: 'page#1' }, {})).toEqual(['getGameServer ×1', 'getGameServer ×2'])
})

const entryOf = (command: ControlCommand, problem?: string): LogEntry => ({
  seq: 1,
  at: 0,
  event: { type: 'control', command },
  ...(problem === undefined ? {} : { problem }),
  changes: [],
  warnings: [],
})
const manifest = { apiVersion: 'allocation.agones.dev/v1', kind: 'GameServerAllocation' } as const

test('the row of a refused allocation shows the reason instead of the manifest', () => {
  const refused = entryOf({ type: 'allocate', manifest }, 'selector 1: state is Allocated, must be Ready')
  const details = 'not allocated: selector 1: state is Allocated, must be Ready'
  expect(describe(refused)).toMatchObject({ name: 'allocate', details })
  expect(readFilter('not allocated:')(refused)).toBe(true)
})

test('the row of a command shows its fields, and of a refused command the reason', () => {
  expect(describe(entryOf({ type: 'restart', downMs: 5 })).details).toBe('downMs 5')
  expect(describe(entryOf({ type: 'restart', downMs: 5 }, 'it is down already')).details).toBe('it is down already')
})

test('the differences of an allocation are its state and its labels, with the values before and after', () => {
  const allocated: LogEntry = {
    ...entryOf({ type: 'allocate', labels: { mode: 'dm' } }),
    changes: [
      { type: 'state', previous: 'Ready', value: 'Allocated' },
      { type: 'label', key: 'mode', previous: undefined, value: 'dm' },
    ],
  }
  expect(differencesOf(allocated, [allocated])).toEqual([
    ['status.state', 'Ready', 'Allocated'],
    ['metadata.labels[mode]', undefined, 'dm'],
  ])
})
