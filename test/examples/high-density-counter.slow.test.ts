import { expect, test } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import { beginExample, type Example, type Game } from './support/play.js'
import type { Player } from './support/player.js'

/** Rooms without players end soon. Players who must be in time for one come before its allocation, and wait for it. */
const SHORT = { EMPTY_SECONDS: '0.5' }

const countIn = ({ status }: GameServer): number => Number(status.counters!['rooms']!.count)
const untilRooms = (example: Example, count: number): Promise<void> =>
  example.until((gameServer) => countIn(gameServer) === count)

/** Allocates a room for somebody. */
async function open(example: Example, game: Game, name: string, room: string): Promise<Player> {
  const player = await game.player(name, { room })
  expect(example.allocate().status.state).toBe('Allocated')
  await player.message('came')
  return player
}

test.concurrent(
  'each allocation opens a room, which ends when its players have left, and the counter follows',
  async (context) => {
    const { example, game } = await beginExample(context, 'high-density-counter', SHORT)
    const ada = await open(example, game, 'ada', 'harbour')
    const bob = await game.player('bob', { room: 'harbour' })
    expect(await bob.message('came')).toEqual({ type: 'came', player: 'bob', here: 2 })
    ada.send('hello')
    expect(await bob.message('said')).toEqual({ type: 'said', by: 'ada', text: '"hello"' })
    expect(example.allocate().status.state).toBe('Allocated')
    expect(countIn(example.gameServer())).toBe(2)
    // Nobody has come into the second room.
    await untilRooms(example, 1)
    await ada.leave()
    await bob.leave()
    await untilRooms(example, 0)
    expect(example.states().at(-1)).toBe('Allocated')
  },
)

test.concurrent(
  'players may come before the server has seen their allocations, of which it sees two as one',
  async (context) => {
    const { example, game } = await beginExample(context, 'high-density-counter', { EMPTY_SECONDS: '60' })
    example.sidecar.control({ type: 'stallWatchers' })
    example.allocate()
    example.allocate()
    const players = await Promise.all(['harbour', 'desert'].map((room) => game.player('ada', { room })))
    example.sidecar.control({ type: 'releaseWatchers' })
    for (const player of players) expect(await player.message('came')).toMatchObject({ here: 1 })
    await game.line(/begun: 2 in all/)
    expect(countIn(example.gameServer())).toBe(2)
  },
)

test.concurrent(
  'a server that was killed and starts again gives the places of its lost rooms back',
  async (context) => {
    const { example, game } = await beginExample(context, 'high-density-counter', { EMPTY_SECONDS: '60' })
    for (let i = 0; i < 4; i += 1) example.allocate()
    await game.line(/begun: 4 in all/)
    await game.end('SIGKILL')
    expect(countIn(example.gameServer())).toBe(4)
    const again = await example.start(SHORT)
    await untilRooms(example, 0)
    await open(example, again, 'ada', 'harbour')
    expect(example.states().at(-1)).toBe('Allocated')
  },
)
