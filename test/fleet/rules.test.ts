import { expect, test } from 'vitest'
import { createRandom } from '../support/random.js'
import { createTestFleet, readyFleet } from './support/test-fleet.js'

const setOf = (name: string): string => name.slice(0, name.lastIndexOf('-'))

test('a Fleet creates its replicas, with the labels of the Fleet and of the set', () => {
  const fleet = readyFleet({ fleet: { replicas: 3 } })
  expect(fleet.names('Ready')).toHaveLength(3)
  const [set] = fleet.model.objects('gameserversets')
  const [first] = fleet.model.objects('gameservers')
  expect(first!.metadata.labels).toEqual({
    'agones.dev/fleet': 'arena',
    'agones.dev/gameserverset': set!.metadata.name,
  })
  expect(first!.metadata.name).toMatch(new RegExp(`^${set!.metadata.name}-[a-z0-9]{5}$`))
  expect(fleet.model.snapshot().fleet.status).toMatchObject({ replicas: 3, readyReplicas: 3 })
})

test('a deleted GameServer is replaced when it is gone', () => {
  const fleet = readyFleet({ fleet: { replicas: 2 } })
  fleet.model.perform({ type: 'delete', server: fleet.names()[0]! })
  expect(fleet.names()).toHaveLength(2)
  fleet.endMarked()
  expect(fleet.names('Scheduled')).toHaveLength(1)
})

test.each(['RollingUpdate', 'Recreate'] as const)('%s replaces every GameServer but the Allocated', (type) => {
  const fleet = readyFleet({ fleet: { replicas: 4, strategy: { type } } })
  const [old] = fleet.names().map(setOf)
  const { server } = fleet.model.allocate({})
  fleet.model.perform({ type: 'update' })
  fleet.settle()
  expect(fleet.names().filter((name) => setOf(name) === old)).toEqual([server])
  expect(fleet.names()).toHaveLength(4)
  fleet.setState(server!, 'Shutdown')
  fleet.settle()
  expect(fleet.model.objects('gameserversets')).toHaveLength(1)
})

test.each(['Shutdown', 'Unhealthy', 'Error'])(
  'a GameServer in state %s is replaced at once, under a new name',
  (state) => {
    const fleet = readyFleet({ fleet: { replicas: 2 } })
    const before = fleet.names()
    fleet.setState(before[0]!, state)
    expect(fleet.names().filter((name) => !before.includes(name))).toHaveLength(1)
    fleet.settle()
    expect(fleet.names('Ready')).toHaveLength(2)
    expect(fleet.names()).not.toContain(before[0])
  },
)

test('Allocated GameServers above the replicas get the labels of allocationOverflow', () => {
  const labels = { 'example.com/overflow': 'yes' }
  const fleet = readyFleet({ fleet: { replicas: 2, allocationOverflow: { labels } } })
  fleet.model.allocate({})
  fleet.model.allocate({})
  fleet.model.perform({ type: 'scale', replicas: 1 })
  const marked = fleet.model.objects('gameservers').filter(({ metadata }) => metadata.labels?.['example.com/overflow'])
  expect(marked).toHaveLength(1)
})

test('GameServers that end at once again and again are created after growing delays', () => {
  const fleet = createTestFleet({ fleet: { replicas: 1 } })
  const created: number[] = []
  for (let i = 0; i < 4; i++) {
    fleet.allReady()
    created.push(fleet.model.snapshot().servers.at(-1)!.createdAt)
    fleet.setState(fleet.names('Ready')[0]!, 'Shutdown')
    fleet.advance(5000)
    fleet.endMarked()
  }
  const gaps = created.slice(1).map((at, i) => at - created[i]!)
  expect(gaps[0]).toBe(0)
  expect(gaps.at(-1)! % 1000).toBe(0)
  expect(fleet.model.entries().filter(({ type }) => type === 'warning')).not.toHaveLength(0)
})

test('an autoscaler stops at the limit, and the log says so', () => {
  const fleet = createTestFleet({
    fleet: { replicas: 1 },
    autoscaler: { type: 'Buffer', buffer: { bufferSize: 8, maxReplicas: 50 } },
    max: 5,
  })
  expect(fleet.names()).toHaveLength(5)
  expect(fleet.model.entries().map(({ text }) => text)).toContain(
    'The Buffer autoscaler scales the Fleet from 1 to 5; 8 would be more than the limit of 5.',
  )
  expect(fleet.model.perform({ type: 'scale', replicas: 6 })).toMatchObject({ ok: false, status: 400 })
})

