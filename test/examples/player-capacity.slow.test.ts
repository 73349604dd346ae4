import { expect, test } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import { beginExample, type Example } from './support/play.js'

/** Seats that nobody takes are freed after a second. */
const NO_SHOWS = { COME_SECONDS: '1', EMPTY_SECONDS: '60' }

const seatsIn = ({ status }: GameServer): readonly string[] => status.lists!['players']!.values!
const untilSeats = (example: Example, ...ids: string[]): Promise<void> =>
  example.until((gameServer) => JSON.stringify([...seatsIn(gameServer)].sort()) === JSON.stringify(ids.sort()))
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

test.concurrent('the seat of a player who does not come or who leaves becomes free', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity', NO_SHOWS)
  example.allocate()
  const ada = await game.player('ada')
  await game.line(/^bob did not come$/)
  await untilSeats(example, 'ada')
  const cid = await game.player('cid')
  await cid.message('welcome')
  await ada.leave()
  await untilSeats(example, 'cid')
})

test.concurrent('a player who reconnects replaces the broken connection', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity', NO_SHOWS)
  const ada = await game.player('ada')
  await ada.message('welcome')
  const again = await game.player('ada')
  expect(await ada.closed).toMatchObject({ code: 4001 })
  expect(await again.message('welcome')).toEqual({ type: 'welcome', players: ['ada'] })
  expect(seatsIn(example.gameServer())).toEqual(['ada'])
})

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
