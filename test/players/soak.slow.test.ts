import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { createMock } from '../../src/platform/mock.js'
import { createLocalSidecar } from '../../src/node.js'
import { trackPlayers, trackSessions } from '../../src/players/index.js'
import { runSoak, type Library, type SoakOptions } from './support/soak.js'
import { gameServerOf, localWorld, mockWorld, type World } from './support/world.js'

type Trackers = Omit<Library, 'createClient'>

const gameServer = gameServerOf({ seats: 40, rooms: 8 })
/** `SOAK_SEED=… npm run vitest -- --project slow soak` takes other draws. In virtual time a seed decides everything. */
const seed = Number(process.env['SOAK_SEED'] ?? 1)

const virtual: SoakOptions = {
  seed,
  steps: 2000,
  pause: 800,
  allocateEvery: 300,
  sessionMs: 2000,
  noShow: 3000,
  chaos: { killEvery: 2000, down: 150, late: 3000 },
}
const real: SoakOptions = {
  ...virtual,
  steps: Infinity,
  atMost: 5000,
  pause: 250,
  allocateEvery: 100,
  sessionMs: 600,
  noShow: 1000,
  chaos: { killEvery: 400, down: 50, late: 1000 },
}

async function soak(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  world: World,
  trackers: Trackers,
  options: SoakOptions,
) {
  onTestFinished(() => world.close())
  const result = await runSoak({ createClient, ...trackers }, world, options)
  return { ...result, violations: result.violations.slice(0, 12) }
}

const onMock = (drawn = seed): World => mockWorld(createMock({ gameServer, seed: drawn }))

// Runs in sequence, since these tests would leave no time to those on a real port.
describe('players and sessions under faults, in virtual time', () => {
  it.each([seed, 7, 8, 22, 35])(
    'no seat is lost, and 3 s after the last fault list and game agree (seed %i)',
    async (drawn) => {
      const result = await soak({ onTestFinished }, onMock(drawn), { trackPlayers }, { ...virtual, seed: drawn })
      expect(result.violations).toEqual([])
      expect(result.agreedAfter).toBeLessThanOrEqual(3000)
      expect(result.kills).toBeGreaterThan(3)
    },
  )

  it('the sessions add up', async (context) => {
    const { violations } = await soak(context, onMock(), { trackSessions }, { ...virtual, steps: 400 })
    expect(violations).toEqual([])
  })
})

it('no seat is lost, doubled or beyond the capacity, and no session is lost or doubled, on a port', async (context) => {
  const world = localWorld(await createLocalSidecar({ gameServer, onWarning: () => {} }))
  const { violations, kills } = await soak(context, world, { trackPlayers, trackSessions }, real)
  expect(violations).toEqual([])
  expect(kills).toBeGreaterThan(1)
})
