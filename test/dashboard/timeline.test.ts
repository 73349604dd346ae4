import { expect, test } from 'vitest'
import { describe } from '../../src/dashboard/timeline/describe.js'
import { readFilter } from '../../src/dashboard/timeline/filter.js'
import { rowsOf } from '../../src/dashboard/timeline/rows.js'
import type { ControlCommand, LogEntry } from '../../src/sidecar/index.js'

const health = { operation: 'health', beats: 1 } as const
const look = { operation: 'getGameServer' } as const

/** What the rows of these entries say, oldest first. */
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
  return rowsOf(log, () => true).map((row) => {
    if (row.type === 'repeats') return `${name(row.repeats[0]!)} ×${row.repeats.length}`
    return row.type === 'entry' ? name(row.entry) : row.type
  })
}

const beat: Partial<LogEntry> = { event: { type: 'call', call: health } }
const failed: Partial<LogEntry> = { reply: { status: 503 } }

test('a quiet client, which beats and looks at its GameServer by turns, takes two rows, the one that grew last on top', () => {
  expect(rows(beat, beat, {}, beat, beat, {}, beat)).toEqual(['getGameServer ×2', 'health ×5'])
})

test('whatever else happens parts the rows, so that order is never lost', () => {
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

test('each client has rows of its own', () => {
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

test('a row of an allocation that was refused says so and why, in place of its manifest', () => {
  const refused = entryOf({ type: 'allocate', manifest }, 'selector 1: state is Allocated, must be Ready')
  const details = 'not allocated: selector 1: state is Allocated, must be Ready'
  expect(describe(refused)).toMatchObject({ name: 'allocate', details })
  expect(readFilter('not allocated:')(refused)).toBe(true)
})

test('a command that was carried out is told with its fields, one that was not with the reason', () => {
  expect(describe(entryOf({ type: 'restart', downMs: 5 })).details).toBe('downMs 5')
  expect(describe(entryOf({ type: 'restart', downMs: 5 }, 'it is down already')).details).toBe('it is down already')
})
