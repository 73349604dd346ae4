import { expect, test } from 'vitest'
import { startHarness } from './support/harness.js'

test('no two allocations have the same time, not even within one millisecond', () => {
  const { sidecar, clock } = startHarness()
  const allocate = (): string => {
    sidecar.control({ type: 'allocate', force: true })
    return sidecar.snapshot().gameServer.object_meta.annotations!['agones.dev/last-allocated']!
  }
  const times = [allocate(), allocate(), allocate()]
  clock.advance(1)
  times.push(allocate())
  expect(times).toEqual([
    '2030-01-01T00:00:00.000Z',
    '2030-01-01T00:00:00.000000001Z',
    '2030-01-01T00:00:00.000000002Z',
    '2030-01-01T00:00:00.001Z',
  ])
})
