import { describe, expect, it } from 'vitest'
import type { ControlCommand } from '../../src/platform/sidecar.js'
import { startHarness, type Harness, type Step } from './support/harness.js'

const allocate = { type: 'allocate' } as const
const label = (key: string): string => `PUT /metadata/label ${JSON.stringify({ key, value: 'v' })}`

it.each<[how: string, steps: readonly Step[], states: readonly string[], warnings?: readonly string[]]>([
  [
    'is ignored after Shutdown, with a warning',
    ['/shutdown', 500, '/ready', '/allocate', '/reserve', 5000],
    ['Shutdown'],
    ['call-after-end', 'call-after-end', 'call-after-end'],
  ],
  [
    'is ignored after Unhealthy, a shutdown too',
    [{ type: 'makeUnhealthy' }, '/health', '/ready', '/allocate', '/reserve', '/shutdown', 5000],
    ['Unhealthy'],
    Array<string>(4).fill('call-after-end'),
  ],
  ['reserves for ever by 0 s', ['/reserve {"seconds":0}', 500, 10 ** 10], ['Reserved']],
  ['reserves for ever by the least int64', ['/reserve {"seconds":"-9223372036854775808"}', 10 ** 10], ['Reserved']],
  [
    'replaces a reservation by one for ever',
    ['/reserve {"seconds":5}', 1000, '/reserve {"seconds":0}', 60_000],
    ['Reserved'],
  ],
  [
    'replaces a reservation for ever by one with an end',
    ['/reserve {"seconds":0}', 1000, '/reserve {"seconds":5}', 6_100],
    ['Reserved', 'RequestReady', 'Ready'],
  ],
  [
    'overflows by 9223372037 s, with a warning',
    ['/reserve {"seconds":"9223372037"}', 1100],
    ['Reserved', 'RequestReady', 'Ready'],
    ['reserve-overflow'],
  ],
  ['does not overflow by 9223372036 s', ['/reserve {"seconds":"9223372036"}', 3_000_000_000], ['Reserved']],
  [
    'keeps its reservation over a restart of the sidecar',
    ['/reserve {"seconds":10}', 2_500, { type: 'restart' }, 7_999],
    ['Reserved'],
  ],
  [
    'ends its reservation after a restart of the sidecar',
    ['/reserve {"seconds":10}', 2_500, { type: 'restart' }, 8_600],
    ['Reserved', 'RequestReady', 'Ready'],
  ],
])('a state call in a pod %s', async (_, steps, states, warnings = []) => {
  const harness = await startHarness().play(...steps)
  expect([harness.states(), harness.warnings()]).toEqual([states, warnings])
})

describe('a queued ready()', () => {
  const atReady = (): Promise<Harness> => startHarness().play('/ready', 520)

  it('a queued ready() undoes an allocation before its write, and the log warns', async () => {
    const { play, states, warnings, sidecar } = await atReady()
    await play('/ready', 300, allocate, 199)
    expect(warnings()).toEqual([])
    await play(1, 20)
    expect(states().slice(2)).toEqual(['Allocated', 'RequestReady', 'Ready'])
    expect(warnings()).toEqual(['ready-undoes-allocation'])
    const [warning] = sidecar.log.entries().flatMap((entry) => entry.warnings)
    expect(warning?.message).toContain('Call ready() once')
  })

  it.each<[string, (string | ControlCommand)[]]>([
    ['a ready() after the match', [allocate, '/ready']],
    ['a match that ends within the time of the write', ['/ready', allocate, '/ready']],
    ['an allocate() of the game itself', ['/ready', '/allocate']],
    ['a reservation', ['/reserve {"seconds":60}', allocate]],
    ['the end of the server', ['/ready', allocate, '/shutdown']],
  ])('does not warn in case of %s', async (_, steps) => {
    const { play, warnings } = await atReady()
    await play(...steps.flatMap((step) => [step, 100]), 1_000)
    expect(warnings()).toEqual([])
  })
})

describe('labels and annotations in a pod', () => {
  it('each write repeats all labels, over changes from outside', async () => {
    const outside = { type: 'setLabel', key: 'agones.dev/sdk-mode', value: 'other' } as const
    const { sidecar } = await startHarness().play(label('mode'), 500, outside, label('map'), 500)
    expect(sidecar.snapshot().gameServer.object_meta.labels).toMatchObject({ 'agones.dev/sdk-mode': 'v' })
  })

  it.each(['a/b', 'a'.repeat(63), 'a'.repeat(60)])(
    'labels with the poison key %s are accepted, warned of, and harm no other',
    async (key) => {
      const { sidecar, warnings } = await startHarness().play(label(key), label('good'), 1000)
      expect(sidecar.snapshot().gameServer.object_meta.labels).toEqual({ 'agones.dev/sdk-good': 'v' })
      expect(warnings()).toEqual(['poison-label'])
    },
  )

  it('over 256 KiB in all, annotations are accepted and not written', async () => {
    const body = JSON.stringify({ key: 'k', value: 'x'.repeat(262_144) })
    const { sidecar, warnings } = await startHarness().play(`PUT /metadata/annotation ${body}`, 500)
    expect(sidecar.snapshot().gameServer.object_meta.annotations).toEqual({})
    expect(warnings()).toEqual(['annotations-too-large'])
  })
})

describe('counters and lists in a pod', () => {
  const list = '/v1beta1/lists/rooms'
  const listed = (capacity: string, ...values: string[]) => [200, { name: 'rooms', capacity, values }]

  it('a counter that changed meanwhile gets the queued difference on top', async () => {
    const outside = { type: 'setCounter', name: 'rooms', count: 5 } as const
    const { call } = await startHarness().play('PATCH /v1beta1/counters/rooms {"countDiff":2}', outside, 500)
    expect(await call('GET', '/v1beta1/counters/rooms')).toEqual([200, { name: 'rooms', count: '7', capacity: '10' }])
  })

  it('updateList keeps a value that waits to be added, and warns that production refuses it', async () => {
    const { call, play, warnings } = await startHarness().play(`${list}:addValue {"value":"d"}`)
    expect(await call('PATCH', list, { capacity: 20 })).toEqual(listed('20', 'a', 'b', 'c', 'd'))
    expect(warnings()).toEqual(['update-list-refused'])
    await play(`PATCH ${list} {"values":["d","e"]}`, 500)
    expect(await call('GET', list)).toEqual(listed('20', 'd', 'e'))
  })
})
