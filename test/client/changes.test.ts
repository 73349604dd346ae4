import { expect, onTestFinished, test } from 'vitest'
import type {
  AllocatedEvent,
  ClientOptions,
  GameServer,
  SidecarClient,
  SidecarError,
  SidecarEvents,
} from '../../src/index.js'
import { gameServer, type Changes } from '../support/game-server.js'
import { opened } from '../support/fault-server-steps.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { connectClient, startQuickSidecar } from '../support/with-sidecar.js'

/** Another object than all the others, so it is news after any of them. */
const end = gameServer(1, { state: 'End', uid: 'end' })

/**
 * Lets a watch send these results, and then one that ends the test. Resolves with what listeners were told between. Reads
 * are answered with the first, or they would tell something else.
 */
async function tellAll(
  results: readonly [GameServer, ...unknown[]],
  listen: (client: SidecarClient) => void = () => {},
  options: ClientOptions = {},
): Promise<{ told: GameServer[]; errors: SidecarError[] }> {
  const sidecar = await createScriptedSidecar([
    {
      on: 'watch',
      step: opened(async (exchange) => {
        for (const result of [...results, end]) await exchange.sendText(JSON.stringify({ result }))
        sidecar.publish(end)
        await exchange.connection.gone
      }),
    },
  ])
  onTestFinished(() => sidecar.close())
  sidecar.publish(results[0])
  const client = connectClient(sidecar, { watch: 'websocket', verifyInterval: 0, ...options })
  const told: GameServer[] = []
  const errors: SidecarError[] = []
  const isOver = (): boolean => client.gameServer?.object_meta.uid === end.object_meta.uid
  client.on('error', (error) => {
    if (!isOver()) errors.push(error)
  })
  client.on('gameserver', (gameServer) => {
    if (!isOver()) told.push(gameServer)
  })
  listen(client)
  await client.waitFor(isOver)
  client.close()
  return { told, errors }
}

/** What a listener of one type is told while these objects come one after the other. */
async function hear<T extends keyof SidecarEvents>(type: T, changes: Changes[], options: ClientOptions = {}) {
  const heard: SidecarEvents[T][] = []
  const [first, ...next] = changes.map((change, index) => gameServer(index + 1, change))
  const listen = (client: SidecarClient): void =>
    void client.on(type, (event) => {
      if (client.gameServer?.object_meta.uid !== 'end') heard.push(event)
    })
  const { errors } = await tellAll([first!, ...next], listen, options)
  return { heard, errors }
}

test.each<[type: keyof SidecarEvents, objects: Changes[], heard: object[]]>([
  [
    'label',
    [{ labels: { a: '1', same: 'x' } }, { labels: { a: '2', same: 'x' } }, { labels: { same: 'x', b: '1' } }, {}],
    [
      { key: 'a', value: '1', previous: undefined },
      { key: 'same', value: 'x', previous: undefined },
      { key: 'a', value: '2', previous: '1' },
      { key: 'b', value: '1', previous: undefined },
      { key: 'a', value: undefined, previous: '2' },
      { key: 'same', value: undefined, previous: 'x' },
      { key: 'b', value: undefined, previous: '1' },
    ],
  ],
  [
    'annotation',
    [{ annotations: { 'agones.dev/sdk-mode': 'duel', 'x.agones.dev/sdk-mode': 'x', mode: 'y' } }],
    [
      { key: 'mode', value: 'duel', previous: undefined },
      { key: 'x.agones.dev/sdk-mode', value: 'x', previous: undefined },
      { key: 'mode', value: 'y', previous: undefined },
    ],
  ],
  [
    'counter',
    ['10', '20'].map((capacity): Changes => ({ counters: { rooms: { count: '1', capacity } } })).concat({}),
    [
      { name: 'rooms', count: 1, capacity: 10, previous: undefined },
      { name: 'rooms', count: 1, capacity: 20, previous: { name: 'rooms', count: 1, capacity: 10 } },
      { name: 'rooms', count: 0, capacity: 0, previous: { name: 'rooms', count: 1, capacity: 20 } },
    ],
  ],
  [
    'list',
    ['ab', 'bc', 'cb']
      .map((values): Changes => ({ lists: { players: { capacity: '4', values: [...values] } } }))
      .concat({}),
    [
      { name: 'players', capacity: 4, values: ['a', 'b'], added: ['a', 'b'], removed: [] },
      { name: 'players', capacity: 4, values: ['b', 'c'], added: ['c'], removed: ['a'] },
      { name: 'players', capacity: 4, values: ['c', 'b'], added: [], removed: [] },
      { name: 'players', capacity: 0, values: [], added: [], removed: ['c', 'b'] },
    ],
  ],
])('a %s event comes for each that is added, changed or removed', async (type, objects, heard) => {
  expect((await hear(type, objects)).heard).toEqual(heard)
})

