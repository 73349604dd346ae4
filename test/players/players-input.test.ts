import { describe, expect, test, vi } from 'vitest'
import { createClient, type GameServer, type SidecarClient, SidecarError } from '../../src/index.js'
import { type LocalSidecar } from '../../src/node/index.js'
import { trackPlayers, trackSessions, type PlayersOptions, type Players } from '../../src/players/index.js'
import { PlayersState, type PlayersInput } from '../../src/players/players-state.js'
import type { TrackerEvent } from '../../src/players/writes.js'
import { type GameServerStatus } from '../../src/protocol/game-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { calls, connectClient, startSidecar } from '../support/with-sidecar.js'
import { fate, play } from './players-support.js'

describe('players, wrong input', () => {
  test.each([
    [{ capacity: 0 }, 'capacity must be above 0; got 0'],
    [{ capacity: NaN }, 'capacity must be above 0; got NaN'],
    [{ noShow: 0 }, 'noShow must be above 0; got 0'],
    [{ noshow: 3 }, 'There is no option "noshow". Did you mean noShow?'],
    [null, 'options must be an object; got null'],
  ])('options %j are refused: %s', (options, message) => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1' })
    expect(() => trackPlayers(client, options as PlayersOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(message) as string }),
    )
    client.close()
  })

  test.each([undefined, null, {}, { list: 'players' }])(
    'a client that is %j is refused, whatever the options',
    (client) => {
      const error = expect.objectContaining({
        code: 'CONFIG',
        message: expect.stringContaining('client must be what createClient() gave; got ') as string,
      }) as Error
      expect(() => trackPlayers(client as never)).toThrow(error)
      expect(() => trackSessions(client as never, { onSession: () => {} })).toThrow(error)
    },
  )

  test('ids that cannot be right are refused, and nothing is written', async () => {
    const { mock, players, calls } = await play()
    for (const id of ['', 'x'.repeat(257), 3, undefined] as string[]) {
      await expect(players.join(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'join' })
      await expect(players.leave(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'leave' })
    }
    await expect(players.join('ann', { timout: 3 } as object)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await mock.advance(2000)
    expect(calls()).toEqual([])
  })

  test('one who is here, or is joining, does not join twice', async () => {
    const { mock, players, calls } = await play()
    const first = fate(players.join('ann'))
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    await mock.advance(1000)
    expect(first.now).toBe('joined')
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    expect(calls()).toEqual(['addListValue ann'])
  })

  test('an event that does not exist is refused', async () => {
    const { players } = await play()
    expect(() => players.on('join' as 'joined', () => {})).toThrow('There is no event "join"')
  })

  test.each([
    [{ list: 'seats' }, '  lists:\n    seats:\n      capacity: 16'],
    [{ counter: 'heads', capacity: 8 }, '  counters:\n    heads:\n      capacity: 8'],
  ])(
    '%j that the GameServer lacks is one error with the YAML to add, and every join rejects with it',
    async (options, yaml) => {
      const { mock, players, errors, calls } = await play(options)
      await expect(players.join('ann')).rejects.toMatchObject({ code: 'NOT_FOUND', operation: 'join' })
      mock.control({ type: 'setLabel', key: 'a', value: 'b' })
      await mock.advance(1000)
      await expect(players.join('bob')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(errors.map(({ code }) => code)).toEqual(['NOT_FOUND'])
      expect(errors[0]!.hint).toContain('spec:\n' + yaml)
      expect(calls()).toEqual([])
    },
  )

  test.each([{ list: '' }, { counter: '' }, { counter: 3 as never }])(
    'a list or counter of which there can be none by that name, %j, is one error, and every join rejects with it',
    async (options) => {
      const { players, errors, calls } = await play(options)
      await expect(players.join('ann')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'join' })
      expect(errors.map(({ code }) => code)).toEqual(['INVALID_ARGUMENT'])
      expect(calls()).toEqual([])
    },
  )

  test('a list that comes later is used', async () => {
    const { mock, players } = await play({ list: 'seats' })
    mock.control({ type: 'setList', name: 'seats', values: [], capacity: 2 })
    await mock.advance(100)
    const join = fate(players.join('ann'))
    await mock.advance(1000)
    expect(join.now).toBe('joined')
  })

  test('without the feature gate each join says so', async () => {
    const { players, errors } = await play({ mock: { featureGates: { CountsAndLists: false } } })
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'FEATURE_DISABLED' })
    expect(errors.map(({ code }) => code)).toEqual(['FEATURE_DISABLED'])
  })

  test('an error that nobody listens to is logged', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    try {
      const { mock, client } = await play()
      trackPlayers(client, { list: 'nope' })
      await mock.advance(100)
      expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('This GameServer has no list "nope"')])
    } finally {
      warn.mockRestore()
    }
  })
})

