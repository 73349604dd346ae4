import { expect, test } from 'vitest'
import type { FleetState } from '../../src/platform/fleet/types.js'
import { createRandom } from '../../src/platform/sidecar/state/faults.js'
import { createTestFleet, readyFleet } from './support/test-fleet.js'

const setOf = (name: string): string => name.slice(0, name.lastIndexOf('-'))

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

test('a rolling update starts at most maxSurge more, and takes at most maxUnavailable away', () => {
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 }
  const fleet = readyFleet({ fleet: { replicas: 4, strategy: { rollingUpdate } } })
  fleet.model.perform({ type: 'update' })
  for (let i = 0; i < 20; i++) {
    const { replicas, readyReplicas } = fleet.model.snapshot().fleet.status as FleetState['fleet']['status']
    expect(replicas).toBeLessThanOrEqual(5)
    expect(readyReplicas).toBeGreaterThanOrEqual(3)
    fleet.allReady()
    fleet.advance(1000)
    fleet.endMarked()
  }
})

test.each(['Unhealthy', 'Error'])('a GameServer in state %s is deleted and replaced', (state) => {
  const fleet = readyFleet({ fleet: { replicas: 2 } })
  const [bad] = fleet.names()
  fleet.setState(bad!, state)
  fleet.settle()
  expect(fleet.names('Ready')).toHaveLength(2)
  expect(fleet.names()).not.toContain(bad)
})

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

test.each([1, 2, 3])('whatever happens, the rules of a Fleet hold: seed %d', (seed) => {
  const random = createRandom(seed)
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
  const fleet = createTestFleet({ fleet: { replicas: 4 }, seed, max: 12 })
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
    () => void fleet.model.perform({ type: 'scale', replicas: Math.floor(random() * 9) }),
    () => void fleet.model.perform({ type: 'update' }),
    () => fleet.setState(pick(fleet.names('Ready')) ?? created[0] ?? fleet.names()[0]!, 'Unhealthy'),
  ]
  for (let i = 0; i < 200; i++) {
    const allocated = fleet.names('Allocated')
    if (random() < 0.2) {
      const ready = fleet.names('Ready')
      const { server } = fleet.model.allocate({})
      expect(server === undefined || ready.includes(server)).toBe(true)
    } else pick(steps.slice(0, 5))!()
    const left = new Set(fleet.names('Allocated'))
    expect(allocated.filter((name) => !left.has(name))).toEqual([])
    const [some] = fleet.names('Allocated')
    if (left.size > 4 && some !== undefined) fleet.setState(some, 'Shutdown')
    if (random() < 0.1 && fleet.names('Ready').length > 0) fleet.setState(pick(fleet.names('Ready'))!, 'Unhealthy')
  }
  expect(new Set(created).size).toBe(created.length)
  fleet.model.perform({ type: 'scale', replicas: 8 })
  fleet.advance(60_000)
  fleet.settle()
  expect(fleet.model.snapshot().fleet.status).toMatchObject({ replicas: 8 })
})
