import { expect, test } from 'vitest'
import { createKeptEntries } from '../../src/sidecar/kept-entries.js'
import type { LogEntry } from '../../src/sidecar/index.js'

const entry = (seq: number, path = '/'): LogEntry => ({
  seq,
  at: 0,
  event: { type: 'refused', method: 'GET', path, status: 404, message: '' },
  changes: [],
  warnings: [],
})

test('an entry is found by its number however many there are, without a walk through the others', () => {
  const kept = createKeptEntries(100_000, Infinity)
  for (let seq = 1; seq <= 100_000; seq++) kept.add(entry(seq), undefined)
  let sum = 0
  // A walk through half of them for each would take minutes.
  for (let seq = 1; seq <= 100_000; seq++) sum += kept.find(seq)!.entry.seq
  expect(sum).toBe((100_000 * 100_001) / 2)
  expect(kept.after(99_998).map(({ seq }) => seq)).toEqual([99_999, 100_000])
})

test('the oldest entries go first, by number and by size, and the newest stays whatever its size', () => {
  const kept = createKeptEntries(3, 1_000)
  for (let seq = 1; seq <= 5; seq++) kept.add(entry(seq), undefined)
  expect(kept.after(0).map(({ seq }) => seq)).toEqual([3, 4, 5])
  expect(kept.find(2)).toBeUndefined()
  kept.add(entry(6, '/'.repeat(2_000)), undefined)
  expect(kept.after(0).map(({ seq }) => seq)).toEqual([6])
})

test('an exchange that comes late for an old entry is kept, and is the next to go', () => {
  const kept = createKeptEntries(10, Infinity)
  const exchange = (body: string) => ({ request: { method: 'PUT', target: '/', headers: {}, body } })
  for (let seq = 1; seq <= 4; seq++) kept.add(entry(seq), undefined)
  const third = 'x'.repeat(3 * 1024 * 1024)
  for (const seq of [2, 3, 4]) kept.keepExchange(seq, exchange(third), false)
  expect([2, 3, 4].map((seq) => kept.find(seq)!.exchange !== undefined)).toEqual([false, true, true])
  kept.keepExchange(1, exchange(third), false)
  expect([1, 3, 4].map((seq) => kept.find(seq)!.exchange !== undefined)).toEqual([true, false, true])
  kept.add(entry(5), undefined)
  kept.keepExchange(5, exchange(third), false)
  expect([1, 4, 5].map((seq) => kept.find(seq)!.exchange !== undefined)).toEqual([false, true, true])
})
