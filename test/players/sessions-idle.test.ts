import { expect, test } from 'vitest'
import { allocate, play } from './sessions-support.js'

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
