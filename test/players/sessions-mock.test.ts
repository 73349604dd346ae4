import { expect, test } from 'vitest'
import { play, ROOM } from './sessions-support.js'

test('each allocation starts one session, and its end takes one from the counter', async () => {
  const { mock, sessions, begun, errors, count, writes } = await play({ counter: 'rooms' })
  mock.allocate(ROOM)
  await mock.advance(100)
  mock.allocate(ROOM)
  await mock.advance(100)
  expect(sessions.active).toEqual(begun)
  expect(count()).toBe(2)
  expect(await begun[0]!.end()).toBe('ended')
  expect(await begun[0]!.end()).toBe('absent')
  await mock.advance(1000)
  expect(count()).toBe(1)
  await mock.advance(10_000)
  expect(writes().map(({ operation }) => operation)).toEqual(['ready', 'updateCounter'])
  expect(errors).toEqual([])
})