const unsafe = { rooms: { count: '9007199254740993', capacity: '10' }, seats: { count: '2', capacity: '3' } }

test('a counter that a number cannot hold is an error where somebody listens, and bigints hold it', async () => {
  const { heard, errors } = await hear('counter', [{ counters: unsafe }])
  expect(heard).toEqual([{ name: 'seats', count: 2, capacity: 3, previous: undefined }])
  expect(errors).toMatchObject([{ code: 'UNSAFE_INTEGER', operation: 'counter' }])
  expect((await hear('label', [{ counters: unsafe }])).errors).toEqual([])
  const exact = await hear('counter', [{ counters: unsafe }], { int64: 'bigint' })
  expect(exact.heard[0]).toEqual({ name: 'rooms', count: 9007199254740993n, capacity: 10n, previous: undefined })
})

test('an invalid list emits an error, and events of the other lists still come', async () => {
  const lists = { players: { capacity: '4', values: 'a' as never }, rooms: { capacity: '1', values: ['x'] } }
  const { heard, errors } = await hear('list', [{ lists }])
  expect(heard.map(({ name }) => name)).toEqual(['rooms'])
  expect(errors).toMatchObject([{ code: 'PROTOCOL', operation: 'list' }])
})

test('a state event has the state before, and comes only when the state changes', async () => {
  const unhealthy = { state: 'Unhealthy' }
  const { heard, errors } = await hear('state', [{}, { labels: {} }, unhealthy, { ...unhealthy, labels: {} }])
  expect(heard.map(({ state, previous }) => [state, previous])).toEqual([
    ['Ready', undefined],
    ['Unhealthy', 'Ready'],
  ])
  expect(errors).toMatchObject([{ code: 'UNAVAILABLE', message: expect.stringMatching(/Unhealthy/) }])
})

const fleet = {
  metadata: { name: 'arena' },
  spec: {
    counters: { rooms: { count: 1, capacity: 10 }, spare: { count: 2, capacity: 4 } },
    lists: { players: { capacity: 4, values: ['ann'] } },
  },
}

function listen(client: SidecarClient): AllocatedEvent[] {
  const told: AllocatedEvent[] = []
  client.on('allocated', (event) => void told.push(event))
  return told
}

test('an allocated event comes once, with the labels, annotations, counts and values of the allocation', async () => {
  const sidecar = await startQuickSidecar({ gameServer: fleet })
  const client = connectClient(sidecar)
  const told = listen(client)
  await client.ready({ confirm: true })
  expect(told).toEqual([])
  sidecar.control({
    type: 'allocate',
    labels: { 'agones.dev/sdk-mode': 'duel', team: 'red' },
    annotations: { map: 'lava' },
    counters: { rooms: { action: 'Increment', amount: 2 } },
    lists: { players: { addValues: ['bob', 'ann', 'cid'] } },
  })
  await expect.poll(() => told.length).toBe(1)
  const { labels, annotations, counters, lists, gameServer } = told[0]!
  expect({ ...labels }).toEqual({ mode: 'duel', team: 'red' })
  expect(Object.keys(annotations)).toEqual(expect.arrayContaining(['map', 'agones.dev/last-allocated']))
  expect({ ...counters }).toEqual({ rooms: 2 })
  expect({ ...lists }).toEqual({ players: ['bob', 'cid'] })
  expect(gameServer.status.state).toBe('Allocated')
})

