import { describe, expect, it, type TestContext } from 'vitest'
import { createClient, type SidecarClient } from '../../src/index.node.js'
import { createMock } from '../../src/mock/index.js'
import { createLocalSidecar } from '../../src/node/index.js'
import { trackPlayers, trackSessions } from '../../src/players/index.js'
import { binaries } from '../contract/support/releases.js'
import { announceMissing } from '../contract/support/targets.js'
import { startRealWorld } from './support/real-world.js'
import { localWorld, mockWorld } from './support/sidecar-world.js'
import { runSoak, type Library, type SoakOptions, type SoakResult } from './support/soak.js'
import { gameServerOf, type World } from './support/world.js'

const SIZES = { seats: 40, rooms: 8 }
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
/** What the real sidecar is told within half a second before its end is lost, and it takes a moment to start. */
const onReal: SoakOptions = { ...real, chaos: { killEvery: 900, down: 50, late: 1000 } }

async function soak(
  { onTestFinished }: TestContext,
  world: World,
  library: Omit<Library, 'createClient'>,
  options: SoakOptions,
): Promise<SoakResult> {
  onTestFinished(() => world.close())
  return runSoak({ createClient, ...library }, world, options)
}
const onMock = (mockSeed = seed): World => mockWorld(createMock({ gameServer: gameServerOf(SIZES), seed: mockSeed }))
const onPort = async (): Promise<World> =>
  localWorld(await createLocalSidecar({ gameServer: gameServerOf(SIZES), onWarning: () => {} }))

const told = ({ violations }: SoakResult) => violations.slice(0, 12)

// One after the other: they leave no time to those on a real port.
describe('players and sessions while everything breaks', () => {
  it.each([seed, 7, 8, 22, 35])(
    'no seat is lost, and 3 s after the last fault list, counter and game agree, in virtual time (seed %i)',
    async (drawn) => {
      const world = onMock(drawn)
      const result = await runSoak({ createClient, trackPlayers }, world, { ...virtual, seed: drawn })
      await world.close()
      expect(told(result)).toEqual([])
      expect(result.agreedAfter).toBeLessThanOrEqual(3000)
      expect(result.kills).toBeGreaterThan(3)
    },
  )

  it('the sessions add up, in virtual time', async (context) => {
    const result = await soak(context, onMock(), { trackSessions }, { ...virtual, steps: 400 })
    expect(told(result)).toEqual([])
  })
})

/** A client that tells nothing of its connection, and that can't be asked what became of a write. */
const silent = (client: SidecarClient): SidecarClient =>
  Object.assign(Object.create(client) as SidecarClient, {
    on: (type: never, listener: never) => (type === 'connection' ? () => {} : client.on(type, listener)),
    getGameServer: () => Promise.reject(new Error('not told')),
  })

it.each<[string, Omit<Library, 'createClient'>]>([
  ['players', { trackPlayers: (client, options) => trackPlayers(silent(client), options) }],
  ['sessions', { trackSessions: (client, options) => trackSessions(silent(client), options) }],
])('a tracker of %s that never finds out what became of a write is caught', async (_, library) => {
  const world = onMock(1)
  const result = await runSoak({ createClient, ...library }, world, { ...virtual, seed: 1, steps: 200, atMost: 30_000 })
  await world.close()
  expect(told(result)).toContainEqual({
    at: expect.any(Number) as number,
    what: expect.stringContaining('no agreement') as string,
  })
})

describe.concurrent('players and sessions while everything breaks, on a port', () => {
  it('no seat beyond the capacity, none lost or twice, no session lost or doubled', async (context) => {
    const result = await soak(context, await onPort(), { trackPlayers, trackSessions }, real)
    expect(told(result)).toEqual([])
    expect(result.kills).toBeGreaterThan(3)
  })
})

announceMissing('seats and sessions while everything breaks')

describe.each(binaries)('beside the real sidecar $release in production mode', { concurrent: true }, (binary) => {
  it('no seat beyond the capacity, none lost or twice, no session lost or doubled while its process is killed', async (context) => {
    const world = await startRealWorld(SIZES, seed, binary)
    const result = await soak(context, world, { trackPlayers, trackSessions }, onReal)
    expect(told(result)).toEqual([])
    expect(result.kills).toBeGreaterThan(1)
  })
})
