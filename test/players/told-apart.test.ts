import { describe, expect, test } from 'vitest'
import { SidecarError } from '../../src/index.js'
import { trackPlayers, type PlayersOptions } from '../../src/players/index.js'
import { PlayersState, type PlayersInput } from '../../src/players/players-state.js'
import { reduce, type TrackerEvent } from '../../src/players/writes.js'
import { fate, play } from './players-support.js'
import type { GameServerStatus } from '../../src/protocol/game-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

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

test('joins that end before the first GameServer leave nothing behind', () => {
  let state = new PlayersState({ list: 'players', limit: Infinity })
  const error = new SidecarError('ABORTED', 'left')
  for (const id of ['ann', 'bob', 'cid']) {
    const events: TrackerEvent<PlayersInput>[] = [{ type: 'join', id }, { type: 'turn' }, { type: 'quit', id, error }]
    ;[state] = reduce(state, ...events, { type: 'turn' })
  }
  expect([state.seats.size, state.writes.size]).toEqual([0, 0])
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
