import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/index.js'
import {
  allocated,
  createSessionsState,
  ended,
  sessions as kind,
  type SessionsState,
} from '../../src/players/tracking/sessions-reducer.js'
import { answered, COUNTER, settle, shown, type Rules } from '../../src/players/tracking/writes.js'
import { gameServer } from '../support/game-server.js'
import { allocate, endAll, playSessions as play, ROOM, track, type SessionsGame } from './play.js'

/** The differences that were sent, in this order. */
const differences = ({ writes }: SessionsGame): unknown[] =>
  writes().flatMap(({ body }) => (body as { countDiff?: string } | undefined)?.countDiff ?? [])

test.each(['number', 'bigint'] as const)(
  'each allocation starts a session with its allocation’s data, and the session’s end frees its place (%s)',
  async (int64) => {
    const { mock, sessions, begun, count } = await play({ counter: 'rooms' }, {}, { int64 })
    for (const map of ['arena', 'desert']) {
      mock.allocate({ ...ROOM, annotations: { map } })
      await mock.advance(20)
    }
    expect(begun.map(({ allocation }) => allocation.annotations['map'])).toEqual(['arena', 'desert'])
    expect(new Set(begun.map(({ id }) => id)).size).toBe(2)
    expect(sessions.active).toEqual(begun)

    expect(await begun[0]!.end()).toBe('ended')
    expect(await begun[0]!.end()).toBe('absent')
    expect(sessions.active).toEqual([begun[1]])
    await mock.advance(1000)
    expect(count()).toBe(1)
  },
)

test.each([0, 3])('a restarted game process resumes the %i sessions of the counter', async (sessions) => {
  const before = await play({ counter: 'rooms' })
  await allocate(before, 3)
  if (!sessions) await endAll(before)
  await before.mock.advance(2000)
  before.client.close()
  const client = createClient(before.mock.options)
  onTestFinished(() => client.close())
  const game = { ...before, ...track(client, { counter: 'rooms' }) }
  await game.mock.advance(1000)
  expect([game.begun.length, game.sessions.active.length, game.count()]).toEqual([sessions, sessions, sessions])
  await endAll(game)
  await game.mock.advance(1000)
  expect(game.count()).toBe(0)
})

test('with a label, the allocation’s manifest locks the server, and the game unlocks it while another session may start', async () => {
  const ready = 'agones.dev/sdk-gs-session-ready'
  const { mock, sessions, begun, label } = await play({ label: 'gs-session-ready', maxSessions: 2 })
  const come = async (): Promise<unknown> => {
    const { status } = mock.allocate({
      spec: {
        selectors: [{ matchLabels: { [ready]: 'true' }, gameServerState: 'Allocated' }, { gameServerState: 'Ready' }],
        metadata: { labels: { [ready]: 'false' } },
      },
    })
    await mock.advance(1000)
    return [status.state, label('gs-session-ready'), sessions.full]
  }
  expect(label('gs-session-ready')).toBe('true')
  expect(await come()).toEqual(['Allocated', 'true', false])
  expect(await come()).toEqual(['Allocated', 'false', true])
  expect(await come()).toEqual(['UnAllocated', 'false', true])
  await begun[0]!.end()
  await mock.advance(1000)
  expect([label('gs-session-ready'), sessions.full]).toEqual(['true', false])
})

test('without counter and label the server is Ready again after each session, and Shutdown after the last of thenShutdown', async () => {
  const game = await play({ thenShutdown: 2 })
  for (const next of ['Ready', 'Shutdown']) {
    game.mock.allocate()
    await game.mock.advance(100)
    await endAll(game)
    await game.mock.advance(1000)
    expect(game.state()).toBe(next)
  }
  expect(game.writes().map(({ operation }) => operation)).toEqual(['ready', 'ready', 'shutdown'])
})

test('ready() is not called while a newer allocation has a session', async () => {
  const game = await play({})
  for (const sessions of [1, 2]) {
    game.mock.allocate()
    await game.mock.advance(100)
    expect(game.sessions.active).toHaveLength(sessions)
  }
  for (const next of ['Allocated', 'Ready']) {
    await game.sessions.active[0]!.end()
    await game.mock.advance(2000)
    expect(game.state()).toBe(next)
  }
})

