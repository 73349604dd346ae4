import { describe, expect, it } from 'vitest'
import { startHarness, type Harness } from './support/harness.js'

describe('production: states', () => {
  it('a state call is answered at once and applied 500 ms later', async () => {
    const { call, state, clock } = startHarness()
    expect(await call('POST', '/shutdown')).toEqual([200, {}])
    clock.advance(499)
    expect(state()).toBe('Scheduled')
    clock.advance(1)
    expect(state()).toBe('Shutdown')
  })

  it('Allocated sets the last-allocated annotation of the configured platform', async () => {
    const { call, sidecar, clock } = startHarness({ platform: 'acme' })
    await call('POST', '/allocate')
    clock.advance(500)
    expect(sidecar.snapshot().gameServer.object_meta.annotations).toMatchObject({
      'acme.dev/last-allocated': '2030-01-01T00:00:00.500Z',
    })
  })

  it('after Shutdown every state call is answered, ignored and warned about', async () => {
    const { call, state, clock, warnings } = startHarness()
    await call('POST', '/shutdown')
    clock.advance(500)
    for (const path of ['/ready', '/allocate', '/reserve']) expect(await call('POST', path)).toEqual([200, {}])
    clock.advance(5000)
    expect(state()).toBe('Shutdown')
    expect(warnings()).toEqual(['call-after-end', 'call-after-end', 'call-after-end'])
  })

  it('after Unhealthy every state call is answered and ignored, shutdown too', async () => {
    const { call, state, clock, sidecar } = startHarness()
    sidecar.control({ type: 'makeUnhealthy' })
    expect(state()).toBe('Unhealthy')
    for (const path of ['/ready', '/shutdown']) expect(await call('POST', path)).toEqual([200, {}])
    clock.advance(5000)
    expect(state()).toBe('Unhealthy')
  })
})

describe('production: reservations', () => {
  it.each([0, -1, '-9223372036854775808'])('a reservation of %s s lasts for ever', async (seconds) => {
    const { call, state, clock } = startHarness()
    await call('POST', '/reserve', { seconds })
    clock.advance(500)
    clock.advance(10 ** 10)
    expect(state()).toBe('Reserved')
  })

  it('a later reservation replaces an earlier one, also one for ever', async () => {
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

  it('a reservation of 9223372037 s overflows to about a second, with a warning', async () => {
    const { call, watch, clock, warnings } = startHarness()
    const seen = watch()
    await call('POST', '/reserve', { seconds: '9223372037' })
    clock.advance(1100)
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Reserved', 'RequestReady', 'Ready'])
    expect(warnings()).toContain('reserve-overflow')
  })

  it('a reservation of 9223372036 s does not overflow', async () => {
    const { call, state, clock, warnings } = startHarness()
    await call('POST', '/reserve', { seconds: '9223372036' })
    clock.advance(3_000_000_000)
    expect(state()).toBe('Reserved')
    expect(warnings()).toEqual([])
  })

  it('a reservation goes on after a restart of the sidecar', async () => {
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
  it('a queued ready() undoes an allocation before its write, and the log warns', async () => {
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
  ])('a queued ready() does not warn in case of %s', async (_, steps) => {
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

const name63 = 'a'.repeat(63)

describe('production: labels and annotations', () => {
  it('each write repeats all labels, over changes from outside', async () => {
    const { call, clock, sidecar } = startHarness()
    await call('PUT', '/metadata/label', { key: 'mode', value: 'ctf' })
    clock.advance(500)
    sidecar.control({ type: 'setLabel', key: 'agones.dev/sdk-mode', value: 'other' })
    await call('PUT', '/metadata/label', { key: 'map', value: 'x' })
    clock.advance(500)
    expect(sidecar.snapshot().gameServer.object_meta.labels).toMatchObject({ 'agones.dev/sdk-mode': 'ctf' })
  })

  it.each(['a/b', name63, 'a'.repeat(60)])(
    'with the poison key %s are accepted, warned of, and harm no other',
    async (key) => {
      const { call, clock, sidecar, warnings } = startHarness()
      expect(await call('PUT', '/metadata/label', { key, value: 'v' })).toEqual([200, {}])
      await call('PUT', '/metadata/label', { key: 'good', value: 'v' })
      clock.advance(1000)
      expect(sidecar.snapshot().gameServer.object_meta.labels).toEqual({ 'agones.dev/sdk-good': 'v' })
      expect(warnings()).toEqual(['poison-label'])
    },
  )

  it('over 256 KiB in all, annotations are accepted and not written', async () => {
    const { call, clock, sidecar, warnings } = startHarness()
    expect(await call('PUT', '/metadata/annotation', { key: 'k', value: 'x'.repeat(262_144) })).toEqual([200, {}])
    clock.advance(500)
    expect(sidecar.snapshot().gameServer.object_meta.annotations).toEqual({})
    expect(warnings()).toEqual(['annotations-too-large'])
  })
})

const counter = '/v1beta1/counters/rooms'
const list = '/v1beta1/lists/rooms'
const rooms = (count: string, capacity: string): [number, unknown] => [200, { name: 'rooms', count, capacity }]
const listed = (capacity: string, ...values: string[]): [number, unknown] => [200, { name: 'rooms', capacity, values }]
const stored = ({ sidecar }: Harness): readonly string[] => sidecar.snapshot().gameServer.status.lists!.rooms!.values!

describe('production: counters', () => {
  it('a counter that changed meanwhile gets the queued difference on top', async () => {
    const { call, sidecar, clock } = startHarness()
    await call('PATCH', counter, { countDiff: 2 })
    sidecar.control({ type: 'setCounter', name: 'rooms', count: 5 })
    clock.advance(500)
    expect(await call('GET', counter)).toEqual(rooms('7', '10'))
  })
})

describe('production: updateList by default', () => {
  it('updateList answers with the list and warns that production refuses it', async () => {
    const { call, warnings } = startHarness()
    expect(await call('PATCH', list, { values: ['c', 'x', 'a'] })).toEqual(listed('10', 'a', 'c', 'x'))
    expect(warnings()).toEqual(['update-list-refused'])
  })

  it('updateList keeps a value that waits to be added', async () => {
    const harness = startHarness()
    await harness.call('POST', `${list}:addValue`, { value: 'd' })
    expect(await harness.call('PATCH', list, { capacity: 20 })).toEqual(listed('20', 'a', 'b', 'c', 'd'))
    await harness.call('PATCH', list, { values: ['d', 'e'] })
    harness.clock.advance(500)
    expect(stored(harness)).toEqual(['d', 'e'])
  })
})
