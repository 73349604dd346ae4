import { expect, test, describe } from 'vitest'
import { type GameServer } from '../../src/index.js'
import { type LocalSidecar, type LocalSidecarOptions } from '../../src/node/index.js'
import { type SessionsOptions } from '../../src/players/index.js'
import { type ControlCommand, type GameServerAllocation } from '../../src/sidecar/index.js'
import { calls, connectClient, connectPage, startSidecar } from '../support/with-sidecar.js'
import { ROOM, ROOMS, track, type Tracked, allocate, endAll, play } from './sessions-support.js'

interface Played extends Tracked {
  readonly sidecar: LocalSidecar
  control(command: ControlCommand): void
  /** Resolves once the watch shows it. */
  shows(state: string, predicate?: (gameServer: GameServer) => boolean): Promise<GameServer>
  count(count: number): Promise<unknown>
}

/** A local sidecar whose writes take 10 ms, and the sessions of its GameServer, which is Ready. */
async function playOnPort(options: Partial<SessionsOptions>, local: LocalSidecarOptions = {}): Promise<Played> {
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
  const { control, count, sessions, begun } = await playOnPort({ counter: 'rooms' })
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
  const before = await playOnPort({ counter: 'rooms' })
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
  const { sidecar, shows, sessions, begun } = await playOnPort({ label: 'gs-session-ready', maxSessions: 2 })
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
  const { sidecar, control, shows, begun } = await playOnPort({ thenShutdown: 2 })
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
  const { control, shows, sessions, errors } = await playOnPort({ counter: 'matches', maxSessions: 4 })
  control({ type: 'allocate' })
  await shows('Allocated')
  await expect.poll(() => errors).toMatchObject([{ code: 'NOT_FOUND' }])
  expect(errors[0]!.hint).toContain('spec:\n  counters:\n    matches:\n      capacity: 4')
  expect(sessions.active).toHaveLength(1)
})

test('without the feature gate it says so at once', async () => {
  const { errors } = await playOnPort({ counter: 'rooms' }, { featureGates: { CountsAndLists: false } })
  await expect.poll(() => errors).toMatchObject([{ code: 'FEATURE_DISABLED' }])
})

test.each([{ counter: 'rooms' }, { label: 'free' }])('in direct mode %j is one error at once', async (options) => {
  const sidecar = await startSidecar({ gameServer: ROOMS })
  const { errors, client } = track(connectPage(sidecar, { crossOrigin: 'direct' }), options)
  await client.waitFor(() => true)
  await expect.poll(() => errors).toMatchObject([{ code: 'CROSS_ORIGIN' }])
})

test('a closed client leaves nothing running, and its sessions can still be ended', async () => {
  const { control, count, client, begun, sidecar } = await playOnPort({ counter: 'rooms' })
  control({ type: 'allocate', ...ROOM })
  await count(1)
  client.close()
  expect(await begun[0]!.end()).toBe('ended')
  await new Promise(setImmediate)
  expect(calls(sidecar)).not.toContain('updateCounter')
})

describe('thenShutdown', () => {
  test('n with a counter: after the n-th start there is no place, and Shutdown once all have ended', async () => {
    const game = await play({ counter: 'rooms', thenShutdown: 3 })
    await allocate(game, 3)
    await game.mock.advance(1000)
    expect([game.count(), game.capacity(), game.sessions.full]).toEqual([3, 3, true])
    await game.sessions.active[0]!.end()
    await game.mock.advance(1000)
    expect([game.count(), game.capacity()]).toEqual([2, 2])
    expect(game.mock.gameServer.status.state).toBe('Allocated')
    await endAll(game)
    await game.mock.advance(1000)
    expect(game.mock.gameServer.status.state).toBe('Shutdown')
  })

  test('last: Shutdown when the last of those that run has ended', async () => {
    const game = await play({ counter: 'rooms', thenShutdown: 'last' })
    await allocate(game, 2)
    await game.sessions.active[0]!.end()
    await game.mock.advance(2000)
    expect(game.mock.gameServer.status.state).toBe('Allocated')
    await endAll(game)
    await game.mock.advance(1000)
    expect(game.mock.gameServer.status.state).toBe('Shutdown')
  })

  test('a shutdown() that got lost is sent again', async () => {
    const game = await play({ thenShutdown: 'last' })
    game.mock.allocate()
    await game.mock.advance(100)
    await endAll(game)
    await game.mock.advance(100)
    game.mock.restart()
    await game.mock.advance(5000)
    expect(game.mock.gameServer.status.state).toBe('Shutdown')
  })
})

