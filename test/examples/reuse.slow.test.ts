import { describe, expect, test, type TestContext } from 'vitest'
import { beginExample, type Example, type Game } from './support/play.js'

const begin = (context: TestContext, env?: NodeJS.ProcessEnv) => beginExample(context, 'reuse', env)

/** Allocates for these players, and resolves once they are in their match. */
const enter = async (example: Example, game: Game, players: readonly string[]) => {
  const metadata = { annotations: { map: 'harbour', players: players.join(',') } }
  const before = game.lines.length
  expect(example.allocate({ metadata }).status.state).toBe('Allocated')
  await game.line(/^allocated/, before)
  const all = await Promise.all(players.map((player) => game.player(player)))
  expect(await all[0]!.message('start')).toEqual({ type: 'start', players })
  return all
}

describe.concurrent('a server that is reused', () => {
  test('plays three matches, two of them with the same players, then ends', async (context) => {
    const { example, game } = await begin(context)
    for (const players of [['alice', 'bob'], ['alice', 'bob'], ['carol']]) {
      await example.until('Ready')
      const [first] = await enter(example, game, players)
      first!.send('done')
      expect((await first!.closed).reason).toBe(`${players[0]!} has won`)
    }
    await example.until('Shutdown')
    expect(await game.end('SIGTERM')).toBe(0)
    expect(example.states()).toEqual([
      ...['Scheduled', 'Ready', 'Allocated', 'Ready', 'Allocated', 'Ready', 'Allocated', 'Shutdown'],
    ])
    expect(example.calls().filter((call) => call === 'ready')).toHaveLength(3)
  })

  test('continues the match after its process was killed, when the players come back', async (context) => {
    const { example, game } = await begin(context)
    await enter(example, game, ['alice', 'bob'])
    await game.end('SIGKILL')
    const next = await example.start()
    await next.line(/^allocated for alice,bob/)
    const [alice, bob] = [await next.player('alice'), await next.player('bob')]
    await alice.message('start')
    bob.send('done')
    expect((await alice.closed).reason).toBe('bob has won')
    await example.until('Ready')
    expect(example.states()).toEqual(['Scheduled', 'Ready', 'Allocated', 'Ready'])
  })
})