const manifest = {
  status: { state: 'Ready', lists: { players: { capacity: 3, values: [] } } },
  spec: { health: { disabled: true } },
}

const PATIENCE = { timeout: 20_000 }

async function playOverSockets(): Promise<{
  sidecar: LocalSidecar
  client: SidecarClient
  players: Players
  values(): readonly string[]
}> {
  const sidecar = await startSidecar({ gameServer: manifest, mode: 'production' })
  sidecar.control({ type: 'setClock', speed: 20 })
  const client = connectClient(sidecar)
  const players = trackPlayers(client)
  return {
    sidecar,
    client,
    players,
    values: () => sidecar.sidecar.snapshot().gameServer.status.lists?.['players']?.values ?? [],
  }
}

describe('players over sockets', () => {
  test('a join costs one call, a promised one none, a leave one', async () => {
    const { sidecar, players, values } = await playOverSockets()
    expect(await players.join('ann')).toBe('joined')
    sidecar.sidecar.control({ type: 'allocate', lists: { players: { addValues: ['bob'] } } })
    await vi.waitFor(() => expect(players.expected).toEqual(['bob']), PATIENCE)
    expect(await players.join('bob')).toBe('expected')
    expect(values()).toEqual(['ann', 'bob'])
    expect(await players.leave('ann')).toBe('left')
    await vi.waitFor(() => expect(values()).toEqual(['bob']), PATIENCE)
    expect(calls(sidecar).filter((operation) => /List/.test(operation))).toEqual(['addListValue', 'removeListValue'])
  })

  test.each([true, false])('a join whose answer is dropped (carried out: %s) has its seat once', async (apply) => {
    const { sidecar, client, players, values } = await playOverSockets()
    await vi.waitFor(() => expect(client.gameServer).toBeDefined(), PATIENCE)
    sidecar.sidecar.control({ type: 'failCalls', operations: ['addListValue'], drop: true, apply, count: 1 })
    expect(await players.join('ann')).toBe('joined')
    expect(values()).toEqual(['ann'])
    expect(players.ids).toEqual(['ann'])
  })

  test('after a kill of the sidecar list and game agree', async () => {
    const { sidecar, players, values } = await playOverSockets()
    await players.join('ann')
    const join = players.join('bob')
    await players.leave('ann')
    sidecar.sidecar.control({ type: 'restart', downMs: 100 })
    expect(await join).toBe('joined')
    await vi.waitFor(() => expect(values()).toEqual(['bob']), PATIENCE)
    expect(players.ids).toEqual(['bob'])
  })
})

