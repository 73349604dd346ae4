import { describe, expect, test } from 'vitest'
import { readAllocation } from '../../src/platform/schema/allocation.js'
import { allocateGameServer, type AnsweredAllocation, type SidecarConfig } from '../../src/platform/sidecar.js'
import { startHarness, type Harness } from './support/harness.js'

const labels = { mode: 'tdm', map: 'arena' }

function start(state = 'Ready', config: Partial<SidecarConfig> = {}): Harness {
  const harness = startHarness({
    gameServer: {
      metadata: { name: 'one', labels },
      spec: {
        health: { disabled: true },
        counters: { rooms: { count: 9, capacity: 10 } },
        lists: { players: { capacity: 3, values: ['alice', 'bob'] } },
      },
    },
    ...config,
  })
  harness.sidecar.control({ type: 'setState', state })
  return harness
}

const allocate = ({ sidecar }: Harness, manifest: unknown): AnsweredAllocation =>
  allocateGameServer(sidecar, sidecar.control, readAllocation(manifest, sidecar.config.featureGates))

describe('a selector that fails says by what', () => {
  const rows: readonly (readonly [string, object, string])[] = [
    ['label', { matchLabels: { mode: 'dm' } }, 'label mode is "tdm", must be "dm"'],
    ['absent label', { matchLabels: { none: 'x' } }, 'label none is not set, must be "x"'],
    [
      'In',
      { matchExpressions: [{ key: 'mode', operator: 'In', values: ['dm', 'ffa'] }] },
      'label mode is "tdm", must be "dm" or "ffa"',
    ],
    [
      'NotIn',
      { matchExpressions: [{ key: 'mode', operator: 'NotIn', values: ['tdm'] }] },
      'label mode is "tdm", must not be "tdm"',
    ],
    ['Exists', { matchExpressions: [{ key: 'x', operator: 'Exists' }] }, 'label x is not set, must be set'],
    [
      'DoesNotExist',
      { matchExpressions: [{ key: 'mode', operator: 'DoesNotExist' }] },
      'label mode is "tdm", must not be set',
    ],
    ['state', { gameServerState: 'Allocated' }, 'state is Ready, must be Allocated'],
    ['minCount', { counters: { rooms: { minCount: 10 } } }, 'counter rooms is at 9, must be at least 10'],
    ['maxCount', { counters: { rooms: { maxCount: 8 } } }, 'counter rooms is at 9, must be at most 8'],
    [
      'minAvailable',
      { counters: { rooms: { minAvailable: 2 } } },
      'counter rooms has 1 available (9/10), must have at least 2',
    ],
    [
      'maxAvailable of a list',
      { lists: { players: { minAvailable: 2, maxAvailable: 3 } } },
      'list players has 1 available (2/3), must have at least 2',
    ],
    ['containsValue', { lists: { players: { containsValue: 'eve' } } }, 'list players does not contain "eve"'],
    ['counter that is not there', { counters: { seats: {} } }, 'counter seats does not exist'],
    ['list that is not there', { lists: { seats: {} } }, 'list seats does not exist'],
    [
      'two conditions',
      { gameServerState: 'Allocated', matchLabels: { map: 'x' } },
      'state is Ready, must be Allocated, and label map is "arena", must be "x"',
    ],
  ]
  test.each(rows)('%s', (_name, selector, reason) => {
    const harness = start()
    const before = harness.sidecar.snapshot().gameServer
    const answer = allocate(harness, { spec: { selectors: [selector] } })
    expect(answer.status).toEqual({ state: 'UnAllocated', gameServerName: '', source: '' })
    expect(answer.reason).toBe(`selector 1: ${reason}`)
    expect(harness.sidecar.snapshot().gameServer).toBe(before)
  })
})

describe('a selector matches', () => {
  const rows: readonly (readonly [string, object])[] = [
    ['without any condition', {}],
    ['by its labels', { matchLabels: labels }],
    ['by In', { matchExpressions: [{ key: 'mode', operator: 'In', values: ['dm', 'tdm'] }] }],
    ['by NotIn, if the label is not set', { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['y'] }] }],
    ['by Exists', { matchExpressions: [{ key: 'mode', operator: 'Exists', values: null }] }],
    ['by DoesNotExist', { matchExpressions: [{ key: 'x', operator: 'DoesNotExist', values: [] }] }],
    ['at the bounds', { counters: { rooms: { minCount: 9, maxCount: 9, minAvailable: 1, maxAvailable: 1 } } }],
    ['with a greatest value of 0, which is none', { counters: { rooms: { maxCount: 0, maxAvailable: 0 } } }],
    ['by a value of a list', { lists: { players: { containsValue: 'bob' } } }],
    ['with an empty containsValue, which is none', { lists: { players: { containsValue: '' } } }],
  ]
  test.each(rows)('%s', (_name, selector) => {
    const harness = start()
    expect(allocate(harness, { spec: { selectors: [selector] } }).status.state).toBe('Allocated')
    expect(harness.state()).toBe('Allocated')
  })
})

