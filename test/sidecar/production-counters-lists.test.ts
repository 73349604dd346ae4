import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'
import type { Harness } from './support/harness.js'

const counter = '/v1beta1/counters/rooms'
const list = '/v1beta1/lists/rooms'
const unknownError = (message: string): [number, unknown] => [500, { code: 2, message, details: [] }]
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

  it('set first, then add, and take any subset of the fields', async () => {
    const { call } = startHarness()
    expect(await call('PATCH', counter, { count: 5, capacity: 20, countDiff: 7 })).toEqual(rooms('12', '20'))
    expect(await call('PATCH', counter, { countDiff: -2 })).toEqual(rooms('10', '20'))
    expect(await call('PATCH', counter, { count: 1 })).toEqual(rooms('1', '20'))
    expect(await call('PATCH', counter, { capacity: 0 })).toEqual(rooms('0', '0'))
  })

  it.each([{}, { countDiff: 0 }, { foo: 1 }, { count_diff: 5 }, { count: null }])(
    'refuse %j, which changes nothing',
    async (body) => {
      const { call } = startHarness()
      expect(await call('PATCH', counter, body)).toEqual(
        unknownError('invalid argument. Malformed CounterUpdateRequest: name:"rooms"'),
      )
    },
  )

  it('are cut to their capacity', async () => {
    const { call, clock } = startHarness()
    await call('PATCH', counter, { count: 9 })
    clock.advance(500)
    expect(await call('PATCH', counter, { capacity: 4 })).toEqual(rooms('4', '4'))
    clock.advance(500)
    expect(await call('GET', counter)).toEqual(rooms('4', '4'))
  })

  it('say what is wrong in the real words', async () => {
    const { call } = startHarness()
    expect(await call('GET', '/v1beta1/counters/nope')).toEqual(unknownError('counter not found: nope'))
    expect(await call('PATCH', '/v1beta1/counters/nope', { count: 1 })).toEqual(unknownError('counter not found: nope'))
    expect(await call('PATCH', counter, { count: 11 })).toEqual(
      unknownError('out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10'),
    )
    expect(await call('PATCH', counter, { countDiff: -2 })).toEqual(
      unknownError('out of range. Count must be within range [0,Capacity]. Found Count: -1, Capacity: 10'),
    )
    expect(await call('PATCH', counter, { capacity: -1 })).toEqual(
      unknownError('out of range. Capacity must be greater than or equal to 0. Found Capacity: -1'),
    )
  })

  it('are exact to 2^63-1', async () => {
    const { call, clock } = startHarness()
    const max = '9223372036854775807'
    await call('PATCH', counter, { capacity: max, count: '9223372036854775806' })
    clock.advance(500)
    expect(await call('PATCH', counter, { countDiff: 1 })).toEqual(rooms(max, max))
    clock.advance(500)
    expect(await call('GET', counter)).toEqual(rooms(max, max))
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

  it('are removed likewise', async () => {
    const harness = startHarness()
    expect(await harness.call('POST', `${list}:removeValue`, { value: 'b' })).toEqual(listed('10', 'a', 'c'))
    harness.clock.advance(500)
    expect(stored(harness)).toEqual(['a', 'c'])
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

  it('say what is wrong in the real words', async () => {
    const { call, sidecar } = startHarness()
    expect(await call('GET', '/v1beta1/lists/nope')).toEqual(unknownError('list not found: nope'))
    expect(await call('POST', '/v1beta1/lists/nope:addValue', { value: 'x' })).toEqual(
      unknownError('list not found: nope'),
    )
    expect(await call('POST', `${list}:addValue`, { value: 'a' })).toEqual(
      unknownError('already exists. Value: a already in List: rooms'),
    )
    expect(await call('POST', `${list}:removeValue`, { value: 'x' })).toEqual(
      unknownError('not found: value x not in list rooms'),
    )
    sidecar.control({ type: 'setList', name: 'rooms', capacity: 3 })
    expect(await call('POST', `${list}:addValue`, { value: 'd' })).toEqual(
      unknownError('out of range. No available capacity. Current Capacity: 3, List Size: 3'),
    )
  })

  it('default to an empty one', async () => {
    const { call } = startHarness()
    expect(await call('POST', `${list}:addValue`)).toEqual(listed('10', 'a', 'b', 'c', ''))
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

  it('updateList of an unknown list answers 500', async () => {
    const { call } = startHarness()
    expect(await call('PATCH', '/v1beta1/lists/nope', { capacity: 1 })).toEqual(
      unknownError('not found. nope List not found'),
    )
  })

  it('updateList takes a capacity from 0 to 1000', async () => {
    const { call } = startHarness()
    const refusal = 'out of range. Capacity must be within range [0,1000]. Found Capacity: '
    expect(await call('PATCH', list, { capacity: 1001 })).toEqual(unknownError(`${refusal}1001`))
    expect(await call('PATCH', list, { capacity: -1 })).toEqual(unknownError(`${refusal}-1`))
    expect(await call('PATCH', list, { capacity: 1000 })).toEqual(listed('1000', 'a', 'b', 'c'))
    expect(await call('PATCH', list, { capacity: 2 })).toEqual(listed('2', 'a', 'b'))
  })

  it('updateList takes its mask from the query or from the body’s keys', async () => {
    const { call } = startHarness()
    expect(await call('PATCH', `${list}?updateMask=capacity`, { capacity: 5, values: [] })).toEqual(
      listed('5', 'a', 'b', 'c'),
    )
    expect(await call('PATCH', `${list}?updateMask=values`, {})).toEqual(listed('5'))
    const [status, body] = await call('PATCH', list, {})
    expect(status).toBe(500)
    expect(body).toMatchObject({
      message: expect.stringContaining('Field Mask Path(s): [] are invalid for List'),
    })
  })
})

describe('the gate CountsAndLists', () => {
  it('off, every operation of counters and lists says so and the object has none', async () => {
    const { call, sidecar } = startHarness({ featureGates: { CountsAndLists: false } })
    const answer = unknownError('CountsAndLists not enabled')
    expect(await call('GET', counter)).toEqual(answer)
    expect(await call('PATCH', counter, { count: 1 })).toEqual(answer)
    expect(await call('GET', list)).toEqual(answer)
    expect(await call('PATCH', list, { capacity: 1 })).toEqual(answer)
    expect(await call('POST', `${list}:addValue`)).toEqual(answer)
    expect(sidecar.snapshot().gameServer.status.counters).toEqual({})
  })
})
