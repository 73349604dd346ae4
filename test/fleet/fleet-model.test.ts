import { expect, test } from 'vitest'
import { createTestFleet, readyFleet } from './support/test-fleet.js'

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

test('a GameServer that ended is replaced at once, under a new name', () => {
  const fleet = readyFleet({ fleet: { replicas: 2 } })
  const before = fleet.names()
  fleet.setState(before[0]!, 'Shutdown')
  expect(fleet.names().filter((name) => !before.includes(name))).toHaveLength(1)
  fleet.advance(1000)
  fleet.endMarked()
  expect(fleet.names()).toHaveLength(2)
})

test('a deleted GameServer is replaced when it is gone', () => {
  const fleet = readyFleet({ fleet: { replicas: 2 } })
  fleet.model.perform({ type: 'delete', server: fleet.names()[0]! })
  expect(fleet.names()).toHaveLength(2)
  fleet.endMarked()
  expect(fleet.names('Scheduled')).toHaveLength(1)
})

test('scaling down deletes no Allocated GameServer', () => {
  const fleet = readyFleet({ fleet: { replicas: 3 } })
  const { server } = fleet.model.allocate({})
  fleet.model.perform({ type: 'scale', replicas: 0 })
  fleet.advance(1000)
  fleet.endMarked()
  expect(fleet.names()).toEqual([server])
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
