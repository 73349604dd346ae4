import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'
import type { Harness } from './support/harness.js'

const atReady = async (): Promise<Harness> => {
  const harness = startHarness()
  await harness.call('POST', '/ready')
  harness.clock.advance(520)
  expect(harness.state()).toBe('Ready')
  return harness
}
const allocate = ({ sidecar }: Harness): void => expect(sidecar.control({ type: 'allocate' })).toEqual({ ok: true })

describe('a ready() that waits to be written', () => {
  it('undoes an allocation that comes before the write, as in a cluster, and the log warns of it', async () => {
    const harness = await atReady()
    const { call, clock, state, warnings, watch, sidecar } = harness
    const seen = watch()
    await call('POST', '/ready')
    clock.advance(300)
    allocate(harness)
    clock.advance(199)
    expect([state(), warnings()]).toEqual(['Allocated', []])
    clock.advance(1)
    clock.advance(20)
    expect(seen.map(({ status }) => status.state)).toEqual(['Ready', 'Allocated', 'RequestReady', 'Ready'])
    expect(warnings()).toEqual(['ready-undoes-allocation'])
    const [warning] = sidecar.log.entries().flatMap((entry) => entry.warnings)
    expect(warning?.message).toContain('Call ready() once')
  })

  it.each([
    ['a ready() after the match', ['allocate', '/ready']],
    ['a match that ends within the time of the write', ['/ready', 'allocate', '/ready']],
    ['an allocate() of the game itself', ['/ready', '/allocate']],
    ['a reservation', ['/reserve', 'allocate']],
    ['the end of the server', ['/ready', 'allocate', '/shutdown']],
  ])('is no reason for a warning in case of %s', async (_, steps) => {
    const harness = await atReady()
    for (const step of steps) {
      if (step === 'allocate') allocate(harness)
      else await harness.call('POST', step, step === '/reserve' ? { seconds: 60 } : {})
      harness.clock.advance(100)
    }
    harness.clock.advance(1_000)
    expect(harness.warnings()).toEqual([])
  })
})

describe('a ready() of a game whose watch has ended while Allocated', () => {
  it.each([
    ['warns as soon as the game has started again', 2_000, ['ready-undoes-allocation']],
    ['warns of nothing once the game was back for a match', 60_000, []],
  ])('%s', async (_, ms, expected) => {
    const harness = await atReady()
    const { call, clock, sidecar, warnings } = harness
    const opened = sidecar.watch({ onMessage: () => undefined })
    allocate(harness)
    opened.close()
    harness.watch()
    clock.advance(ms)
    await call('POST', '/ready')
    expect(warnings()).toEqual(expected)
  })
})

describe("an allocation's increment", () => {
  it('beyond the capacity is cut to it, without a word', async () => {
    const harness = await atReady()
    const { sidecar, warnings } = harness
    sidecar.control({ type: 'setCounter', name: 'rooms', count: 9, capacity: 10 })
    expect(sidecar.control({ type: 'allocate', counters: { rooms: { action: 'Increment', amount: 3 } } })).toEqual({
      ok: true,
    })
    expect(sidecar.snapshot().gameServer.status.counters?.['rooms']).toEqual({ count: '10', capacity: '10' })
    expect(warnings()).toEqual([])
  })
})
