// What an allocation does and answers is compared with the platform's own answers in test/fleet/allocation.test.ts.
import { describe, expect, test } from 'vitest'
import { readAllocation } from '../../src/platform/schema.js'
import { allocateGameServer, type AnsweredAllocation } from '../../src/platform/sidecar.js'
import { startHarness, type Harness } from './support/harness.js'

function start(state = 'Ready'): Harness {
  const harness = startHarness({
    gameServer: {
      metadata: { name: 'one', labels: { mode: 'tdm', map: 'arena' } },
      spec: {
        health: { disabled: true },
        counters: { rooms: { count: 9, capacity: 10 } },
        lists: { players: { capacity: 3, values: ['alice', 'bob'] } },
      },
    },
  })
  harness.control({ type: 'setState', state })
  return harness
}

const allocate = ({ sidecar }: Harness, manifest: unknown): AnsweredAllocation =>
  allocateGameServer(sidecar, sidecar.control, readAllocation(manifest))
const by = (selector: object) => ({ spec: { selectors: [selector] } })
const labelled = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
})

test.each<[object, string]>([
  [{ matchLabels: { mode: 'dm' } }, 'label mode is "tdm", must be "dm"'],
  [{ matchLabels: { none: 'x' } }, 'label none is not set, must be "x"'],
  [labelled('mode', 'In', 'dm', 'ffa'), 'label mode is "tdm", must be "dm" or "ffa"'],
  [labelled('mode', 'NotIn', 'tdm'), 'label mode is "tdm", must not be "tdm"'],
  [labelled('x', 'Exists'), 'label x is not set, must be set'],
  [labelled('mode', 'DoesNotExist'), 'label mode is "tdm", must not be set'],
  [{ gameServerState: 'Allocated' }, 'state is Ready, must be Allocated'],
  [{ counters: { rooms: { minCount: 10 } } }, 'counter rooms is at 9, must be at least 10'],
  [{ counters: { rooms: { maxCount: 8 } } }, 'counter rooms is at 9, must be at most 8'],
  [{ counters: { rooms: { minAvailable: 2 } } }, 'counter rooms has 1 available (9/10), must have at least 2'],
  [{ lists: { players: { minAvailable: 2 } } }, 'list players has 1 available (2/3), must have at least 2'],
  [{ lists: { players: { containsValue: 'eve' } } }, 'list players does not contain "eve"'],
  [{ counters: { seats: {} } }, 'counter seats does not exist'],
  [{ lists: { seats: {} } }, 'list seats does not exist'],
  [
    { gameServerState: 'Allocated', matchLabels: { map: 'x' } },
    'state is Ready, must be Allocated, and label map is "arena", must be "x"',
  ],
])('a selector that fails says by what: %j', (selector, reason) => {
  const harness = start()
  const before = harness.sidecar.snapshot().gameServer
  const answer = allocate(harness, by(selector))
  expect(answer.status).toEqual({ state: 'UnAllocated', gameServerName: '', source: '' })
  expect(answer.reason).toBe(`selector 1: ${reason}`)
  expect(harness.sidecar.snapshot().gameServer).toBe(before)
})

test('a selector of bounds that are just met, or that are none, matches', () => {
  const counters = { rooms: { minCount: 9, maxCount: 9, minAvailable: 1, maxAvailable: 1 } }
  expect(allocate(start(), by({ counters, lists: { players: { containsValue: '' } } })).status.state).toBe('Allocated')
})

describe('several selectors', () => {
  const [mode, map] = [{ matchLabels: { mode: 'dm' } }, { matchLabels: { map: 'x' } }]

  test('the reason names each selector, also preferred and required ones', () => {
    const why = 'label mode is "tdm", must be "dm"'
    const other = 'label map is "arena", must be "x"'
    expect(allocate(start(), { spec: { selectors: [mode, map] } }).reason).toBe(
      `selector 1: ${why}; selector 2: ${other}`,
    )
    expect(allocate(start(), { spec: { preferred: [mode], required: map } }).reason).toBe(
      `preferred 1: ${why}; required: ${other}`,
    )
  })

  test('the reason of thousands of selectors is short', () => {
    const { reason } = allocate(start(), { spec: { selectors: Array.from({ length: 5_000 }, () => mode) } })
    expect(reason).toMatch(/; selector 10: label .*; and 4990 more selectors$/)
  })

  test('an allocation without selectors takes only a Ready GameServer', () => {
    expect(allocate(start(), {}).status.state).toBe('Allocated')
    expect(allocate(start('Scheduled'), {}).reason).toBe('state is Scheduled, must be Ready')
    expect(allocate(start('Allocated'), {}).reason).toBe('state is Allocated, must be Ready')
  })
})

