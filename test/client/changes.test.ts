import { describe, expect, onTestFinished, test } from 'vitest'
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

test('a label event comes for each label that is set, changed or removed', async () => {
  const { heard } = await hear('label', [
    { labels: { a: '1', same: 'x' } },
    { labels: { a: '2', same: 'x' } },
    { labels: { same: 'x', b: '1' } },
    {},
  ])
  expect(heard).toEqual([
    { key: 'a', value: '1', previous: undefined },
    { key: 'same', value: 'x', previous: undefined },
    { key: 'a', value: '2', previous: '1' },
    { key: 'b', value: '1', previous: undefined },
    { key: 'a', value: undefined, previous: '2' },
    { key: 'same', value: undefined, previous: 'x' },
    { key: 'b', value: undefined, previous: '1' },
  ])
})

test('an annotation event has its key without the prefix of the platform', async () => {
  const annotations = { 'agones.dev/sdk-mode': 'duel', 'x.agones.dev/sdk-mode': 'x', mode: 'y' }
  const { heard } = await hear('annotation', [{ annotations }])
  expect(heard.map(({ key }) => key)).toEqual(['mode', 'x.agones.dev/sdk-mode', 'mode'])
})

test('a counter event has the counter and the one before', async () => {
  const { heard } = await hear('counter', [
    { counters: { rooms: { count: '1', capacity: '10' } } },
    { counters: { rooms: { count: '1', capacity: '20' } } },
    { counters: {} },
  ])
  expect(heard).toEqual([
    { name: 'rooms', count: 1, capacity: 10, previous: undefined },
    { name: 'rooms', count: 1, capacity: 20, previous: { name: 'rooms', count: 1, capacity: 10 } },
    { name: 'rooms', count: 0, capacity: 0, previous: { name: 'rooms', count: 1, capacity: 20 } },
  ])
})

test('a list event has the list, and the values that came and went', async () => {
  const { heard } = await hear('list', [
    { lists: { players: { capacity: '4', values: ['a', 'b'] } } },
    { lists: { players: { capacity: '4', values: ['b', 'c'] } } },
    { lists: { players: { capacity: '4', values: ['c', 'b'] } } },
    { lists: {} },
  ])
  expect(heard).toEqual([
    { name: 'players', capacity: 4, values: ['a', 'b'], added: ['a', 'b'], removed: [] },
    { name: 'players', capacity: 4, values: ['b', 'c'], added: ['c'], removed: ['a'] },
    { name: 'players', capacity: 4, values: ['c', 'b'], added: [], removed: [] },
    { name: 'players', capacity: 0, values: [], added: [], removed: ['c', 'b'] },
  ])
})

const unsafe = { rooms: { count: '9007199254740993', capacity: '10' }, seats: { count: '2', capacity: '3' } }

test('a counter that a number cannot hold emits an error, and events of the other counters still come', async () => {
  const { heard, errors } = await hear('counter', [{ counters: unsafe }])
  expect(heard).toEqual([{ name: 'seats', count: 2, capacity: 3, previous: undefined }])
  expect(errors).toMatchObject([{ code: 'UNSAFE_INTEGER', operation: 'counter' }])
})

test('a counter event has bigints with int64: bigint', async () => {
  const { heard } = await hear('counter', [{ counters: unsafe }], { int64: 'bigint' })
  expect(heard[0]).toEqual({ name: 'rooms', count: 9007199254740993n, capacity: 10n, previous: undefined })
})

test('an invalid list emits an error, and events of the other lists still come', async () => {
  const lists = { players: { capacity: '4', values: 'a' as never }, rooms: { capacity: '1', values: ['x'] } }
  const { heard, errors } = await hear('list', [{ lists }])
  expect(heard.map(({ name }) => name)).toEqual(['rooms'])
  expect(errors).toMatchObject([{ code: 'PROTOCOL', operation: 'list' }])
})

test('a counter that nobody listens to is not looked at', async () => {
  const { errors } = await hear('label', [{ counters: unsafe }])
  expect(errors).toEqual([])
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

describe('an allocated event of the local sidecar', () => {
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
})

describe('an allocated event', () => {
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

  test('an allocated event goes by the annotation of its own platform', async () => {
    const objects = [{}, at('noon', {}, 'arena'), at('noon', {}, 'arena'), at('evening', {}, 'arena')]
    const { heard } = await hear('allocated', objects, { platform: 'arena' })
    expect(versions(heard)).toEqual(['2', '4'])
  })

  test('no allocated event comes when the time of the last allocation is removed', async () => {
    const { heard } = await hear('allocated', [
      {},
      at('noon'),
      at(undefined),
      at(undefined, { labels: {} }),
      at('evening'),
    ])
    expect(versions(heard)).toEqual(['2', '5'])
  })
})

const summary = ({ object_meta, status }: GameServer): string => `${object_meta.resource_version} ${status.state}`

test.each([
  ['a newer version', gameServer('8'), gameServer('9')],
  ['a newer version with a digit more', gameServer('9'), gameServer('10')],
  [
    'a state that changes without a new version, as in local mode',
    gameServer('7'),
    gameServer('7', { state: 'Allocated' }),
  ],
  ['a state that changes with a version that is no number', gameServer('v2'), gameServer('v1', { state: 'Allocated' })],
  ['a lower version of another GameServer', gameServer('9'), gameServer('8', { uid: 'another' })],
  [
    'a lower version of a GameServer made later',
    gameServer('9'),
    gameServer('8', { creation_timestamp: '1800000000' }),
  ],
  ['a version that is no number after one that is', gameServer('2'), gameServer('1a')],
])('%s is told', async (_what, first, second) => {
  expect((await tellAll([first, second])).told).toEqual([first, second])
})

test.each([
  ['an older version', gameServer('21'), gameServer('19', { state: 'Allocated' })],
  ['an older version with a digit less', gameServer('10'), gameServer('9', { state: 'Allocated' })],
  ['the same object again', gameServer('7'), gameServer('7')],
])('%s is not told', async (_what, first, second) => {
  expect((await tellAll([first, second])).told.map(summary)).toEqual([summary(first)])
})
