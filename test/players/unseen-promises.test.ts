import { expect, test } from 'vitest'
import { trackPlayers } from '../../src/players/index.js'
import { play } from '../mock/support.js'

const LIST = { players: { capacity: 2, values: [] } }
const gameServer = { spec: { health: { disabled: true } }, status: { state: 'Ready', lists: LIST } }

test('a join that is given up keeps the seat that was promised meanwhile (virtual time)', async () => {
  const { mock, client } = play({ gameServer })
  const players = trackPlayers(client)
  await mock.advance(1000)
  mock.control({ type: 'delayCalls', ms: 3000, operations: ['addListValue'] })
  const outcome = players.join('ann', { timeout: 500 }).catch((error: unknown) => (error as { code: string }).code)
  await mock.advance(100)
  mock.control({ type: 'stallWatchers', ms: 200 })
  mock.allocate({ lists: { players: { addValues: ['ann'] } } })
  await mock.advance(10_000)
  await outcome
  expect(mock.gameServer.status.lists?.['players']?.values).toEqual(['ann'])
})
