import { describe, expect, test, vi } from 'vitest'
import { createClient } from '../../src/index.js'
import { trackSessions, type SessionsOptions } from '../../src/players/index.js'
import { allocate, endAll, play, ROOM, ROOMS, track, type MockGame } from './sessions-support.js'

/** The differences that were sent, in order. */
const differences = ({ writes }: MockGame): unknown[] =>
  writes().flatMap(({ body }) => (body as { countDiff?: string } | undefined)?.countDiff ?? [])

describe('a difference is never sent twice', () => {
  test('all that end while one is on its way go together with the next', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 5)
    for (const session of game.sessions.active) {
      await session.end()
      await game.mock.advance(50)
    }
    await game.mock.advance(5000)
    expect(differences(game)).toEqual(['-1', '-4'])
    expect(game.count()).toBe(0)
  })

  test('an API server that is away for 35 s lands it late, and nothing is sent meanwhile', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 3)
    game.mock.control({ type: 'apiServer', away: true, ms: 35_000 })
    await game.sessions.active[0]!.end()
    await game.mock.advance(10_000)
    await game.sessions.active[0]!.end()
    await game.mock.advance(24_000)
    expect(differences(game)).toEqual(['-1'])
    await game.mock.advance(10_000)
    expect(differences(game)).toEqual(['-1', '-1'])
    expect(game.count()).toBe(1)
  })

  test.each([
    { fate: 'landed', apply: true, sent: ['-1'] },
    { fate: 'got lost', apply: false, sent: ['-1', '-1'] },
  ])('a call whose connection broke and that $fate is found out', async ({ apply, sent }) => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 1)
    game.mock.fail('updateCounter', { network: 'reset', apply, times: 1 })
    await endAll(game)
    await game.mock.advance(10_000)
    expect(differences(game)).toEqual(sent)
    expect(game.count()).toBe(0)
  })

  test('a call that timed out may still be held in the sidecar: nothing is sent for 40 s, or until it is restarted', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 1)
    game.mock.fail('updateCounter', { network: 'timeout', times: 1 })
    await endAll(game)
    await game.mock.advance(40_000)
    expect(differences(game)).toEqual(['-1'])
    game.mock.restart({ downMs: 1000 })
    await game.mock.advance(6000)
    expect(differences(game)).toEqual(['-1', '-1'])
    expect(game.count()).toBe(0)
  })

  test('one that the sidecar lost when it ended is sent again within 3 s of its return', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 2)
    await endAll(game)
    await game.mock.advance(100)
    game.mock.restart({ downMs: 2000 })
    await game.mock.advance(2000)
    expect(game.count()).toBe(2)
    await game.mock.advance(3000)
    expect(game.count()).toBe(0)
    expect(differences(game)).toEqual(['-2', '-2'])
  })

  test('one that landed beside an allocation while the watch was silent is not sent again', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 1)
    game.mock.control({ type: 'stallWatchers', ms: 6000 })
    await endAll(game)
    await game.mock.advance(700)
    await allocate(game, 1)
    await game.mock.advance(10_000)
    expect(differences(game)).toEqual(['-1'])
    expect([game.begun.length, game.sessions.active.length, game.count()]).toEqual([2, 1, 1])
  })
})

describe('each allocation is a session', () => {
  test.each([0, 1, 2, 3])(
    'of three that came while the watch was away none is lost, beside %i sessions that ended before',
    async (ended) => {
      const game = await play({ counter: 'rooms' })
      await allocate(game, 3)
      game.mock.control({ type: 'stallWatchers', ms: 3000 })
      await Promise.all(game.sessions.active.slice(0, ended).map((session) => session.end()))
      // What has ended is written, and the watch is cut before it tells.
      await game.mock.advance(700)
      game.mock.restart({ downMs: 2000 })
      game.mock.control({ type: 'releaseWatchers' })
      await allocate(game, 3)
      await game.mock.advance(10_000)
      expect([game.begun.length, game.sessions.active.length, game.count()]).toEqual([6, 6 - ended, 6 - ended])
      expect(differences(game)).toEqual(ended ? [`-${ended}`] : [])
    },
  )

  test.each([0, 2])('that brings %i of the counter starts one, and the counter is put right', async (amount) => {
    const game = await play({ counter: 'rooms' })
    game.mock.allocate(amount ? { counters: { rooms: { action: 'Increment', amount } } } : {})
    await game.mock.advance(2000)
    expect([game.begun.length, game.count()]).toEqual([1, 1])
    expect(differences(game)).toHaveLength(1)
  })

  test('a count from outside that can’t be right is put right by one difference', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 2)
    for (const count of [7, 0, 10]) {
      game.mock.control({ type: 'setCounter', name: 'rooms', count })
      await game.mock.advance(10_000)
      expect(game.count()).toBe(2)
    }
    expect(differences(game)).toEqual(['-5', '2', '-8'])
    expect(game.begun).toHaveLength(2)
  })

  test('an Allocated server with a counter of 0 starts none for a game that was restarted', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 1)
    await endAll(game)
    await game.mock.advance(2000)
    const second = createClient(game.mock.options)
    const { sessions } = track(second, { counter: 'rooms' })
    await game.mock.advance(1000)
    second.close()
    expect([sessions.started, game.count()]).toEqual([0, 0])
  })

  test('ids are unique', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 3)
    const ids = game.sessions.active.map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^[0-9]+-[123]$/)
  })
})