describe('an allocation', () => {
  test('makes one version, and the log holds its manifest, also if nothing matched', () => {
    const harness = start()
    const seen = harness.watch()
    const manifest = { spec: { metadata: { labels: { match: 'm1' } }, counters: { rooms: { capacity: 11 } } } }
    expect(allocate(harness, manifest).status).toMatchObject({ state: 'Allocated', counters: { rooms: { count: 9 } } })
    expect(seen).toHaveLength(2)
    allocate(harness, manifest)
    const [first, second] = harness.sidecar.log.entries().slice(-2)
    expect(first).toMatchObject({ event: { command: { type: 'allocate', manifest } } })
    expect(first!.problem).toBeUndefined()
    expect(second).toMatchObject({ changes: [], problem: 'state is Allocated, must be Ready' })
  })

  test.each<[string, (harness: Harness, counters: object, lists: object) => void]>([
    ['by a manifest', (harness, counters, lists) => void allocate(harness, { spec: { counters, lists } })],
    ['in its short form', ({ control }, counters, lists) => control({ type: 'allocate', counters, lists } as never)],
  ])('%s skips actions on missing counters and lists, and warns', (_, send) => {
    const harness = start()
    const lists = { crew: { addValues: ['a'] }, none: { addValues: [] } }
    send(harness, { seats: { capacity: 3 }, none: {} }, lists)
    expect([harness.state(), harness.warnings()]).toEqual(['Allocated', ['allocation-action', 'allocation-action']])
  })

  test('in its short form takes a Ready or an Allocated GameServer', () => {
    const { control, sidecar } = start()
    control({ type: 'allocate' })
    control({ type: 'allocate', counters: { rooms: { action: 'Decrement', amount: 4 } } })
    expect(sidecar.snapshot().gameServer.status.counters?.['rooms']?.count).toBe('5')
    expect(() => start('Scheduled').control({ type: 'allocate' })).toThrow('state is Scheduled, must be Ready')
  })

  test('refuses a GameServer that is being deleted or in another namespace', () => {
    const harness = start()
    expect(allocate(harness, { metadata: { namespace: 'prod' } }).reason).toBe(
      'the GameServer is in the namespace "default", the allocation in "prod"',
    )
    harness.control({ type: 'delete' })
    expect(allocate(harness, {}).reason).toBe('the GameServer is being deleted')
    expect(() => harness.control({ type: 'allocate' })).toThrow('the GameServer is being deleted')
  })

  test('keeps an int64 that is not exact as a number', () => {
    const harness = start()
    harness.control({ type: 'setCounter', name: 'rooms', count: 1, capacity: '9007199254740993' })
    const counters = { rooms: { action: 'Increment', amount: '9007199254740992' } }
    expect(allocate(harness, { spec: { counters } }).status.counters).toEqual({
      rooms: { count: '9007199254740993', capacity: '9007199254740993' },
    })
  })

  test('has a time of its own, even within one millisecond', () => {
    const { sidecar, clock, control } = start()
    const timeOfNext = (): string => {
      control({ type: 'allocate' })
      return sidecar.snapshot().gameServer.object_meta.annotations!['agones.dev/last-allocated']!
    }
    const times = [timeOfNext(), timeOfNext(), timeOfNext()]
    clock.advance(1)
    expect([...times, timeOfNext()]).toEqual([
      '2030-01-01T00:00:00.000Z',
      '2030-01-01T00:00:00.000000001Z',
      '2030-01-01T00:00:00.000000002Z',
      '2030-01-01T00:00:00.001Z',
    ])
  })
})
