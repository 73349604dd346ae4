import { describe, expect, test, type TestContext } from 'vitest'
import { beginExample } from './support/play.js'

const begun = (context: TestContext, env?: NodeJS.ProcessEnv) => beginExample(context, 'one-match', env)

const inMatch = async (context: TestContext) => {
  const { example, game } = await begun(context)
  expect(example.allocate().status.state).toBe('Allocated')
  await game.line(/^allocated, map harbour$/)
  const [alice, bob] = [await game.player('alice'), await game.player('bob')]
  expect(await bob.message('start')).toEqual({ type: 'start', players: ['alice', 'bob'] })
  return { example, game, alice, bob }
}

const TO_THE_END = ['Scheduled', 'Ready', 'Allocated', 'Shutdown']

describe.concurrent('one match', () => {
  test('runs to its end, and then the server shuts down', async (context) => {
    const { example, game, alice, bob } = await inMatch(context)
    for (let i = 0; i < 10; i += 1) alice.send('a point')
    expect(await bob.closed).toEqual({ code: 1000, reason: 'alice has won' })
    await example.until('Shutdown')
    expect(await game.end('SIGTERM')).toBe(0)
    expect(example.states()).toEqual(TO_THE_END)
  })

  test('refuses a third player, and any player before the allocation', async (context) => {
    const { example, game } = await begun(context)
    const early = await game.player('early')
    expect((await early.closed).code).toBe(4000)
    example.allocate()
    await game.line(/^allocated/)
    const players = [await game.player('alice'), await game.player('bob'), await game.player('carol')]
    expect((await players[2]!.closed).code).toBe(4000)
    await players[0]!.message('start')
    expect(example.gameServer().status.state).toBe('Allocated')
  })

  test('is the only match of the server, even if the process is killed during it', async (context) => {
    const { example, game, alice } = await inMatch(context)
    await game.end('SIGKILL')
    expect((await alice.closed).code).toBe(1006)
    const next = await example.start()
    await next.line(/^over: the match is lost$/)
    await example.until('Shutdown')
    expect(example.states()).toEqual(TO_THE_END)
  })
})