describe('maxSessions', () => {
  test('below the capacity of the counter becomes its capacity', async () => {
    const game = await play({ counter: 'rooms', maxSessions: 2 })
    expect(game.capacity()).toBe(2)
    const full: number[] = []
    game.sessions.on('full', ({ sessions }) => full.push(sessions))
    await allocate(game, 2)
    expect([full, game.sessions.full]).toEqual([[2], true])
  })

  test('above it, the capacity counts', async () => {
    const game = await play({ counter: 'rooms', maxSessions: 50 })
    expect(game.capacity()).toBe(10)
    await allocate(game, 10)
    expect(game.sessions.full).toBe(true)
  })

  test('more sessions than that start all the same, and the server counts as full until fewer run', async () => {
    const game = await play({ counter: 'rooms', maxSessions: 1 })
    game.mock.control({ type: 'setCounter', name: 'rooms', capacity: 3 })
    const full: number[] = []
    game.sessions.on('full', ({ sessions }) => full.push(sessions))
    await allocate(game, 3)
    await game.mock.advance(2000)
    expect([game.sessions.active.length, full]).toEqual([3, [1, 2, 3]])
    const places: number[] = []
    for (const session of game.sessions.active) {
      places.push(game.capacity() - game.count())
      await session.end()
      await game.mock.advance(2000)
    }
    expect(places).toEqual([0, 0, 0])
    expect([game.capacity(), game.count()]).toEqual([1, 0])
  })
})

test('without faults an end costs one call', async () => {
  const game = await play({ counter: 'rooms' })
  await allocate(game, 1)
  const before = game.mock.calls.length
  await endAll(game)
  await game.mock.advance(5000)
  const calls = game.mock.calls.slice(before).map(({ operation }) => operation)
  expect(calls).toEqual(['updateCounter'])
})

describe('label', () => {
  const LABEL = { 'agones.dev/sdk-free': 'false' }

  test('with a counter too, it is false while no other session may come', async () => {
    const game = await play({ counter: 'rooms', label: 'free', maxSessions: 2 })
    expect(game.label('free')).toBe('true')
    await allocate(game, 2)
    await game.mock.advance(1000)
    expect(game.label('free')).toBe('false')
    await endAll(game)
    await game.mock.advance(1000)
    expect(game.label('free')).toBe('true')
  })

  test('one that was lost, or changed from outside, is written again', async () => {
    const game = await play({ label: 'free' })
    game.mock.allocate({ labels: LABEL })
    await game.mock.advance(1000)
    game.mock.control({ type: 'loseWrites' })
    await endAll(game)
    await game.mock.advance(5000)
    expect(game.label('free')).toBe('true')
    game.mock.control({ type: 'setLabel', key: 'agones.dev/sdk-free', value: 'false' })
    await game.mock.advance(5000)
    expect(game.label('free')).toBe('true')
  })

  test('another label that the game sets doesn’t bring back a value from before the allocation', async () => {
    const game = await play({ label: 'free' })
    game.mock.allocate({ labels: LABEL })
    await game.mock.advance(1000)
    await game.client.setLabel('map', 'arena')
    await game.mock.advance(600)
    expect([game.label('map'), game.label('free')]).toEqual(['arena', 'false'])
  })
})

