import { describe, expect, test, vi } from 'vitest'
import { SidecarError } from '../../src/index.js'
import { trackPlayers } from '../../src/players/index.js'
import {
  createPlayersState,
  idsIn,
  join,
  players as kind,
  quit,
  type PlayersState,
} from '../../src/players/tracking/players-reducer.js'
import { answered, connection, settle, shown, tick } from '../../src/players/tracking/writes.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'
import { fate, playPlayers as play } from './play.js'
import { objectOf } from './search/players-world.js'

describe('players in virtual time', () => {
  test('a join takes a free seat by one call, and resolves when the watch shows the seat', async () => {
    const { mock, players, values, calls, events } = await play()
    const join = fate(players.join('ann'))
    await mock.advance(100)
    expect(join.now).toBe('pending')
    await mock.advance(900)
    expect(join.now).toBe('joined')
    expect(values()).toEqual(['ann'])
    expect(players.ids).toEqual(['ann'])
    await mock.advance(60_000)
    expect(calls()).toEqual(['addListValue ann'])
    expect(events).toEqual(['joined ann'])
  })

  test('a promised player joins at once without a call, and leaves by one call', async () => {
    const { mock, promise, players, values, calls, events } = await play()
    promise('bob')
    await mock.advance(50)
    expect(players.expected).toEqual(['bob'])
    const join = fate(players.join('bob'))
    await mock.advance(0)
    expect(join.now).toBe('expected')
    await mock.advance(120_000)
    expect(calls()).toEqual([])
    expect(await players.leave('bob')).toBe('left')
    await mock.advance(2000)
    expect(values()).toEqual([])
    expect(calls()).toEqual(['removeListValue bob'])
    expect(events).toEqual(['expected bob', 'joined bob', 'left bob'])
  })

  test('a promised player who comes before the watch shows the promise joins without an add', async () => {
    const { mock, promise, players, calls } = await play()
    mock.control({ type: 'stallWatchers', ms: 1000 })
    promise('ann')
    const join = fate(players.join('ann'))
    await mock.advance(500)
    expect(join.now).toBe('pending')
    await mock.advance(1500)
    expect(join.now).toBe('expected')
    await mock.advance(10_000)
    expect(calls()).toEqual([])
  })

  test('nobody joins beyond the smaller capacity, and a freed seat goes to the next player', async () => {
    const { mock, players, events, values } = await play({ room: 3, capacity: 2 })
    const joins = ['ann', 'bob', 'cid'].map((id) => fate(players.join(id)))
    await mock.advance(1000)
    expect(joins.map(({ now }) => now)).toEqual(['joined', 'joined', 'OUT_OF_RANGE'])
    expect(players.full).toBe(true)
    expect(await players.leave('ann')).toBe('left')
    expect(players.full).toBe(false)
    const next = fate(players.join('dan'))
    await mock.advance(3000)
    expect(next.now).toBe('joined')
    expect(values()).toEqual(['bob', 'dan'])
    expect(events).toEqual(['full 2', 'joined ann', 'joined bob', 'left ann', 'full 2', 'joined dan'])
  })

  test('a promised player who does not come in time loses the seat, and is promised anew by a later allocation', async () => {
    const { mock, players, values, events } = await play({ noShow: 5000 })
    const promise = (): unknown => mock.allocate({ lists: { players: { addValues: ['bob'] } } })
    promise()
    await mock.advance(4900)
    expect(players.expected).toEqual(['bob'])
    await mock.advance(1000)
    expect(values()).toEqual([])
    promise()
    await mock.advance(4900)
    expect(players.expected).toEqual(['bob'])
    await mock.advance(1000)
    expect(values()).toEqual([])
    expect(events).toEqual(['expected bob', 'noshow bob', 'expected bob', 'noshow bob'])
  })

  test('values in the first object belong to promised players', async () => {
    const { players, events } = await play({ values: ['ann'] })
    expect(players.expected).toEqual(['ann'])
    expect(events).toEqual(['expected ann'])
    expect(await players.join('ann')).toBe('expected')
  })

  test('a player who leaves or gives up right after joining has no seat, and nobody is expected', async () => {
    const { mock, players, values, events } = await play()
    const controller = new AbortController()
    const joins = [fate(players.join('ann')), fate(players.join('bob', { signal: controller.signal }))]
    await mock.advance(20)
    controller.abort()
    expect([await players.leave('ann'), await players.leave('ann')]).toEqual(['left', 'absent'])
    await mock.advance(60_000)
    expect(joins.map(({ now }) => now)).toEqual(['ABORTED', 'ABORTED'])
    expect(values()).toEqual([])
    expect(events).toEqual([])
  })

  test('a value that was removed from outside is put back while its player is here', async () => {
    const { mock, seat, values } = await play()
    await seat('ann')
    mock.control({ type: 'setList', name: 'players', values: [] })
    await mock.advance(2000)
    expect(values()).toEqual(['ann'])
  })

  test('if the watch shows no list changes, a join asks the sidecar after a second', async () => {
    const { mock, players, values } = await play({ mock: { mode: 'local' }, client: { verifyInterval: 0 } })
    const join = fate(players.join('ann'))
    await mock.advance(900)
    expect(join.now).toBe('pending')
    await mock.advance(1100)
    expect(join.now).toBe('joined')
    expect(values()).toEqual(['ann'])
    mock.expect('addListValue', 1)
  })

  test('the counter follows the number of players, and is corrected when it is written from outside', async () => {
    const { mock, players } = await play({ list: 'players', counter: 'seated' })
    const count = (): unknown => mock.gameServer.status.counters!['seated']!.count
    for (const id of ['ann', 'bob', 'cid']) void players.join(id)
    await mock.advance(3000)
    expect(count()).toBe('3')
    mock.control({ type: 'setCounter', name: 'seated', count: 1 })
    await mock.advance(3000)
    expect(count()).toBe('3')
    await players.leave('ann')
    await mock.advance(3000)
    expect(count()).toBe('2')
  })

  test('with only a counter a join resolves at once, up to its capacity', async () => {
    const { mock, players } = await play({ counter: 'seated', room: 2 })
    const joins = ['ann', 'bob', 'cid'].map((id) => fate(players.join(id)))
    await mock.advance(0)
    expect(joins.map(({ now }) => now)).toEqual(['joined', 'joined', 'OUT_OF_RANGE'])
    await mock.advance(2000)
    expect(mock.gameServer.status.counters!['seated']!.count).toBe('2')
    await players.leave('ann')
    await players.join('dan')
    expect(players.ids).toEqual(['bob', 'dan'])
    expect(mock.calls.filter(({ operation }) => /List/.test(operation))).toEqual([])
  })

  test('once the server is shutting down, joins reject and seats are still freed', async () => {
    const { mock, client, players, values } = await play({ values: ['ann'] })
    await players.join('ann')
    const shutdown = client.shutdown()
    await mock.advance(1000)
    await shutdown
    await expect(players.join('bob')).rejects.toMatchObject({ code: 'CLOSED', operation: 'join' })
    mock.control({ type: 'setList', name: 'players', values: ['ann', 'cid'] })
    await mock.advance(100)
    expect(players.expected).toEqual([])
    expect(await players.leave('ann')).toBe('left')
    await mock.advance(2000)
    expect(values()).toEqual(['cid'])
  })

  test.each(['client', 'tracker'] as const)('a closed %s settles every join and stops all writes', async (which) => {
    const { mock, client, players, calls } = await play()
    mock.fail('addListValue', { network: 'timeout' })
    const join = fate(players.join('ann'))
    await mock.advance(100)
    if (which === 'client') client.close()
    else players.close()
    await mock.advance(0)
    expect(join.now).toBe('CLOSED')
    await expect(players.join('bob')).rejects.toMatchObject({ code: 'CLOSED' })
    expect(await players.leave('ann')).toBe('absent')
    await mock.advance(60_000)
    expect(calls()).toEqual(['addListValue ann'])
  })
})

