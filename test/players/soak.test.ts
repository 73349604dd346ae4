import { expect, it } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { createMock } from '../../src/mock/index.js'
import { trackPlayers, trackSessions } from '../../src/players/index.js'
import { mockWorld } from './support/sidecar-world.js'
import { runSoak } from './support/soak.js'
import { gameServerOf } from './support/world.js'

const SIZES = { seats: 16, rooms: 8 }

/** `SEEDS=100` tries more of them; `soak.slow.test.ts` goes on for longer. */
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 1) }, (_, index) => index + 1)

it.each(
  [
    ['seats', { trackPlayers }],
    ['sessions', { trackSessions }],
  ].flatMap(([what, library]) => SEEDS.map((seed) => [what, seed, library] as const)),
)(
  'none of the %s is lost under faults, and 3 s after the last fault all agree, in virtual time (seed %i)',
  async (_, seed, library) => {
    const world = mockWorld(createMock({ gameServer: gameServerOf(SIZES), seed }))
    const { violations, agreedAfter, kills, faults } = await runSoak({ createClient, ...(library as object) }, world, {
      seed,
      steps: 300,
      atMost: 30_000,
      players: 30,
      pause: 800,
      allocateEvery: 300,
      sessionMs: 2000,
      noShow: 3000,
      chaos: { killEvery: 2000, down: 150, late: 3000 },
    })
    await world.close()
    expect(violations).toEqual([])
    expect(agreedAfter).toBeLessThanOrEqual(3000)
    expect(Math.min(kills, faults)).toBeGreaterThan(2)
  },
)