test('a GameServer that returns from Shutdown to Ready counts again, so the Fleet deletes another one', () => {
  const fleet = readyFleet({ fleet: { replicas: 2 } })
  fleet.model.perform({ type: 'scale', replicas: 1 })
  const [ending] = fleet.names('Shutdown')
  fleet.model.perform({ type: 'scale', replicas: 2 })
  fleet.allReady()
  fleet.setState(ending!, 'Ready')
  fleet.advance(1000)
  fleet.endMarked()
  expect(fleet.names('Ready')).toHaveLength(2)
  expect(fleet.model.snapshot().fleet.status).toMatchObject({ replicas: 2, readyReplicas: 2 })
})

test('a manifest with more replicas than the limit gets the limit and a warning, even beside an idle autoscaler', () => {
  const list = { key: 'absent', bufferSize: 1, maxCapacity: 9 }
  const fleet = createTestFleet({ fleet: { replicas: 5 }, autoscaler: { type: 'List', list }, max: 3 })
  expect(fleet.actions.filter(({ type }) => type === 'create')).toHaveLength(3)
  const { spec } = fleet.model.snapshot().fleet
  fleet.model.perform({ type: 'update', fleet: { spec: { ...spec, replicas: 9 } } })
  expect(fleet.names()).toHaveLength(3)
  expect(fleet.model.entries().flatMap(({ type, text }) => (type === 'warning' ? [text] : []))).toEqual([
    'The Fleet may have at most 3 GameServers; start it with --max 5 for more.',
    `The autoscaler can't scale: the Fleet's template has no list "absent".`,
    'The Fleet may have at most 3 GameServers; start it with --max 9 for more.',
  ])
})

test('the timeline drops the oldest entries where allocations with large answers would fill the memory', () => {
  const { control, model, names } = readyFleet({ fleet: { replicas: 1 } })
  control(names()[0]!, { type: 'setAnnotation', key: 'level', value: '.'.repeat(200_000) })
  const selectors = (['Ready', 'Allocated'] as const).map((gameServerState) => ({ gameServerState }))
  for (let turn = 0; turn < 100; turn++) expect(model.allocate({ spec: { selectors } }).state).toBe('Allocated')
  const entries = model.entries()
  expect(JSON.stringify(entries).length).toBeLessThan(17 * 1024 * 1024)
  expect(model.entries(entries[2]!.sequence)).toEqual(entries.slice(3))
})

test.each([1, 2, 3])('whatever happens, the rules of a Fleet hold: seed %d', (seed) => {
  const { between, chance, pick } = createRandom(seed)
  const fleet = createTestFleet({ fleet: { replicas: 4 }, max: 12 })
  const created: string[] = []
  fleet.model.onChange(({ type, plural, object }) => {
    if (type === 'ADDED' && plural === 'gameservers') created.push(object.metadata.name)
  })
  let lastVersion = 0
  fleet.model.onChange(({ object }) => {
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(lastVersion)
    lastVersion = Number(object.metadata.resourceVersion)
  })
  const steps: (() => void)[] = [
    () => fleet.allReady(),
    () => fleet.advance(1000),
    () => fleet.endMarked(),
    () => void fleet.model.perform({ type: 'scale', replicas: between(0, 8) }),
    () => void fleet.model.perform({ type: 'update' }),
  ]
  for (let i = 0; i < 200; i++) {
    const allocated = fleet.names('Allocated')
    if (chance(0.2)) {
      const ready = fleet.names('Ready')
      const { server } = fleet.model.allocate({})
      expect(server === undefined || ready.includes(server)).toBe(true)
    } else pick(steps)()
    const left = new Set(fleet.names('Allocated'))
    expect(allocated.filter((name) => !left.has(name))).toEqual([])
    const [some] = fleet.names('Allocated')
    if (left.size > 4 && some !== undefined) fleet.setState(some, 'Shutdown')
    if (chance(0.1) && fleet.names('Ready').length > 0) fleet.setState(pick(fleet.names('Ready')), 'Unhealthy')
  }
  expect(new Set(created).size).toBe(created.length)
  fleet.model.perform({ type: 'scale', replicas: 8 })
  fleet.advance(60_000)
  fleet.settle()
  expect(fleet.model.snapshot().fleet.status).toMatchObject({ replicas: 8 })
})