/** A state without a client, in which each change is a turn of its own. */
function stateOf(...changes: ((state: PlayersState) => void)[]): PlayersState {
  const state = createPlayersState({ list: 'players', limit: Infinity })
  for (const change of changes)
    for (const make of [change, kind.turn]) {
      make(state)
      settle(state, kind)
    }
  return state
}

const leave = (id: string) => (state: PlayersState) => quit(state, id, new SidecarError('ABORTED', 'left'))

test.each([
  ['a tick before is written, so its value beside an allocation is no promise', 1, []],
  ['just before may be forgotten, so its value beside an allocation is a promise', 0, ['ann']],
])('when the watch reconnects, an add for who has left that was accepted %s', (_, ticks, expected) => {
  const state = stateOf(
    (state) => shown(state, kind, objectOf({ values: [], version: 1, allocation: 0 })),
    (state) => join(state, 'ann'),
    (state) => answered(state, kind, 'ann'),
    (state) => ticks && tick(state),
    leave('ann'),
    (state) => connection(state, false),
    (state) => connection(state, true),
    (state) => shown(state, kind, objectOf({ values: ['ann', 'bob'], version: 3, allocation: 1 })),
  )
  expect(idsIn(state, 'expected')).toEqual([...expected, 'bob'])
})

test('an add that a full list refuses waits for the removal that makes room', () => {
  const state = stateOf(
    (state) => shown(state, kind, objectOf({ values: ['ann'], version: 1, allocation: 0 })),
    (state) => join(state, 'ann'),
    (state) => join(state, 'bob'),
    leave('ann'),
    (state) => answered(state, kind, 'bob', new SidecarError('OUT_OF_RANGE', 'The list is full')),
  )
  expect(idsIn(state, 'joining')).toEqual(['bob'])
})

