import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { createClient, type SidecarClient } from '../../src/index.node.js'
import { createMock } from '../../src/platform/mock.js'
import { createLocalSidecar } from '../../src/node.js'
import { trackPlayers, trackSessions } from '../../src/players/index.js'
import { localWorld, mockWorld } from './support/sidecar-world.js'
import { runSoak, type Library, type SoakOptions, type SoakResult } from './support/soak.js'
import { gameServerOf, type World } from './support/world.js'

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
): Promise<SoakResult> {
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

  /** A client that reports no connection changes and can't be asked about the fate of a write. */
  const silent = (client: SidecarClient): SidecarClient =>
    Object.assign(Object.create(client) as SidecarClient, {
      on: (type: never, listener: never) => (type === 'connection' ? () => {} : client.on(type, listener)),
      getGameServer: () => Promise.reject(new Error('not told')),
    })

  it.each<[string, Trackers]>([
    ['players', { trackPlayers: (client, options) => trackPlayers(silent(client), options) }],
    ['sessions', { trackSessions: (client, options) => trackSessions(silent(client), options) }],
  ])('a tracker of %s that never finds out what became of a write is caught', async (_, trackers) => {
    const options = { ...virtual, seed: 1, steps: 200, atMost: 30_000 }
    const { violations } = await soak({ onTestFinished }, onMock(1), trackers, options)
    expect(violations.map(({ what }) => what)).toContainEqual(expect.stringContaining('no agreement'))
  })
})

it('no seat is lost, doubled or beyond the capacity, and no session is lost or doubled, on a port', async (context) => {
  const world = localWorld(await createLocalSidecar({ gameServer, onWarning: () => {} }))
  const { violations, kills } = await soak(context, world, { trackPlayers, trackSessions }, real)
  expect(violations).toEqual([])
  expect(kills).toBeGreaterThan(1)
})