describe('reuse', () => {
  test('a ready() that got lost is sent again when the sidecar is back', async () => {
    const game = await play({})
    game.mock.allocate()
    await game.mock.advance(100)
    await endAll(game)
    await game.mock.advance(100)
    game.mock.restart({ downMs: 1000 })
    await game.mock.advance(6000)
    expect(game.mock.gameServer.status.state).toBe('Ready')
  })

  test('a ready() is sent once, however late the API server writes it and however silent the watch is', async () => {
    const game = await play({})
    game.mock.allocate()
    await game.mock.advance(100)
    game.mock.control({ type: 'apiServer', away: true, ms: 20_000 })
    await endAll(game)
    await game.mock.advance(19_000)
    game.mock.control({ type: 'stallWatchers', ms: 10_000 })
    await game.mock.advance(3000)
    // The next match comes before the game has seen Ready.
    game.mock.allocate()
    await game.mock.advance(20_000)
    expect(game.mock.gameServer.status.state).toBe('Allocated')
    expect(game.sessions.active).toHaveLength(1)
    expect(game.writes().filter(({ operation }) => operation === 'ready')).toHaveLength(2)
  })

  test('no ready() while a newer allocation has a session', async () => {
    const game = await play({})
    game.mock.allocate()
    await game.mock.advance(100)
    game.mock.allocate()
    await game.mock.advance(100)
    await game.begun[0]!.end()
    await game.mock.advance(2000)
    expect(game.mock.gameServer.status.state).toBe('Allocated')
    await game.begun[1]!.end()
    await game.mock.advance(2000)
    expect(game.mock.gameServer.status.state).toBe('Ready')
  })
})

describe('the end', () => {
  test('after `ending` nothing is started and nothing is written, and end() still resolves', async () => {
    const game = await play({ counter: 'rooms', label: 'free' })
    await allocate(game, 1)
    game.mock.control({ type: 'delete' })
    await game.mock.advance(100)
    const before = game.writes().length
    game.mock.control({ type: 'allocate', ...ROOM, force: true })
    expect(await game.begun[0]!.end()).toBe('ended')
    await game.mock.advance(20_000)
    expect([game.begun.length, game.writes().length, game.sessions.full]).toEqual([1, before, true])
  })

  test('close() ends the tracking: no event, no write, no session', async () => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 1)
    game.sessions.close()
    game.mock.allocate(ROOM)
    expect(await game.begun[0]!.end()).toBe('ended')
    await game.mock.advance(10_000)
    expect([game.begun.length, differences(game), game.count()]).toEqual([1, [], 2])
  })

  test('what onSession throws or rejects with is told, and the session goes on', async () => {
    const onSession = vi
      .fn()
      .mockImplementationOnce(() => {
        throw new Error('thrown')
      })
      .mockRejectedValueOnce(new Error('rejected'))
    const game = await play({ counter: 'rooms', onSession })
    await allocate(game, 2)
    expect(game.errors).toMatchObject([
      { message: 'onSession failed: Error: thrown', cause: { message: 'thrown' } },
      { cause: { message: 'rejected' } },
    ])
    expect([game.sessions.active.length, game.count()]).toEqual([2, 2])
  })

  test('a session that ends within onSession is over, and its place free', async () => {
    const game = await play({ counter: 'rooms', onSession: (session) => void session.end() })
    await allocate(game, 2)
    await game.mock.advance(2000)
    expect([game.sessions.active.length, game.sessions.started, game.count()]).toEqual([0, 2, 0])
  })
})

test('counts as bigint make no difference', async () => {
  const game = await play({ counter: 'rooms' }, {}, { int64: 'bigint' })
  await allocate(game, 2)
  await endAll(game)
  await game.mock.advance(2000)
  expect(game.count()).toBe(0)
})

describe('options that can’t be right', () => {
  const onSession = (): void => {}
  test.each<[options: unknown, message: string]>([
    [{ onSession, maxSession: 2 }, 'There is no option "maxSession". Did you mean maxSessions?'],
    [{ onSession, maxSessions: 0 }, 'maxSessions must be above 0; got 0'],
    [{ onSession, thenShutdown: 0 }, 'thenShutdown must be above 0 or "last"; got 0'],
    [{ onSession, thenShutdown: 'first' }, 'thenShutdown must be above 0 or "last"; got "first"'],
    [{}, 'onSession must be a function; got undefined'],
    [undefined, 'options must be an object; got undefined'],
  ])('%j is refused', async (options, message) => {
    const { client } = await play({})
    expect(() => trackSessions(client, options as SessionsOptions)).toThrow(message)
  })
})

test.each([{ counter: '' }, { label: '' }, { label: 5 as never }])(
  'a counter or label of which there can be none by that name, %j, is told as one error',
  async (options) => {
    const { errors } = await play(options)
    expect(errors.map(({ code }) => code)).toEqual(['INVALID_ARGUMENT'])
  },
)

test('the GameServer that a manifest replaces is followed', async () => {
  const game = await play({ counter: 'rooms' })
  await allocate(game, 1)
  game.mock.control({ type: 'reload', gameServer: { ...ROOMS, status: { state: 'Allocated' } } })
  await game.mock.advance(5000)
  expect(game.count()).toBe(game.sessions.active.length)
})
