import { expect, test } from 'vitest'
import { describe } from '../../src/dashboard/timeline/describe.js'
import { readFilter } from '../../src/dashboard/timeline/filter.js'
import type { ControlCommand, LogEntry } from '../../src/sidecar/index.js'

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
  expect(describe(refused)).toEqual({ name: 'allocate', details })
  expect(readFilter('not allocated:')(refused)).toBe(true)
})

test('a command that was carried out is told with its fields, one that was not with the reason', () => {
  expect(describe(entryOf({ type: 'restart', downMs: 5 })).details).toBe('downMs 5')
  expect(describe(entryOf({ type: 'restart', downMs: 5 }, 'it is down already')).details).toBe('it is down already')
})
