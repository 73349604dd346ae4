import { expect, test } from 'vitest'
import { createTestFleet } from './support/test-fleet.js'

test('a Fleet creates its replicas, with the labels of the Fleet and of the set', () => {
  const fleet = createTestFleet({ fleet: { replicas: 3 } })
  fleet.allReady()
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
  const fleet = createTestFleet({ fleet: { replicas: 2 } })
  fleet.allReady()
  const before = fleet.names()
  fleet.setState(before[0]!, 'Shutdown')
  expect(fleet.names().filter((name) => !before.includes(name))).toHaveLength(1)
  fleet.advance(1000)
  fleet.endMarked()
  expect(fleet.names()).toHaveLength(2)
})

test('a deleted GameServer is replaced when it is gone', () => {
  const fleet = createTestFleet({ fleet: { replicas: 2 } })
  fleet.allReady()
  fleet.model.perform({ type: 'delete', server: fleet.names()[0]! })
  expect(fleet.names()).toHaveLength(2)
  fleet.endMarked()
  expect(fleet.names('Scheduled')).toHaveLength(1)
})

test('scaling down deletes no Allocated GameServer', () => {
  const fleet = createTestFleet({ fleet: { replicas: 3 } })
  fleet.allReady()
  const { server } = fleet.model.allocate({})
  fleet.model.perform({ type: 'scale', replicas: 0 })
  fleet.advance(1000)
  fleet.endMarked()
  expect(fleet.names()).toEqual([server])
})