test('an allocation before the first object is told to each listener, with all that the object holds', async () => {
  const sidecar = await startQuickSidecar({ gameServer: fleet })
  sidecar.control({ type: 'setState', state: 'Ready' })
  sidecar.control({ type: 'allocate', labels: { mode: 'duel' } })
  const client = connectClient(sidecar)
  const told = listen(client)
  await client.waitFor('Allocated')
  const late = listen(client)
  await expect.poll(() => late.length).toBe(1)
  const all = { labels: { mode: 'duel' }, counters: { rooms: 1, spare: 2 }, lists: { players: ['ann'] } }
  expect([told[0], late[0]]).toMatchObject([all, all])
})

const at = (time: string | undefined, changes: Changes = {}, platform = 'agones'): Changes => ({
  state: 'Allocated',
  annotations: time ? { [`${platform}.dev/last-allocated`]: time } : {},
  ...changes,
})
const versions = (heard: AllocatedEvent[]): string[] =>
  heard.map(({ gameServer: { object_meta } }) => object_meta.resource_version)

test('an allocated event takes names such as __proto__ for what they are', async () => {
  const labels = JSON.parse('{ "__proto__": "a" }') as Record<string, string>
  const lists = JSON.parse('{ "__proto__": { "capacity": "2", "values": ["x"] } }') as never
  const { heard } = await hear('allocated', [{}, at('noon', { labels, lists })])
  expect(Object.entries(heard[0]!.labels)).toEqual([['__proto__', 'a']])
  expect(Object.entries(heard[0]!.lists)).toEqual([['__proto__', ['x']]])
})

test('an allocated event leaves out a count that a number cannot hold, which is an error', async () => {
  const { heard, errors } = await hear('allocated', [{}, at('noon', { counters: unsafe })])
  expect({ ...heard[0]!.counters }).toEqual({ seats: 2 })
  expect(errors).toMatchObject([{ code: 'UNSAFE_INTEGER', operation: 'allocated' }])
  const exact = await hear('allocated', [{}, at('noon', { counters: unsafe })], { int64: 'bigint' })
  expect({ ...exact.heard[0]!.counters }).toEqual({ rooms: 9007199254740993n, seats: 2n })
})

test('an allocated event goes by the annotation of its platform, and not by its removal', async () => {
  const objects = [{}, at('noon', {}, 'arena'), at('noon', {}, 'arena'), at('evening', {}, 'arena')]
  expect(versions((await hear('allocated', objects, { platform: 'arena' })).heard)).toEqual(['2', '4'])
  const removed = [{}, at('noon'), at(undefined), at(undefined, { labels: {} }), at('evening')]
  expect(versions((await hear('allocated', removed)).heard)).toEqual(['2', '5'])
})

const allocated = { state: 'Allocated' }

test.each<[what: string, first: string, second: string, changes: Changes, isTold: boolean]>([
  ['a newer version', '8', '9', {}, true],
  ['a newer version with a digit more', '9', '10', {}, true],
  ['a state that changes without a new version, as in local mode', '7', '7', allocated, true],
  ['a state that changes with a version that is no number', 'v2', 'v1', allocated, true],
  ['a lower version of another GameServer', '9', '8', { uid: 'another' }, true],
  ['a lower version of a GameServer made later', '9', '8', { creation_timestamp: '1800000000' }, true],
  ['a version that is no number after one that is', '2', '1a', {}, true],
  ['an older version', '21', '19', allocated, false],
  ['an older version with a digit less', '10', '9', allocated, false],
  ['the same object again', '7', '7', {}, false],
])('%s (%s, then %s, with %j) is told: %s', async (_what, first, second, changes, isTold) => {
  const objects = [gameServer(first), gameServer(second, changes)] as const
  expect((await tellAll(objects)).told).toEqual(isTold ? objects : [objects[0]])
})
