import { expect, test } from 'vitest'
import type { GameServer, SidecarClient, SidecarEvents } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { tellAll } from './told-objects.js'

type Changes = Partial<GameServer['object_meta'] & GameServer['status']>

/** A GameServer with that version and these members of its metadata and status. */
function object(version: number, { labels, annotations, counters, lists, state = 'Ready' }: Changes): GameServer {
  const made = gameServer(version, state)
  return {
    ...made,
    object_meta: { ...made.object_meta, labels: labels!, annotations: annotations! },
    status: { ...made.status, counters: counters!, lists: lists! },
  }
}

/** What a listener of one type hears while these objects come one after the other. */
async function hear<T extends keyof SidecarEvents>(type: T, first: Changes, ...changes: Changes[]) {
  const heard: SidecarEvents[T][] = []
  const next = changes.map((change, index) => object(index + 2, change))
  const listen = (client: SidecarClient): void =>
    void client.on(type, (event) => {
      if (client.gameServer?.object_meta.uid !== 'end') heard.push(event)
    })
  const { errors } = await tellAll([object(1, first), ...next], listen)
  return { heard, errors }
}

test('a label that is set, changed, left alone and removed', async () => {
  const { heard } = await hear(
    'label',
    { labels: { a: '1', same: 'x' } },
    { labels: { a: '2', same: 'x' } },
    { labels: { same: 'x', b: '1' } },
    {},
  )
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

test("the platform's prefix is taken off where a key begins with it, and only there", async () => {
  const annotations = { 'agones.dev/sdk-mode': 'duel', 'x.agones.dev/sdk-mode': 'x', mode: 'y' }
  const { heard } = await hear('annotation', { annotations })
  expect(heard.map(({ key }) => key)).toEqual(['mode', 'x.agones.dev/sdk-mode', 'mode'])
})

test('a counter that is there, changes and goes', async () => {
  const { heard } = await hear(
    'counter',
    { counters: { rooms: { count: '1', capacity: '10' } } },
    { counters: { rooms: { count: '1', capacity: '20' } } },
    { counters: {} },
  )
  expect(heard).toEqual([
    { name: 'rooms', count: 1, capacity: 10, previous: undefined },
    { name: 'rooms', count: 1, capacity: 20, previous: { name: 'rooms', count: 1, capacity: 10 } },
    { name: 'rooms', count: 0, capacity: 0, previous: { name: 'rooms', count: 1, capacity: 20 } },
  ])
})

test('a list whose values come and go, and which goes', async () => {
  const { heard } = await hear(
    'list',
    { lists: { players: { capacity: '4', values: ['a', 'b'] } } },
    { lists: { players: { capacity: '4', values: ['b', 'c'] } } },
    { lists: { players: { capacity: '4', values: ['c', 'b'] } } },
    { lists: {} },
  )
  expect(heard).toEqual([
    { name: 'players', capacity: 4, values: ['a', 'b'], added: ['a', 'b'], removed: [] },
    { name: 'players', capacity: 4, values: ['b', 'c'], added: ['c'], removed: ['a'] },
    { name: 'players', capacity: 4, values: ['c', 'b'], added: [], removed: [] },
    { name: 'players', capacity: 0, values: [], added: [], removed: ['c', 'b'] },
  ])
})

test('a number that can not be held is reported with its kind, and the others are told all the same', async () => {
  const counters = { rooms: { count: '9007199254740993', capacity: '10' }, seats: { count: '2', capacity: '3' } }
  const { heard, errors } = await hear('counter', { counters })
  expect(heard).toEqual([{ name: 'seats', count: 2, capacity: 3, previous: undefined }])
  expect(errors).toMatchObject([{ code: 'UNSAFE_INTEGER', operation: 'counter' }])
})

test('a list that is none is reported with its kind, and the others are told all the same', async () => {
  const lists = { players: { capacity: '4', values: 'a' as never }, rooms: { capacity: '1', values: ['x'] } }
  const { heard, errors } = await hear('list', { lists })
  expect(heard.map(({ name }) => name)).toEqual(['rooms'])
  expect(errors).toMatchObject([{ code: 'PROTOCOL', operation: 'list' }])
})

test('what nobody listens to is not looked for', async () => {
  const { errors } = await hear('label', { counters: { rooms: { count: '9007199254740993', capacity: '10' } } })
  expect(errors).toEqual([])
})

test('a state is told with the one before, and Unhealthy is an error too, once', async () => {
  const unhealthy = { state: 'Unhealthy' }
  const { heard, errors } = await hear('state', { state: 'Ready' }, { labels: {} }, unhealthy, {
    ...unhealthy,
    labels: {},
  })
  expect(heard.map(({ state, previous }) => [state, previous])).toEqual([
    ['Ready', undefined],
    ['Unhealthy', 'Ready'],
  ])
  expect(errors).toMatchObject([
    { code: 'UNAVAILABLE', message: expect.stringMatching(/Unhealthy/), hint: expect.stringMatching(/\w/) },
  ])
})

test('an int64 as bigint where that is wanted', async () => {
  const counters = { rooms: { count: '9007199254740993', capacity: '10' } }
  const heard: unknown[] = []
  await tellAll([object(2, { counters })], (client) => client.on('counter', (event) => heard.push(event)), {
    int64: 'bigint',
  })
  expect(heard[0]).toEqual({ name: 'rooms', count: 9007199254740993n, capacity: 10n, previous: undefined })
})