describe('a session that comes when the last one has just ended is served', () => {
  const FREE = 'agones.dev/sdk-free'
  test.each<[how: string, options: Partial<SessionsOptions>]>([
    ['counter, last', { counter: 'rooms', thenShutdown: 'last' }],
    ['counter and label, last', { counter: 'rooms', label: 'free', thenShutdown: 'last' }],
    ['label, last', { label: 'free', maxSessions: 3, thenShutdown: 'last' }],
    ['counter, n', { counter: 'rooms', thenShutdown: 1 }],
    ['label, n', { label: 'free', maxSessions: 3, thenShutdown: 1 }],
  ])('%s', async (_, options) => {
    for (let moment = 0; moment < 1300; moment += 194) {
      const game = await play(options)
      const come = (): boolean => {
        try {
          if (options.counter && game.count() >= game.capacity()) return false
          if (options.label && game.label('free') !== 'true') return false
          game.mock.allocate({
            ...(options.counter ? ROOM : {}),
            ...(options.label && { labels: { [FREE]: 'false' } }),
          })
          return true
        } catch {
          return false
        }
      }
      expect(come()).toBe(true)
      await game.mock.advance(moment % 2 ? 20 : 1500)
      await endAll(game)
      await game.mock.advance(moment)
      const hasCome = come()
      await game.mock.advance(5000)
      const { state } = game.mock.gameServer.status
      expect({ moment, hasCome, state }).toEqual({ moment, hasCome, state: hasCome ? 'Allocated' : 'Shutdown' })
      if (!hasCome) continue
      expect(game.sessions.active).toHaveLength(1)
      // After `last` there are places again beside it.
      if (options.thenShutdown === 'last') {
        if (options.counter) expect([game.count(), game.capacity()]).toEqual([1, 10])
        if (options.label) expect(game.label('free')).toBe('true')
      }
      await endAll(game)
      await game.mock.advance(5000)
      expect(game.mock.gameServer.status.state).toBe('Shutdown')
    }
  })
})

test('a session that is not touched for the time of idle ends, is told as ended, and frees its place', async () => {
  const game = await play({ counter: 'rooms', idle: 5000 })
  const ended: string[] = []
  game.sessions.on('ended', ({ id }) => ended.push(id))
  await allocate(game, 2)
  const [quiet, lively] = game.begun
  for (let seconds = 0; seconds < 8; seconds += 2) {
    lively!.touch()
    await game.mock.advance(2000)
  }
  expect(ended).toEqual([quiet!.id])
  expect([game.sessions.active, game.count()]).toEqual([[lively], 1])
  expect(await quiet!.end()).toBe('absent')
  await game.mock.advance(6000)
  expect(ended).toEqual([quiet!.id, lively!.id])
  expect(game.count()).toBe(0)
})

test('a session that has ended is not ended again by idle or touch, and without idle none ends by itself', async () => {
  const game = await play({ counter: 'rooms', idle: 5000 })
  const ended: string[] = []
  game.sessions.on('ended', ({ id }) => ended.push(id))
  await allocate(game, 1)
  await game.begun[0]!.end()
  game.begun[0]!.touch()
  await game.mock.advance(20_000)
  expect(ended).toHaveLength(1)

  const patient = await play({ counter: 'rooms' })
  await allocate(patient, 1)
  await patient.mock.advance(10 * 60_000)
  expect(patient.sessions.active).toHaveLength(1)
})

test.each([0, -1, NaN, 'soon'])('idle: %s is refused', async (idle) => {
  await expect(play({ counter: 'rooms', idle: idle as number })).rejects.toThrow('idle must be above 0; got ')
})
