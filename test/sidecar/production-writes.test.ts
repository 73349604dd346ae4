import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'
import type { Harness } from './support/harness.js'

const name63 = 'a'.repeat(63)

describe('production: labels and annotations', () => {
  it('appear under the prefix 500 ms later, in one write', async () => {
    const { call, watch, clock } = startHarness()
    const seen = watch()
    await call('PUT', '/metadata/label', { key: 'mode', value: 'ctf' })
    await call('PUT', '/metadata/label', { key: 'map', value: '' })
    clock.advance(500)
    expect(seen).toHaveLength(2)
    expect(seen[1]!.object_meta.labels).toEqual({ 'agones.dev/sdk-map': '', 'agones.dev/sdk-mode': 'ctf' })
  })

  it('set to what they are cause no event', async () => {
    const { call, watch, clock } = startHarness()
    await call('PUT', '/metadata/label', { key: 'mode', value: 'ctf' })
    clock.advance(500)
    const seen = watch()
    await call('PUT', '/metadata/label', { key: 'mode', value: 'ctf' })
    clock.advance(5000)
    expect(seen).toHaveLength(1)
  })

  it('are all written again with the next one, over what was changed from outside', async () => {
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

  it('are kept under keys such as __proto__ as any other', async () => {
    const { call } = startHarness({ mode: 'local' })
    await call('PUT', '/metadata/label', JSON.parse('{"key":"__proto__","value":"x"}'))
    const [, body] = await call('GET', '/gameserver')
    expect(JSON.stringify(body)).toContain('"agones.dev/sdk-__proto__":"x"')
    expect(({} as Record<string, unknown>)['agones.dev/sdk-']).toBeUndefined()
  })
})

const counter = '/v1beta1/counters/rooms'
const list = '/v1beta1/lists/rooms'
const rooms = (count: string, capacity: string): [number, unknown] => [200, { name: 'rooms', count, capacity }]
const listed = (capacity: string, ...values: string[]): [number, unknown] => [200, { name: 'rooms', capacity, values }]
const stored = ({ sidecar }: Harness): readonly string[] => sidecar.snapshot().gameServer.status.lists!.rooms!.values!

describe('production: counters', () => {
  it('show a change at once and write it 500 ms later, seen by a watch', async () => {
    const { call, watch, clock } = startHarness()
    const seen = watch()
    expect(await call('PATCH', counter, { countDiff: '2' })).toEqual(rooms('3', '10'))
    expect(await call('GET', counter)).toEqual(rooms('3', '10'))
    expect(seen).toHaveLength(1)
    expect(seen[0]!.status.counters!.rooms!.count).toBe('1')
    clock.advance(500)
    expect(seen).toHaveLength(2)
    expect(seen[1]!.status.counters!.rooms).toEqual({ count: '3', capacity: '10' })
  })

  it('lose what is not written when the sidecar restarts', async () => {
    const { call, sidecar } = startHarness()
    await call('PATCH', counter, { countDiff: 1 })
    sidecar.control({ type: 'restart' })
    expect(await call('GET', counter)).toEqual(rooms('1', '10'))
  })

  it('that changed from outside meanwhile get the difference on top', async () => {
    const { call, sidecar, clock } = startHarness()
    await call('PATCH', counter, { countDiff: 2 })
    sidecar.control({ type: 'setCounter', name: 'rooms', count: 5 })
    clock.advance(500)
    expect(await call('GET', counter)).toEqual(rooms('7', '10'))
  })
})

describe('production: list values', () => {
  it('are added at the end, shown at once and written 500 ms later', async () => {
    const harness = startHarness()
    const { call, clock } = harness
    expect(await call('POST', `${list}:addValue`, { value: 'd' })).toEqual(listed('10', 'a', 'b', 'c', 'd'))
    expect(await call('GET', list)).toEqual(listed('10', 'a', 'b', 'c', 'd'))
    expect(stored(harness)).toEqual(['a', 'b', 'c'])
    clock.advance(500)
    expect(stored(harness)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('that wait and are removed are still in the answer, and not in the list', async () => {
    const harness = startHarness()
    await harness.call('POST', `${list}:addValue`, { value: 'd' })
    expect(await harness.call('POST', `${list}:removeValue`, { value: 'd' })).toEqual(listed('10', 'a', 'b', 'c', 'd'))
    expect(await harness.call('GET', list)).toEqual(listed('10', 'a', 'b', 'c'))
    harness.clock.advance(500)
    expect(stored(harness)).toEqual(['a', 'b', 'c'])
  })

  it('that are removed and added again move to the end', async () => {
    const harness = startHarness()
    await harness.call('POST', `${list}:removeValue`, { value: 'a' })
    await harness.call('POST', `${list}:addValue`, { value: 'a' })
    harness.clock.advance(500)
    expect(stored(harness)).toEqual(['b', 'c', 'a'])
  })
})

describe('production: updateList by default', () => {
  it('answers with the list and warns that production refuses the call', async () => {
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
