import { describe, expect, test } from 'vitest'
import type { AllocatedEvent, ClientOptions, SidecarClient, SidecarEvents } from '../../src/index.js'
import type { GameServer } from '../../src/protocol/game-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

const fleet = {
  metadata: { name: 'arena' },
  spec: {
    counters: { rooms: { count: 1, capacity: 10 }, spare: { count: 2, capacity: 4 } },
    lists: { players: { capacity: 4, values: ['ann'] } },
  },
}

interface Watched {
  readonly client: SidecarClient
  readonly told: AllocatedEvent[]
}

function listen(client: SidecarClient): Watched {
  const told: AllocatedEvent[] = []
  client.on('allocated', (event) => void told.push(event))
  return { client, told }
}

const brought = ({ labels, annotations, counters, lists }: AllocatedEvent) => ({
  labels: { ...labels },
  annotations: Object.keys(annotations),
  counters: { ...counters },
  lists: { ...lists },
})

describe('an allocation', () => {
  test('is told once, with the labels, annotations, counts and values that came with it', async () => {
    const sidecar = await startSidecar({ gameServer: fleet })
    const { client, told } = listen(connectClient(sidecar))
    await client.ready()
    await client.waitFor('Ready')
    expect(told).toEqual([])
    sidecar.control({
      type: 'allocate',
      labels: { 'agones.dev/sdk-mode': 'duel', team: 'red' },
      annotations: { map: 'lava' },
      counters: { rooms: { action: 'Increment', amount: 2 } },
      lists: { players: { addValues: ['bob', 'ann', 'cid'] } },
    })
    await expect.poll(() => told.length).toBe(1)
    expect(brought(told[0]!)).toEqual({
      labels: { mode: 'duel', team: 'red' },
      annotations: expect.arrayContaining(['map', 'agones.dev/last-allocated']) as string[],
      counters: { rooms: 2 },
      lists: { players: ['bob', 'cid'] },
    })
    expect(told[0]!.gameServer.status.state).toBe('Allocated')
  })

  test('of a server that is Allocated already is told as well, and other changes are not', async () => {
    const sidecar = await startSidecar({ gameServer: fleet })
    const { client, told } = listen(connectClient(sidecar))
    const states: string[] = []
    client.on('state', ({ state }) => void states.push(state))
    await client.ready()
    await client.waitFor('Ready')
    for (const count of [1, 2, 3]) {
      sidecar.control({ type: 'allocate', counters: { rooms: { action: 'Increment', amount: 1 } } })
      await expect.poll(() => told.length).toBe(count)
    }
    await client.setLabel('seen', 'yes', { confirm: true })
    await client.updateCounter('rooms', { countDiff: -1 })
    await client.waitFor(({ status }) => status.counters!['rooms']!.count === '3')
    expect(told.map(({ counters }) => ({ ...counters }))).toEqual([{ rooms: 1 }, { rooms: 1 }, { rooms: 1 }])
    expect(states.filter((state) => state === 'Allocated')).toHaveLength(1)
  })

  test('that was there first is told to each listener, late ones too, with all that the object holds', async () => {
    const sidecar = await startSidecar({ gameServer: fleet })
    sidecar.control({ type: 'allocate', labels: { mode: 'duel' }, force: true })
    const { client, told } = listen(connectClient(sidecar))
    await client.waitFor('Allocated')
    const late: AllocatedEvent[] = []
    client.on('allocated', (event) => void late.push(event))
    await expect.poll(() => late.length).toBe(1)
    for (const [event] of [told, late])
      expect(event).toMatchObject({
        labels: { mode: 'duel' },
        counters: { rooms: 1, spare: 2 },
        lists: { players: ['ann'] },
      })
  })

  test('of one’s own, by allocate(), is told too, and a return to Ready is none', async () => {
    const sidecar = await startSidecar()
    const { client, told } = listen(connectClient(sidecar))
    await client.ready({ confirm: true })
    await client.allocate({ confirm: true })
    await client.ready({ confirm: true })
    await client.allocate({ confirm: true })
    await expect.poll(() => told.length).toBe(2)
  })
})

/** A GameServer as the scripted sidecar tells it. */
function allocated(version: number, change: (status: GameServer) => void = () => {}): GameServer {
  const object = gameServer(version, 'Allocated')
  object.object_meta.annotations = { 'agones.dev/last-allocated': `${version}` }
  change(object)
  return object
}

async function scripted(
  objects: readonly GameServer[],
  options: ClientOptions = {},
): Promise<{ told: AllocatedEvent[]; errors: SidecarEvents['error'][] }> {
  const sidecar = await startScripted()
  sidecar.publish(gameServer(1))
  const client = connectClient(sidecar, options)
  const errors: SidecarEvents['error'][] = []
  client.on('error', (error) => void errors.push(error))
  const { told } = listen(client)
  await client.waitFor('Ready')
  await sidecar.until(() => sidecar.followers > 0, 'the watch')
  for (const object of objects) sidecar.publish(object)
  await client.waitFor(
    ({ object_meta }) => object_meta.resource_version === objects.at(-1)!.object_meta.resource_version,
  )
  return { told, errors }
}

test('names that an object inherits, such as __proto__, are names like others', async () => {
  const odd = (object: GameServer): void => {
    object.object_meta.labels = JSON.parse('{ "__proto__": "a", "constructor": "b" }') as Record<string, string>
    object.status.lists = JSON.parse('{ "__proto__": { "capacity": "2", "values": ["x"] } }') as never
  }
  const { told } = await scripted([allocated(2, odd)])
  expect(Object.entries(told[0]!.labels)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
  expect(Object.entries(told[0]!.lists)).toEqual([['__proto__', ['x']]])
})

test('a count that a number can’t hold is an error of its own, and the rest is told', async () => {
  const huge = (object: GameServer): void => {
    object.status.counters = {
      huge: { count: '9223372036854775807', capacity: '9223372036854775807' },
      rooms: { count: '3', capacity: '5' },
    }
  }
  const { told, errors } = await scripted([allocated(2, huge)])
  expect({ ...told[0]!.counters }).toEqual({ rooms: 3 })
  expect(errors.map(({ code, operation }) => [code, operation])).toEqual([['UNSAFE_INTEGER', 'allocated']])

  const exact = await scripted([allocated(2, huge)], { int64: 'bigint' })
  expect({ ...exact.told[0]!.counters }).toEqual({ huge: 9223372036854775807n, rooms: 3n })
})

test('a platform of another name has its own time of the last allocation', async () => {
  const under = (version: number, time: string): GameServer => {
    const object = gameServer(version, 'Allocated')
    object.object_meta.annotations = { 'arena.dev/last-allocated': time, 'agones.dev/last-allocated': `${version}` }
    return object
  }
  const { told } = await scripted([under(2, 'noon'), under(3, 'noon'), under(4, 'evening')], { platform: 'arena' })
  expect(told.map(({ gameServer: { object_meta } }) => object_meta.resource_version)).toEqual(['2', '4'])
})

test('the time of the last allocation that somebody takes away is no allocation', async () => {
  const at = (version: number, time?: string): GameServer => {
    const object = gameServer(version, 'Allocated')
    object.object_meta.annotations = time ? { 'agones.dev/last-allocated': time } : {}
    return object
  }
  const { told } = await scripted([at(2, 'noon'), at(3), at(4), at(5, 'evening')])
  expect(told.map(({ gameServer: { object_meta } }) => object_meta.resource_version)).toEqual(['2', '5'])
})