describe('several selectors', () => {
  test('several selectors are tried in order, and the reason names each', () => {
    const harness = start()
    const selectors = [{ matchLabels: { mode: 'dm' } }, { gameServerState: 'Allocated' }]
    const answer = allocate(harness, { spec: { selectors } })
    expect(answer.reason).toBe(
      'selector 1: label mode is "tdm", must be "dm"; selector 2: state is Ready, must be Allocated',
    )
    expect(allocate(harness, { spec: { selectors: [...selectors, {}] } }).status.state).toBe('Allocated')
  })

  test('the reason of thousands of selectors is short', () => {
    const selectors = Array.from({ length: 5_000 }, () => ({ matchLabels: { mode: 'dm' } }))
    const { reason } = allocate(start(), { spec: { selectors } })
    expect(reason).toMatch(/; selector 10: label .*; and 4990 more selectors$/)
  })

  test('preferred selectors are tried first, and selectors override both', () => {
    const old = { preferred: [{ matchLabels: { mode: 'dm' } }], required: { matchLabels: { map: 'x' } } }
    const harness = start()
    expect(allocate(harness, { spec: old }).reason).toBe(
      'preferred 1: label mode is "tdm", must be "dm"; required: label map is "arena", must be "x"',
    )
    expect(allocate(harness, { spec: { ...old, selectors: [{}] } }).status.state).toBe('Allocated')
  })

  test('an allocation without selectors takes only a Ready GameServer', () => {
    expect(allocate(start(), {}).status.state).toBe('Allocated')
    expect(allocate(start('Scheduled'), {}).reason).toBe('state is Scheduled, must be Ready')
    expect(allocate(start('Allocated'), {}).reason).toBe('state is Allocated, must be Ready')
  })
})

describe('an allocation', () => {
  const manifest = {
    apiVersion: 'allocation.agones.dev/v1',
    kind: 'GameServerAllocation',
    metadata: { generateName: 'match-' },
    spec: {
      selectors: [{ matchLabels: { mode: 'tdm' } }],
      priorities: [{ type: 'Counter', key: 'rooms', order: 'Descending' }],
      metadata: { labels: { match: 'm1' }, annotations: { seed: '5' } },
      counters: { rooms: { action: 'Increment', amount: 3 } },
      lists: { players: { addValues: ['bob', 'carol', 'dave'], deleteValues: ['alice'], capacity: 4 } },
    },
  }

  test('an allocation is answered as by a cluster, with defaults, and makes one version', () => {
    const harness = start()
    const seen = harness.watch()
    const answer = allocate(harness, manifest)
    expect(answer).toEqual({
      ...manifest,
      metadata: {
        generateName: 'match-',
        name: 'one',
        namespace: 'default',
        creationTimestamp: `${new Date(harness.sidecar.snapshot().now).toISOString().slice(0, 19)}Z`,
      },
      spec: {
        ...manifest.spec,
        multiClusterSetting: { policySelector: {} },
        required: {},
        selectors: [{ matchLabels: { mode: 'tdm' }, gameServerState: 'Ready' }],
        scheduling: 'Packed',
      },
      status: {
        state: 'Allocated',
        gameServerName: 'one',
        ports: expect.any(Array) as unknown,
        address: '127.0.0.1',
        addresses: expect.any(Array) as unknown,
        nodeName: expect.any(String) as unknown,
        source: 'local',
        metadata: {
          labels: { ...labels, match: 'm1' },
          annotations: expect.objectContaining({
            seed: '5',
            'agones.dev/last-allocated': expect.any(String) as unknown,
          }) as unknown,
        },
        counters: { rooms: { count: 10, capacity: 10 } },
        lists: { players: { capacity: 4, values: ['bob', 'carol', 'dave'] } },
      },
    })
    expect(seen).toHaveLength(2)
  })

  test('the log holds the manifest of an allocation, also if nothing matched', () => {
    const harness = start()
    allocate(harness, manifest)
    allocate(harness, manifest)
    const [first, second] = harness.sidecar.log.entries().slice(-2)
    expect(first).toMatchObject({ event: { command: { type: 'allocate', manifest } } })
    expect(first!.problem).toBeUndefined()
    expect(second!.changes).toEqual([])
    expect(second!.problem).toBe('selector 1: state is Allocated, must be Ready')
  })

  test('an allocation skips actions on missing counters and lists, and warns', () => {
    const harness = start()
    const answer = allocate(harness, {
      spec: {
        counters: { seats: { capacity: 3 }, none: {} },
        lists: { crew: { addValues: ['a'] }, none: { addValues: [] } },
      },
    })
    expect(answer.status.state).toBe('Allocated')
    expect(harness.warnings()).toEqual(['allocation-action', 'allocation-action'])
  })

  test('an allocation refuses a GameServer that is being deleted or in another namespace', () => {
    const harness = start()
    const elsewhere = { metadata: { namespace: 'prod' } }
    expect(allocate(harness, elsewhere).reason).toBe(
      'the GameServer is in the namespace "default", the allocation in "prod"',
    )
    harness.sidecar.control({ type: 'delete' })
    expect(allocate(harness, {}).reason).toBe('the GameServer is being deleted')
  })

  test('an allocation keeps an int64 that is not exact as a number', () => {
    const harness = start()
    harness.sidecar.control({ type: 'setCounter', name: 'rooms', count: 1, capacity: '9007199254740993' })
    const counters = { rooms: { action: 'Increment', amount: '9007199254740992' } }
    expect(allocate(harness, { spec: { counters } }).status.counters).toEqual({
      rooms: { count: '9007199254740993', capacity: '9007199254740993' },
    })
  })

  test('counters and lists of an allocation need the feature CountsAndLists', () => {
    const harness = start('Ready', { featureGates: { CountsAndLists: false } })
    const selectors = [{}, { lists: { players: {} } }]
    expect(() => allocate(harness, { spec: { selectors } })).toThrow(
      'spec.selectors[1].lists needs the feature CountsAndLists, which is switched off',
    )
    expect(allocate(harness, { spec: { selectors: [{}] } }).status.state).toBe('Allocated')
  })
})

test('no two allocations have the same time, not even within one millisecond', () => {
  const { sidecar, clock } = start()
  const allocate = (): string => {
    expect(sidecar.control({ type: 'allocate' })).toEqual({ ok: true })
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
