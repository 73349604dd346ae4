/**
 * Checks that list, counters and game agree after 10,000 random joins and leaves of 64 players, with foreign
 * allocations, a sidecar that is killed every 2 s, dropped responses and writes that are 3 s late. Counts the calls per
 * join.
 *
 *   npm run bench -- players [--quick]       SOAK_SEED=… takes the same draws again
 */
import { createClient } from '../dist/index.js'
import { createMock } from '../dist/mock.js'
import { createLocalSidecar } from '../dist/node.js'
import { trackPlayers, trackSessions } from '../dist/players.js'
import { loadHarness } from './support/players-harness.mjs'
import { round } from './support/statistics.mjs'

export const title = 'Players and sessions while everything breaks'

/** The longest time from the sidecar's return until list, counters and game agree, in ms */
const LATEST_AGREEMENT = 3000
const SIZES = { seats: 40, rooms: 8 }
const CHAOS = { killEvery: 2000, down: 150, late: 3000 }
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31))

export async function measure({ quick }) {
  const harness = await loadHarness()
  const gameServer = harness.gameServerOf(SIZES)
  const onPort = async () => harness.localWorld(await createLocalSidecar({ gameServer, onWarning: () => {} }))
  const mock = () => createMock({ gameServer, seed })
  const library = { createClient, trackPlayers, trackSessions }
  const run = (world, options) =>
    harness.runSoak(library, world, { seed, allocateEvery: 200, sessionMs: 1200, noShow: 3000, ...options })

  const rows = []
  const real = { steps: quick ? 500 : 10_000, atMost: quick ? 10_000 : 120_000, pause: 300, chaos: CHAOS }
  rows.push(await soak('local sidecar on a port', await onPort(), run, real))
  const virtual = { steps: quick ? 2000 : 100_000, pause: 400, chaos: CHAOS }
  rows.push(await soak('mock, in virtual time', harness.mockWorld(mock()), run, virtual))
  rows.push(await joinsWithoutFaults(mock(), harness, quick ? 50 : 500))
  return rows
}

async function soak(name, world, run, options) {
  const result = await run(world, options)
  await world.close()
  const of = (kind) => result.violations.filter(({ what }) => what.startsWith(`${kind}: `)).length
  for (const { at, what } of result.violations.slice(0, 20)) {
    console.error(`SOAK_SEED=${seed} ${name}, ${at} ms: ${what}`)
  }
  const [over, doubled, lost] = ['over capacity', 'doubled', 'lost'].map(of)
  const isLate = !(result.agreedAfter <= LATEST_AGREEMENT)
  if (isLate) console.error(`SOAK_SEED=${seed} ${name}: agreed after ${result.agreedAfter} ms`)
  if (isLate || result.violations.length > 0) process.exitCode = 1
  return {
    run: name,
    'joins and leaves': result.joins + result.leaves,
    allocations: result.allocations,
    'seats promised': result.promises,
    'no-shows': result.noShows,
    kills: result.kills,
    'other faults': result.faults,
    'objects seen': result.objects,
    'agreed after ms': result.agreedAfter,
    'over capacity': over,
    duplicates: doubled,
    lost,
    disagreements: result.violations.length - over - doubled - lost,
  }
}

/** Players join and leave one after the other, without faults. */
async function joinsWithoutFaults(mock, { LIST, mockWorld }, times) {
  const world = mockWorld(mock)
  const client = createClient(world.clientOptions)
  client.on('gameserver', () => {})
  const players = trackPlayers(client, { list: LIST })
  const start = world.now()
  let joined = 0
  let left = 0
  const joinNext = async () => {
    while (joined < times) {
      await players.join(`guest${joined++}`)
      await players.leave(`guest${left++}`)
    }
  }
  const everybody = joinNext()
  await world.run(() => left >= times)
  await everybody
  const elapsed = world.now() - start
  const calls = mock.calls.filter(({ operation }) => /addListValue|updateCounter/.test(operation)).length
  players.close()
  client.close()
  await world.close()
  return {
    run: 'joins without faults',
    joins: joined,
    'calls a join': round(calls / joined, 2),
    'ms a join': round(elapsed / joined, 0),
  }
}
