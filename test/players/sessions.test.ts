import { expect, test } from 'vitest'
import type { GameServer } from '../../src/index.js'
import type { LocalSidecar, LocalSidecarOptions } from '../../src/node/index.js'
import type { SessionsOptions } from '../../src/players/index.js'
import type { ControlCommand, GameServerAllocation } from '../../src/sidecar/index.js'
import { calls, connectClient, connectPage, startSidecar } from '../support/with-sidecar.js'
import { ROOM, ROOMS, track, type Tracked } from './sessions-support.js'

interface Played extends Tracked {
  readonly sidecar: LocalSidecar
  control(command: ControlCommand): void
  /** Resolves once the watch shows it. */
  shows(state: string, predicate?: (gameServer: GameServer) => boolean): Promise<GameServer>
  count(count: number): Promise<unknown>
}

/** A local sidecar whose writes take 10 ms, and the sessions of its GameServer, which is Ready. */
async function play(options: Partial<SessionsOptions>, local: LocalSidecarOptions = {}): Promise<Played> {
  const sidecar = await startSidecar({ gameServer: ROOMS, ...local })
  sidecar.sidecar.control({ type: 'setState', state: 'Ready' })
  const played = trackOf(sidecar, options)
  await played.shows('Ready')
  return played
}

function trackOf(sidecar: LocalSidecar, options: Partial<SessionsOptions>): Played {
  const client = connectClient(sidecar)
  const control = (command: ControlCommand): void => void sidecar.control(command)
  control({ type: 'setClock', speed: 50 })
  const shows: Played['shows'] = (state, predicate = () => true) =>
    client.waitFor((gameServer) => gameServer.status.state === state && predicate(gameServer))
  return {
    ...track(client, options),
    sidecar,
    control,
    shows,
    count: (count) => client.waitFor(({ status }) => status.counters?.['rooms']?.count === String(count)),
  }
}

test('each allocation starts a session that knows what came with it, and its end gives its place back', async () => {
  const { control, count, sessions, begun } = await play({ counter: 'rooms' })
  control({ type: 'allocate', ...ROOM, annotations: { map: 'arena' } })
  await count(1)
  control({ type: 'allocate', ...ROOM, annotations: { map: 'desert' } })
  await count(2)
  expect(begun.map(({ allocation }) => allocation.annotations['map'])).toEqual(['arena', 'desert'])
  expect(new Set(begun.map(({ id }) => id)).size).toBe(2)
  expect(sessions.active).toEqual(begun)

  expect(await begun[0]!.end()).toBe('ended')
  expect(await begun[0]!.end()).toBe('absent')
  expect(sessions.active).toEqual([begun[1]])
  await count(1)
})

test('a game whose process was restarted goes on with as many sessions as the counter says', async () => {
  const before = await play({ counter: 'rooms' })
  for (let sessions = 1; sessions <= 3; sessions++) {
    before.control({ type: 'allocate', ...ROOM })
    await before.count(sessions)
  }
  before.client.close()
  const { sessions, begun, count } = trackOf(before.sidecar, { counter: 'rooms' })
  await count(3)
  expect(sessions.active).toHaveLength(3)
  await Promise.all(begun.map((session) => session.end()))
  await count(0)
})

test('by label: the allocation locks the server by its manifest, and the game unlocks it while another session may come', async () => {
  const ready = 'agones.dev/sdk-gs-session-ready'
  const manifest: GameServerAllocation = {
    spec: {
      selectors: [{ matchLabels: { [ready]: 'true' }, gameServerState: 'Allocated' }, { gameServerState: 'Ready' }],
      metadata: { labels: { [ready]: 'false' } },
    },
  }
  const { sidecar, shows, sessions, begun } = await play({ label: 'gs-session-ready', maxSessions: 2 })
  const isUnlocked = ({ object_meta }: GameServer): boolean => object_meta.labels?.[ready] === 'true'
  const allocate = (): boolean => sidecar.sidecar.control({ type: 'allocate', manifest }).ok
  await shows('Ready', isUnlocked)

  expect(allocate()).toBe(true)
  await shows('Allocated', isUnlocked)
  expect(allocate()).toBe(true)
  await shows('Allocated', (gameServer) => !isUnlocked(gameServer))
  expect(sessions.full).toBe(true)
  expect(allocate()).toBe(false)

  await begun[0]!.end()
  await shows('Allocated', isUnlocked)
  expect(sessions.full).toBe(false)
})

test('without counter and label the server is reused: Ready after each session, Shutdown after the last of thenShutdown', async () => {
  const { sidecar, control, shows, begun } = await play({ thenShutdown: 2 })
  control({ type: 'allocate' })
  await shows('Allocated')
  await begun[0]!.end()
  await shows('Ready')
  control({ type: 'allocate' })
  await shows('Allocated')
  await begun[1]!.end()
  await shows('Shutdown')
  expect(calls(sidecar).filter((operation) => operation === 'ready' || operation === 'shutdown')).toEqual([
    'ready',
    'shutdown',
  ])
})

test('a counter that the GameServer lacks is one error, with the YAML to add, and sessions start all the same', async () => {
  const { control, shows, sessions, errors } = await play({ counter: 'matches', maxSessions: 4 })
  control({ type: 'allocate' })
  await shows('Allocated')
  await expect.poll(() => errors).toMatchObject([{ code: 'NOT_FOUND' }])
  expect(errors[0]!.hint).toContain('spec:\n  counters:\n    matches:\n      capacity: 4')
  expect(sessions.active).toHaveLength(1)
})

test('without the feature gate it says so at once', async () => {
  const { errors } = await play({ counter: 'rooms' }, { featureGates: { CountsAndLists: false } })
  await expect.poll(() => errors).toMatchObject([{ code: 'FEATURE_DISABLED' }])
})

test.each([{ counter: 'rooms' }, { label: 'free' }])('in direct mode %j is one error at once', async (options) => {
  const sidecar = await startSidecar({ gameServer: ROOMS })
  const { errors, client } = track(connectPage(sidecar, { crossOrigin: 'direct' }), options)
  await client.waitFor(() => true)
  await expect.poll(() => errors).toMatchObject([{ code: 'CROSS_ORIGIN' }])
})

test('a closed client leaves nothing running, and its sessions can still be ended', async () => {
  const { control, count, client, begun, sidecar } = await play({ counter: 'rooms' })
  control({ type: 'allocate', ...ROOM })
  await count(1)
  client.close()
  expect(await begun[0]!.end()).toBe('ended')
  await new Promise(setImmediate)
  expect(calls(sidecar)).not.toContain('updateCounter')
})
