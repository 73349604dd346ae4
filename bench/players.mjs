/**
 * Counts the calls per join, and how long a join takes beside a sidecar that writes after half a second. Time is
 * virtual. What holds while everything breaks is asserted by test/players/soak.slow.test.ts.
 *
 *   npm run bench -- players [--quick]
 */
import { createClient } from '../dist/index.js'
import { createMock } from '../dist/mock.js'
import { trackPlayers } from '../dist/players.js'
import { round } from './support/statistics.mjs'

export const title = 'Players who join and leave'

export async function measure({ quick }) {
  const times = quick ? 50 : 500
  const status = { state: 'Ready', lists: { players: { capacity: 40, values: [] } } }
  const mock = createMock({ gameServer: { spec: { health: { disabled: true } }, status } })
  const client = createClient(mock.options)
  const players = trackPlayers(client, { list: 'players' })
  const start = mock.now
  let left = 0
  const everybody = (async () => {
    for (; left < times; left++) {
      await players.join(`guest${left}`)
      await players.leave(`guest${left}`)
    }
  })()
  while (left < times) await mock.advance(10)
  await everybody
  const calls = mock.calls.filter(({ operation }) => operation === 'addListValue').length
  const row = {
    joins: times,
    'calls a join': round(calls / times, 2),
    'ms a join': round((mock.now - start) / times, 0),
  }
  players.close()
  client.close()
  mock.close()
  return [row]
}
