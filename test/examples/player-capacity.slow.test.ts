import { expect, test } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import { beginExample, type Example } from './support/play.js'

const seatsIn = ({ status }: GameServer): readonly string[] => status.lists!['players']!.values!
const promise = (example: Example, id: string): string =>
  example.allocate({ lists: { players: { addValues: [id] } } }).status.state

test.concurrent(
  'players with a promised seat join without a call to the sidecar, other players take a seat',
  async (context) => {
    const { example, game } = await beginExample(context, 'player-capacity')
    expect(example.allocate().status.state).toBe('Allocated')
    expect(await (await game.player('ada')).message('welcome')).toEqual({ type: 'welcome', players: ['ada'] })
    expect(example.calls()).not.toContain('addListValue')
    await (await game.player('cid')).message('welcome')
    // An admitted player is already in the list.
    expect(seatsIn(example.gameServer())).toEqual(['ada', 'bob', 'cid'])
  },
)

test.concurrent('a server that all players have left takes no further allocation, and ends', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity', { EMPTY_SECONDS: '1' })
  promise(example, 'ada')
  const ada = await game.player('ada')
  await ada.message('welcome')
  await ada.leave()
  await example.until(({ object_meta: { labels } }) => labels?.['agones.dev/sdk-open'] === 'false')
  expect(example.gameServer().status.state).toBe('Allocated')
  expect(promise(example, 'cid')).toBe('UnAllocated')
  await example.until('Shutdown')
  expect(await game.exited).toBe(0)
})
