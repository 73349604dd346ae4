import { expect, test } from 'vitest'
import { trackPlayers, type PlayersOptions } from '../../src/players/index.js'
import type { GameServerStatus } from '../../src/protocol/game-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

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

test.each([
  [5, []],
  ['abc', []],
  [{ a: 1 }, []],
  [[1, null, '', 'ann', {}], ['ann']],
])('a list whose values are %j promises %j', async (values, expected) => {
  const players = await playersOf({ lists: { players: { capacity: '4', values } } })
  expect(players.expected).toEqual(expected)
})

test.each(['many', '', null, undefined, {}, '-3'])('a capacity of %j has no seat', async (capacity) => {
  const players = await playersOf({ lists: { players: { capacity, values: [] } } })
  await expect(players.join('ann')).rejects.toMatchObject({ code: 'OUT_OF_RANGE' })
  const counted = await playersOf({ counters: { heads: { count: '0', capacity } } }, { counter: 'heads' })
  await expect(counted.join('ann')).rejects.toMatchObject({ code: 'OUT_OF_RANGE' })
})

test('a list or counter by a name that objects inherit is one that the GameServer lacks', async () => {
  const players = await playersOf({ lists: {} }, { list: 'constructor', counter: 'toString' })
  expect(players.expected).toEqual([])
  await expect(players.join('ann', { timeout: 500 })).rejects.toMatchObject({ operation: 'join' })
  expect(players.ids).toEqual([])
})