test('a session that ends within onSession frees its place', async () => {
  const game = await play({ counter: 'rooms', onSession: (session) => void session.end() })
  const ended: string[] = []
  game.sessions.on('ended', ({ id }) => ended.push(id))
  await allocate(game, 2)
  await game.mock.advance(2000)
  expect([game.sessions.active, game.sessions.started, ended.length, game.count()]).toEqual([[], 2, 2, 0])
})

test.each(['client', 'tracker'] as const)(
  'a closed %s stops the tracking: no event, no write, and end() still resolves',
  async (which) => {
    const game = await play({ counter: 'rooms' })
    await allocate(game, 1)
    if (which === 'client') game.client.close()
    else game.sessions.close()
    game.mock.allocate(ROOM)
    expect(await game.begun[0]!.end()).toBe('ended')
    await game.mock.advance(10_000)
    expect([game.begun.length, differences(game), game.count()]).toEqual([1, [], 2])
  },
)

describe('differences of the counter', () => {
  test('all ends while a difference is in flight go out together in the next one', async () => {
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

  test('after a call has timed out, no difference is sent for 40 s or until the sidecar restarts, since it may hold the call', async () => {
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
})

describe('each allocation is a session', () => {
  test.each([0, 2])(
    'an allocation that adds %i to the counter starts one session, and the counter is corrected',
    async (amount) => {
      const game = await play({ counter: 'rooms' })
      game.mock.allocate(amount ? { counters: { rooms: { action: 'Increment', amount } } } : {})
      await game.mock.advance(2000)
      expect([game.begun.length, game.count()]).toEqual([1, 1])
      expect(differences(game)).toHaveLength(1)
    },
  )

  test('an impossible count from outside is corrected by one difference', async () => {
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
})

describe('maxSessions', () => {
  test.each([
    { maxSessions: 2, capacity: 2 },
    { maxSessions: 50, capacity: 10 },
  ])(
    'maxSessions: $maxSessions turns the counter’s capacity of 10 into $capacity',
    async ({ maxSessions, capacity }) => {
      const game = await play({ counter: 'rooms', maxSessions })
      expect(game.capacity()).toBe(capacity)
      const full: number[] = []
      game.sessions.on('full', ({ sessions }) => full.push(sessions))
      await allocate(game, capacity)
      expect([full, game.sessions.full]).toEqual([[capacity], true])
    },
  )

  test('an allocation beyond maxSessions still starts, and the server counts as full until fewer sessions run', async () => {
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

describe('label', () => {
  const LABEL = { 'agones.dev/sdk-free': 'false' }

  test('a label that a restarted sidecar has lost, or that was changed from outside, is written again', async () => {
    const game = await play({ label: 'free' })
    game.mock.allocate({ labels: LABEL })
    await game.mock.advance(1000)
    await endAll(game)
    await game.mock.advance(100)
    game.mock.restart({ downMs: 300 })
    await game.mock.advance(5000)
    expect(game.label('free')).toBe('true')
    expect(
      game
        .writes()
        .slice(-2)
        .map(({ body }) => body),
    ).toMatchObject(Array(2).fill({ key: 'free', value: 'true' }))
    game.mock.control({ type: 'setLabel', key: 'agones.dev/sdk-free', value: 'false' })
    await game.mock.advance(5000)
    expect(game.label('free')).toBe('true')
  })

  test('setting another label doesn’t bring back the tracked label’s value from before the allocation', async () => {
    const game = await play({ label: 'free' })
    game.mock.allocate({ labels: LABEL })
    await game.mock.advance(1000)
    await game.client.setLabel('map', 'arena')
    await game.mock.advance(600)
    expect([game.label('map'), game.label('free')]).toEqual(['arena', 'false'])
  })
})

describe('sessions at their end', () => {
  test('after `ending` no session starts and nothing is written, and end() still resolves', async () => {
    const game = await play({ counter: 'rooms', label: 'free' })
    await allocate(game, 1)
    game.mock.control({ type: 'delete' })
    await game.mock.advance(100)
    const before = game.writes().length
    game.mock.control({ type: 'setCounter', name: 'rooms', count: 2 })
    expect(await game.begun[0]!.end()).toBe('ended')
    await game.mock.advance(20_000)
    expect([game.begun.length, game.writes().length, game.sessions.full]).toEqual([1, before, true])
  })

  test('an error of onSession is reported, and the session goes on', async () => {
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
})

test('thenShutdown: n with a counter closes the server after the n-th start, and shuts it down once all sessions have ended', async () => {
  const game = await play({ counter: 'rooms', thenShutdown: 3 })
  await allocate(game, 3)
  await game.mock.advance(1000)
  expect([game.count(), game.capacity(), game.sessions.full]).toEqual([3, 3, true])
  await game.sessions.active[0]!.end()
  await game.mock.advance(1000)
  expect([game.count(), game.capacity()]).toEqual([2, 2])
  expect(game.state()).toBe('Allocated')
  await endAll(game)
  await game.mock.advance(1000)
  expect(game.state()).toBe('Shutdown')
})

test('a session without touch() for the idle time ends, is reported as ended and frees its place', async () => {
  const game = await play({ counter: 'rooms', idle: 5000 })
  const ended: string[] = []
  game.sessions.on('ended', ({ id }) => ended.push(id))
  await allocate(game, 3)
  const [quiet, lively, over] = game.begun
  await over!.end()
  over!.touch()
  for (let seconds = 0; seconds < 8; seconds += 2) {
    lively!.touch()
    await game.mock.advance(2000)
  }
  expect(ended).toEqual([over!.id, quiet!.id])
  expect([game.sessions.active, game.count()]).toEqual([[lively], 1])
  expect(await quiet!.end()).toBe('absent')
  await game.mock.advance(6000)
  expect(ended).toEqual([over!.id, quiet!.id, lively!.id])
  expect(game.count()).toBe(0)
})

describe('an allocation beside a write of the counter', () => {
  /** The first object has one session of four, and the rest follows; each change is a turn of its own. */
  function stateOf(thenShutdown: Rules['thenShutdown'], ...changes: ((state: SessionsState) => void)[]): SessionsState {
    const state = createSessionsState({ counter: 'rooms', limit: Infinity, thenShutdown })
    for (const change of [allocation(1, 1, 4), ...changes])
      for (const make of [change, kind.turn]) {
        make(state)
        settle(state, kind)
      }
    return state
  }

  const object = (version: number, count: number, capacity: number) => (state: SessionsState) => {
    const counters = { rooms: { count: String(count), capacity: String(capacity) } }
    shown(state, kind, gameServer(version, { state: 'Allocated', counters }))
  }
  const allocation =
    (...values: Parameters<typeof object>) =>
    (state: SessionsState) => {
      object(...values)(state)
      allocated(state)
    }
  const end = (number: number) => (state: SessionsState) => ended(state, number)
  const landed = (state: SessionsState) => answered(state, kind, COUNTER)

  test('while the write that opens the server again may land, the server isn’t shut down', () => {
    const state = stateOf('last', end(1), landed, allocation(3, 0, 0), end(2))
    expect(state.isFinished).toBe(true)
    expect(state.effects).toContainEqual(['send', COUNTER, { update: { countDiff: 1, capacity: 4 }, before: 0 }])
    expect([...state.writes.keys()]).toEqual([COUNTER])
  })

  test('a difference that adds the session of a closed server counts for no session beside the next allocation', () => {
    const state = stateOf('last', end(1), landed, allocation(3, 0, 0), landed, allocation(5, 2, 4))
    expect(state.started).toBe(3)
  })

  test('a growth that one allocation explains leaves the difference in flight', () => {
    const state = stateOf(undefined, object(2, 0, 4), allocation(3, 1, 4), landed)
    expect(state.started).toBe(2)
    expect(state.effects.filter(([type]) => type === 'send')).toHaveLength(1)
  })
})