describe('a value of our own is told apart from a promise', () => {
  test('a late add of a player who has left, shown together with an allocation, is taken back', async () => {
    const { mock, players, values, events } = await play()
    const join = fate(players.join('ann'))
    await mock.advance(20)
    mock.control({ type: 'stallWatchers', ms: 700 })
    await players.leave('ann')
    await mock.advance(600)
    mock.dropWatch()
    mock.allocate({ lists: { players: { addValues: ['bob'] } } })
    await mock.advance(3000)
    expect(join.now).toBe('ABORTED')
    expect(events).toEqual(['expected bob'])
    expect(values()).toEqual(['bob'])
  })

  test('a removal that was lost beside an allocation of somebody else is made again', async () => {
    const { mock, players, values, events } = await play()
    const join = fate(players.join('ann'))
    await mock.advance(1000)
    mock.control({ type: 'failCalls', drop: true, operations: ['removeListValue'], count: 1 })
    mock.control({ type: 'stallWatchers', ms: 700 })
    await players.leave('ann')
    await mock.advance(100)
    mock.allocate({ lists: { players: { addValues: ['bob'] } } })
    await mock.advance(4000)
    expect(join.now).toBe('joined')
    expect(events).toEqual(['joined ann', 'left ann', 'expected bob'])
    expect(values()).toEqual(['bob'])
  })

  test('a seat that an allocation alone can have brought is kept for a player whose add is not answered', async () => {
    const { mock, players, values } = await play()
    mock.control({ type: 'delayCalls', ms: 3000, operations: ['addListValue'] })
    const join = fate(players.join('ann'))
    await mock.advance(20)
    await players.leave('ann')
    mock.allocate({ lists: { players: { addValues: ['ann'] } } })
    await mock.advance(10_000)
    expect(join.now).toBe('ABORTED')
    expect(players.expected).toEqual(['ann'])
    expect(values()).toEqual(['ann'])
  })
})

const ABORTED = new SidecarError('ABORTED', 'left')

test('joins that end before the first GameServer leave nothing behind', () => {
  const state = new PlayersState({ list: 'players', limit: Infinity })
  for (const id of ['ann', 'bob', 'cid'])
    for (const event of [{ type: 'join', id }, { type: 'turn' }, { type: 'quit', id, error: ABORTED }] as const)
      state.take(event)
  state.take({ type: 'turn' })
  expect([state.seats.size, state.writes.size]).toEqual([0, 0])
})

/** An object of which so many versions were written, and whose last allocation came with the version that is given. */
const listOf = (values: string[], version: number, allocation: number) =>
  ({
    type: 'object',
    gameServer: {
      object_meta: {
        resource_version: `${version}`,
        generation: `${version}`,
        annotations: { 'agones.dev/last-allocated': `${allocation}` },
      },
      status: { state: 'Ready', lists: { players: { capacity: '4', values } } },
    } as unknown as GameServer,
  }) as const

test.each([
  ['a tick before is written, so its value beside an allocation is no promise', 1, []],
  ['just before may be forgotten, so its value beside an allocation is a promise', 0, ['ann']],
])('when the watch reconnects, an add for who has left that was accepted %s', (_, ticks, expected) => {
  const state = new PlayersState({ list: 'players', limit: Infinity })
  const events: TrackerEvent<PlayersInput>[] = [
    listOf([], 1, 0),
    { type: 'join', id: 'ann' },
    { type: 'turn' },
    { type: 'answered', key: 'ann' },
    ...Array<{ type: 'tick' }>(ticks).fill({ type: 'tick' }),
    { type: 'quit', id: 'ann', error: ABORTED },
    { type: 'connection', isUp: false },
    { type: 'connection', isUp: true },
    { type: 'turn' },
    listOf(['ann', 'bob'], 3, 1),
  ]
  events.forEach((event) => state.take(event))
  expect(state.idsIn('expected')).toEqual([...expected, 'bob'])
})

/** Players of a sidecar that tells an object with this status, in which no call is answered. */
async function playersOf(status: object, options: PlayersOptions = {}) {
  const sidecar = await startScripted()
  const object = gameServer(1)
  sidecar.publish({ ...object, status: { ...object.status, ...(status as GameServerStatus) } })
  const client = connectClient(sidecar)
  client.on('error', () => {})
  const players = trackPlayers(client, options)
  players.on('error', () => {})
  await client.waitFor('Ready')
  await sidecar.until(() => sidecar.followers > 0, 'the watch')
  return players
}

