import { describe, expect, test } from 'vitest'
import type { SessionsOptions } from '../../src/players/index.js'
import { allocate, endAll, play, ROOM } from './sessions-support.js'

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
