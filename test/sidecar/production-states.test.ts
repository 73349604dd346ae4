import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'
import type { Harness } from './support/harness.js'

describe('production: states', () => {
  it('starts as Scheduled', () => {
    expect(startHarness({ gameServer: undefined }).state()).toBe('Scheduled')
  })

  it('answers a state call at once and applies it 500 ms later', async () => {
    const { call, state, clock } = startHarness()
    expect(await call('POST', '/shutdown')).toEqual([200, {}])
    clock.advance(499)
    expect(state()).toBe('Scheduled')
    clock.advance(1)
    expect(state()).toBe('Shutdown')
  })

  it('goes through RequestReady to Ready, each seen by a watch', async () => {
    const { call, watch, clock } = startHarness()
    const seen = watch()
    await call('POST', '/ready')
    clock.advance(1000)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'RequestReady', 'Ready'])
  })

  it('flickers through RequestReady when ready is called again', async () => {
    const { call, watch, clock } = startHarness()
    await call('POST', '/ready')
    clock.advance(1000)
    const seen = watch()
    await call('POST', '/ready')
    clock.advance(1000)
    expect(seen.map(({ status }) => status.state)).toEqual(['Ready', 'RequestReady', 'Ready'])
  })

  it('writes only the last of several states within 500 ms', async () => {
    const { call, watch, clock } = startHarness()
    const seen = watch()
    await call('POST', '/ready')
    clock.advance(200)
    await call('POST', '/allocate')
    clock.advance(200)
    await call('POST', '/reserve', { seconds: 0 })
    clock.advance(100)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Reserved'])
  })

  it('lets a ready within 500 ms replace a shutdown', async () => {
    const { call, state, clock } = startHarness()
    await call('POST', '/shutdown')
    await call('POST', '/ready')
    clock.advance(1000)
    expect(state()).toBe('Ready')
  })

  it('marks Allocated with the time, under the configured platform', async () => {
    const { call, sidecar, clock } = startHarness({ platform: 'acme' })
    await call('POST', '/allocate')
    clock.advance(500)
    expect(sidecar.snapshot().gameServer.object_meta.annotations).toMatchObject({
      'acme.dev/last-allocated': '2030-01-01T00:00:00.500Z',
    })
  })

  it('answers and ignores every state call after Shutdown, with a warning', async () => {
    const { call, state, clock, warnings } = startHarness()
    await call('POST', '/shutdown')
    clock.advance(500)
    for (const path of ['/ready', '/allocate', '/reserve']) expect(await call('POST', path)).toEqual([200, {}])
    clock.advance(5000)
    expect(state()).toBe('Shutdown')
    expect(warnings()).toEqual(['call-after-end', 'call-after-end', 'call-after-end'])
  })

  it('answers and ignores every state call after Unhealthy, shutdown too', async () => {
    const { call, state, clock, sidecar } = startHarness()
    sidecar.control({ type: 'makeUnhealthy' })
    expect(state()).toBe('Unhealthy')
    for (const path of ['/ready', '/shutdown']) expect(await call('POST', path)).toEqual([200, {}])
    clock.advance(5000)
    expect(state()).toBe('Unhealthy')
  })

  it('moves resource_version with every write and generation with all but metadata', async () => {
    const { call, watch, clock } = startHarness()
    const seen = watch()
    await call('PUT', '/metadata/label', { key: 'a', value: 'b' })
    clock.advance(500)
    await call('POST', '/allocate')
    clock.advance(500)
    expect(seen.map(({ object_meta: meta }) => [meta.resource_version, meta.generation])).toEqual([
      ['1', '1'],
      ['2', '1'],
      ['3', '2'],
    ])
  })
})

describe('production: reservations', () => {
  it('ends in Ready when its time is over, counted from when it was written', async () => {
    const { call, watch, clock } = startHarness()
    const seen = watch()
    await call('POST', '/reserve', { seconds: '10' })
    clock.advance(500)
    clock.advance(9_999)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Reserved'])
    clock.advance(1 + 500 + 20)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Reserved', 'RequestReady', 'Ready'])
  })

  it.each([0, -1, '-9223372036854775808'])('of %s s lasts for ever', async (seconds) => {
    const { call, state, clock } = startHarness()
    await call('POST', '/reserve', { seconds })
    clock.advance(500)
    clock.advance(10 ** 10)
    expect(state()).toBe('Reserved')
  })

  it('is replaced by a later one, also by one for ever', async () => {
    const { call, state, clock } = startHarness()
    await call('POST', '/reserve', { seconds: 5 })
    clock.advance(1000)
    await call('POST', '/reserve', { seconds: 0 })
    clock.advance(60_000)
    expect(state()).toBe('Reserved')
    await call('POST', '/reserve', { seconds: 5 })
    clock.advance(6_100)
    expect(state()).toBe('Ready')
  })

  it('of 9223372037 s and more overflows to about a second, with a warning', async () => {
    const { call, watch, clock, warnings } = startHarness()
    const seen = watch()
    await call('POST', '/reserve', { seconds: '9223372037' })
    clock.advance(1100)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Reserved', 'RequestReady', 'Ready'])
    expect(warnings()).toContain('reserve-overflow')
  })

  it('of 9223372036 s is the longest that lasts', async () => {
    const { call, state, clock, warnings } = startHarness()
    await call('POST', '/reserve', { seconds: '9223372036' })
    clock.advance(3_000_000_000)
    expect(state()).toBe('Reserved')
    expect(warnings()).toEqual([])
  })

  it('undoes an allocation from outside when its timer ends', async () => {
    const { call, state, clock, sidecar } = startHarness()
    await call('POST', '/reserve', { seconds: 3 })
    clock.advance(500)
    expect(sidecar.control({ type: 'allocate', force: true })).toEqual({ ok: true })
    expect(state()).toBe('Allocated')
    clock.advance(4000)
    expect(state()).toBe('Ready')
  })

  it('goes on after a restart of the sidecar', async () => {
    const { call, state, clock, sidecar } = startHarness()
    await call('POST', '/reserve', { seconds: 10 })
    clock.advance(2_500)
    sidecar.control({ type: 'restart' })
    clock.advance(7_999)
    expect(state()).toBe('Reserved')
    clock.advance(600)
    expect(state()).toBe('Ready')
  })
})

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