test.each(['many', '', null, undefined, {}, '-3'])('a capacity of %j has no seat', async (capacity) => {
  const players = await playersOf({ lists: { players: { capacity, values: [] } } })
  await expect(players.join('ann')).rejects.toMatchObject({ code: 'OUT_OF_RANGE' })
  const counted = await playersOf({ counters: { heads: { count: '0', capacity } } }, { counter: 'heads' })
  await expect(counted.join('ann')).rejects.toMatchObject({ code: 'OUT_OF_RANGE' })
})

test('a join that is made before anything is known gets no seat of a counter that the GameServer lacks', async () => {
  const sidecar = await startSidecar()
  const players = trackPlayers(connectClient(sidecar), { counter: 'nope' })
  players.on('error', () => {})
  const joins = await Promise.allSettled(['ann', 'bob'].map((id) => players.join(id)))
  expect(joins).toMatchObject([{ reason: { code: 'NOT_FOUND' } }, { reason: { code: 'NOT_FOUND' } }])
  expect(players.ids).toEqual([])
})

test('one who leaves and comes back in the same turn keeps the seat, and nothing is written', async () => {
  const { mock, players, calls } = await play()
  const joined = players.join('ann')
  await mock.advance(1000)
  expect(await joined).toBe('joined')
  const left = players.leave('ann')
  const back = players.join('ann')
  await mock.advance(100)
  expect(await Promise.all([left, back])).toEqual(['left', 'joined'])
  expect(calls()).toEqual(['addListValue ann'])
})

test('hundreds of joins in one turn on a full list are refused without a call, and leave nothing waiting', async () => {
  const { mock, client, players, calls } = await play({ values: ['a', 'b', 'c', 'd'] })
  let waits = 0
  const { waitFor } = client
  const counted: typeof waitFor = async (...given) => {
    waits++
    try {
      return await waitFor(...given)
    } finally {
      waits--
    }
  }
  Object.assign(client, { waitFor: counted })
  const joins = Promise.allSettled(Array.from({ length: 300 }, (_, index) => players.join(`p${index}`)))
  await mock.advance(0)
  const fates = (await joins).map((join) => join.status === 'rejected' && (join.reason as { code: string }).code)
  expect(new Set(fates)).toEqual(new Set(['OUT_OF_RANGE']))
  await mock.advance(0)
  expect(waits).toBe(0)
  expect(calls()).toEqual([])
})

test('a join that is given up keeps the seat that was promised meanwhile', async () => {
  const { mock, players, values } = await play()
  mock.control({ type: 'delayCalls', ms: 3000, operations: ['addListValue'] })
  const join = fate(players.join('ann', { timeout: 500 }))
  await mock.advance(100)
  mock.control({ type: 'stallWatchers', ms: 200 })
  mock.allocate({ lists: { players: { addValues: ['ann'] } } })
  await mock.advance(10_000)
  expect(join.now).not.toBe('pending')
  expect(values()).toEqual(['ann'])
})

test.each([
  ['its answer was lost', { type: 'failCalls', drop: true, apply: true, count: 1 }],
  ['it was accepted', { type: 'clearFaults' }],
] as const)('a seat that was left is kept for who is promised it while the watch is cut: %s', async (_, fault) => {
  const { mock, players, values } = await play()
  const join = fate(players.join('ann'))
  await mock.advance(1000)
  expect(join.now).toBe('joined')
  mock.control(fault)
  mock.control({ type: 'stallWatchers', ms: 700 })
  await players.leave('ann')
  await mock.advance(600)
  mock.dropWatch()
  mock.allocate({ lists: { players: { addValues: ['ann'] } } })
  await mock.advance(5000)
  expect(players.expected).toEqual(['ann'])
  expect(values()).toEqual(['ann'])
  expect(await players.join('ann')).toBe('expected')
  mock.expect('removeListValue', 1)
})
