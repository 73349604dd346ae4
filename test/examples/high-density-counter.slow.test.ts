import { expect, test } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import type { AnsweredAllocation } from '../../src/sidecar/index.js'
import { playExample, type Example } from './support/play.js'

/** Long enough for players to come, short enough for a test to wait for rooms without any. */
const EMPTY = { EMPTY_SECONDS: '0.7' }

const countIn = ({ status }: GameServer): number => Number(status.counters!['rooms']!.count)
const untilRooms = (example: Example, count: number): Promise<void> =>
  example.until((gameServer) => countIn(gameServer) === count)

/** The room that an allocation has opened, as a matchmaker knows it. */
const roomIn = ({ status }: AnsweredAllocation): { room: string } => ({
  room: status.metadata!.annotations['agones.dev/last-allocated']!,
})

test.concurrent('each allocation is a room, which ends with its players, and the counter follows', async (context) => {
  const example = await playExample(context, 'high-density-counter')
  const game = await example.start(EMPTY)
  await example.until('Ready')
  const [first, second] = [example.allocate(), example.allocate()]
  expect([first.status.state, second.status.state, countIn(example.gameServer())]).toEqual([
    'Allocated',
    'Allocated',
    2,
  ])
  const ada = await game.player('ada', roomIn(first))
  const bob = await game.player('bob', roomIn(first))
  expect(await bob.message('came')).toEqual({ type: 'came', player: 'bob', here: 2 })
  ada.send('hello')
  expect(await bob.message('said')).toEqual({ type: 'said', by: 'ada', text: '"hello"' })
  // Nobody has come into the second room.
  await untilRooms(example, 1)
  await ada.leave()
  await bob.leave()
  await untilRooms(example, 0)
  expect(example.states()).toEqual(['Scheduled', 'RequestReady', 'Ready', 'Allocated'])
  await expect(game.player('eve', { room: 'nowhere' }).then(({ closed }) => closed)).resolves.toMatchObject({
    code: 4000,
  })
})

test.concurrent('a full server is not allocated, and is again once a room has ended', async (context) => {
  const example = await playExample(context, 'high-density-counter')
  const game = await example.start(EMPTY)
  await example.until('Ready')
  const opened = Array.from({ length: 6 }, () => example.allocate())
  const states = opened.map(({ status }) => status.state)
  expect(states).toEqual([...Array<string>(5).fill('Allocated'), 'UnAllocated'])
  await Promise.all(
    opened.slice(0, 4).map((answer) => game.player('ada', roomIn(answer)).then((ada) => ada.message('came'))),
  )
  await untilRooms(example, 4)
  expect(example.allocate().status.state).toBe('Allocated')
})

test.concurrent('players may come before the server has seen their allocation', async (context) => {
  const example = await playExample(context, 'high-density-counter')
  const game = await example.start(EMPTY)
  await example.until('Ready')
  example.sidecar.control({ type: 'stallWatchers', ms: 600 })
  const ada = await game.player('ada', roomIn(example.allocate()))
  expect(await ada.message('came')).toMatchObject({ here: 1 })
})

test.concurrent('the counter is right after restarts of the sidecar and answers that got lost', async (context) => {
  const example = await playExample(context, 'high-density-counter')
  const game = await example.start(EMPTY)
  await example.until('Ready')
  const players = []
  for (let round = 0; round < 3; round += 1) {
    example.sidecar.control({
      type: 'failCalls',
      operations: ['updateCounter'],
      drop: true,
      apply: round % 2 === 0,
      count: 1,
    })
    const [first] = [example.allocate(), example.allocate()]
    players.push(await game.player('ada', roomIn(first)))
    await players.at(-1)!.message('came')
    // The second room ends now, in the half second in which a restart loses what was written.
    await untilRooms(example, round + 1)
    example.sidecar.control({ type: 'loseWrites' })
    example.allocate()
    await game.line(new RegExp(`is over: ${round + 1} in all`))
    await example.sidecar.restart({ downMs: 200 })
  }
  await untilRooms(example, 3)
  for (const player of players) await player.leave()
  await untilRooms(example, 0)
})

test.concurrent('a server that was killed and starts again counts its own rooms only', async (context) => {
  const example = await playExample(context, 'high-density-counter')
  const game = await example.start(EMPTY)
  await example.until('Ready')
  for (let i = 0; i < 4; i += 1) example.allocate()
  await game.line(/4 in all/)
  await game.end('SIGKILL')
  expect(countIn(example.gameServer())).toBe(4)
  const again = await example.start(EMPTY)
  await untilRooms(example, 0)
  expect(example.states().at(-1)).toBe('Allocated')
  const ada = await again.player('ada', roomIn(example.allocate()))
  expect(await ada.message('came')).toMatchObject({ here: 1 })
  expect(countIn(example.gameServer())).toBe(1)
})

test.concurrent('at its end players are told, and the process exits with 0', async (context) => {
  const example = await playExample(context, 'high-density-counter')
  const game = await example.start(EMPTY)
  await example.until('Ready')
  const ada = await game.player('ada', roomIn(example.allocate()))
  await ada.message('came')
  example.sidecar.control({ type: 'delete' })
  expect(await ada.closed).toMatchObject({ code: 1001 })
  expect(await game.end('SIGTERM')).toBe(0)
})