test('a call that timed out is not waited for after the watch has reconnected', () => {
  const cause = new SidecarError('TIMEOUT', 'No answer')
  const state = stateOf(
    (state) => shown(state, kind, objectOf({ values: [], version: 1, allocation: 0 })),
    (state) => join(state, 'ann'),
    (state) => answered(state, kind, 'ann', new SidecarError('ABORTED', 'No answer in time', { cause })),
    (state) => connection(state, false),
    (state) => connection(state, true),
    (state) => shown(state, kind, objectOf({ values: ['ann'], version: 2, allocation: 0 })),
  )
  expect(idsIn(state, 'here')).toEqual(['ann'])
  expect([...state.writes.keys()]).toEqual([])
})

test.each(['many', {}])('a malformed capacity of %j counts as no seats', (capacity) => {
  const state = stateOf(
    (state) => shown(state, kind, objectOf({ values: [], version: 1, allocation: 0 }, capacity)),
    (state) => join(state, 'ann'),
  )
  expect(state.effects).toContainEqual(['settle', { id: 'ann' }, expect.objectContaining({ code: 'OUT_OF_RANGE' })])
})

test('a join before the first object gets no seat if the GameServer lacks the counter', async () => {
  const sidecar = await startSidecar()
  const players = trackPlayers(connectClient(sidecar), { counter: 'nope' })
  players.on('error', () => {})
  const joins = await Promise.allSettled(['ann', 'bob'].map((id) => players.join(id)))
  expect(joins).toMatchObject([{ reason: { code: 'NOT_FOUND' } }, { reason: { code: 'NOT_FOUND' } }])
  expect(players.ids).toEqual([])
})

test('a player who leaves and rejoins in the same turn keeps the seat without a write', async () => {
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

test('hundreds of joins in one turn on a full list are refused without a call, and leave nothing pending', async () => {
  const { mock, client, players, calls } = await play({ values: ['a', 'b', 'c', 'd'] })
  const waits = vi.spyOn(client, 'once')
  const joins = Promise.allSettled(Array.from({ length: 300 }, (_, index) => players.join(`p${index}`)))
  await mock.advance(0)
  const fates = (await joins).map((join) => join.status === 'rejected' && (join.reason as { code: string }).code)
  expect(new Set(fates)).toEqual(new Set(['OUT_OF_RANGE']))
  await mock.advance(0)
  expect(waits.mock.settledResults.map(({ type }) => type)).not.toContain('incomplete')
  expect(calls()).toEqual([])
})

describe('endWhenEmpty', () => {
  test('shuts an Allocated server down once its last player has left, and not before', async () => {
    const { mock, players, promise, seat, state } = await play({ endWhenEmpty: true })
    await seat('ann')
    promise('bob')
    await players.leave('ann')
    await mock.advance(30_000)
    expect(state()).toBe('Allocated')
    await players.join('bob')
    await mock.advance(90_000)
    expect(state()).toBe('Allocated')
    await players.leave('bob')
    await mock.advance(4000)
    expect(state()).toBe('Allocated')
    await mock.advance(3000)
    expect(state()).toBe('Shutdown')
  })

  test('shuts a server down after noShow if its allocation promises no seat', async () => {
    const { mock, state } = await play({ endWhenEmpty: true, noShow: 10_000 })
    await mock.advance(60_000)
    expect(state()).toBe('Ready')
    mock.allocate()
    await mock.advance(8000)
    expect(state()).toBe('Allocated')
    await mock.advance(4000)
    expect(state()).toBe('Shutdown')
  })

  test('keeps a server whose list is missing, and a server that is no longer tracked', async () => {
    const options = { endWhenEmpty: { after: 1000, grace: 1000 } }
    const [listless, closed] = [await play({ ...options, list: 'seats' }), await play(options)]
    closed.players.close()
    for (const game of [listless, closed]) {
      game.mock.allocate()
      await game.mock.advance(60_000)
      expect(game.state()).toBe('Allocated')
    }
  })
})
