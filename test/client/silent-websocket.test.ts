import { expect, test } from 'vitest'
import { blackHole, following, opened } from '../support/fault-server-steps.js'
import { watching } from './watching.js'

test('a WebSocket that is silent gives way to the stream after 1 s', async () => {
  const silent = opened(blackHole)
  const all = await watching([
    { on: 'watch', step: (exchange) => (exchange.request.isUpgrade ? silent(exchange) : following(exchange)) },
  ])
  await all.passUntil(() => all.watches() === 'w')
  await all.pass(800)
  expect(all.watches()).toBe('w')
  await all.pass(400)
  await expect.poll(all.watches, { timeout: 5000 }).toBe('ws')
  expect(all.errors).toEqual([])
})
