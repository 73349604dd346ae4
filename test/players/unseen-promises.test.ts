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

test.each([
  ['its answer was lost', { type: 'failCalls', drop: true, apply: true, count: 1 }],
  ['it was accepted', { type: 'clearFaults' }],
] as const)(
  'a seat that was left is kept for who is promised it while the watch is cut: %s (virtual time)',
  async (_, fault) => {
    const { mock, client } = play({ gameServer })
    const players = trackPlayers(client)
    await mock.advance(1000)
    const join = players.join('ann')
    await mock.advance(1000)
    expect(await join).toBe('joined')
    mock.control(fault)
    mock.control({ type: 'stallWatchers', ms: 700 })
    await players.leave('ann')
    await mock.advance(600)
    mock.dropWatch()
    mock.allocate({ lists: { players: { addValues: ['ann'] } } })
    await mock.advance(5000)
    expect(players.expected).toEqual(['ann'])
    expect(mock.gameServer.status.lists?.['players']?.values).toEqual(['ann'])
    expect(await players.join('ann')).toBe('expected')
    mock.expect('removeListValue', 1)
  },
)

test('a removal that was lost is made again, when the sidecar says that it has not come (virtual time)', async () => {
  const { mock, client } = play({ gameServer })
  const players = trackPlayers(client)
  await mock.advance(1000)
  const join = players.join('ann')
  await mock.advance(1000)
  await join
  mock.control({ type: 'failCalls', drop: true, count: 1 })
  await players.leave('ann')
  await mock.advance(3000)
  expect(mock.gameServer.status.lists?.['players']?.values).toEqual([])
  expect(players.expected).toEqual([])
})
