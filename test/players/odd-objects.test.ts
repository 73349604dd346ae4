import { expect, test } from 'vitest'
import { trackPlayers, type PlayersOptions } from '../../src/players/index.js'
import type { GameServerStatus } from '../../src/protocol/game-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'
import { play } from './players-support.js'

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

test('thousands of joins in one turn on a full list are refused without a call, and leave nothing waiting', async () => {
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
  const joins = Promise.allSettled(Array.from({ length: 3000 }, (_, index) => players.join(`p${index}`)))
  await mock.advance(0)
  const fates = (await joins).map((join) => join.status === 'rejected' && (join.reason as { code: string }).code)
  expect(new Set(fates)).toEqual(new Set(['OUT_OF_RANGE']))
  await mock.advance(0)
  expect(waits).toBe(0)
  expect(calls()).toEqual([])
})
