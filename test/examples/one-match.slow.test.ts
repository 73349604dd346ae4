import { expect, test } from 'vitest'
import { playExample } from './support/play.js'

test.concurrent('a match is played to its end, and then the server is given back', async (context) => {
  const example = await playExample(context, 'one-match')
  const game = await example.start()
  await example.until('Ready')
  expect(example.allocate().status.state).toBe('Allocated')
  await game.line(/^allocated, map harbour$/)
  const [alice, bob] = [await game.player('alice'), await game.player('bob')]
  expect(await bob.message('start')).toEqual({ type: 'start', players: ['alice', 'bob'] })
  for (let i = 0; i < 10; i += 1) alice.send('point')
  expect(await bob.message('over')).toEqual({ type: 'over', reason: 'alice has won' })
  expect(await alice.closed).toMatchObject({ code: 1001 })
  await example.until('Shutdown')
  expect(await game.end('SIGTERM')).toBe(0)
  expect(example.states()).toEqual(['Scheduled', 'RequestReady', 'Ready', 'Allocated', 'Shutdown'])
})
