import { expect, test } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import { untilLogged } from '../support/with-sidecar.js'
import { beginExample, type Example } from './support/play.js'

/** Seats that nobody takes are freed after a second. */
const NO_SHOWS = { COME_SECONDS: '1', EMPTY_SECONDS: '60' }
/** An empty server ends after a second or two. */
const ENDS = { COME_SECONDS: '60', EMPTY_SECONDS: '1' }

const seatsIn = ({ status }: GameServer): readonly string[] => status.lists!['players']!.values!
const untilSeats = (example: Example, ...ids: string[]): Promise<void> =>
  example.until((gameServer) => JSON.stringify([...seatsIn(gameServer)].sort()) === JSON.stringify(ids.sort()))
const promise = (example: Example, ...addValues: string[]): string =>
  example.allocate({ lists: { players: { addValues } } }).status.state

test.concurrent('those with a promised seat come in without a call, others take one', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity')
  expect(example.allocate().status.state).toBe('Allocated')
  expect(await (await game.player('ada')).message('welcome')).toEqual({ type: 'welcome', players: ['ada'] })
  expect(
    example.sidecar.sidecar.log
      .entries()
      .some(({ event }) => event.type === 'call' && event.call.operation === 'addListValue'),
  ).toBe(false)
  await (await game.player('cid')).message('welcome')
  // Who was let in is in the list already.
  expect(seatsIn(example.gameServer())).toEqual(['ada', 'bob', 'cid'])
})

test.concurrent('a seat whose player does not come is free again, and that of one who leaves', async (context) => {
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

test.concurrent('nobody is let in beyond the capacity, and a promised seat is kept', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity')
  const ids = Array.from({ length: 12 }, (_, index) => `walk-in-${index}`)
  const coming = ids.map((id) =>
    game.player(id).then(
      (player) => player.message('welcome').then(() => 'in'),
      (error: unknown) => (error as Error).message,
    ),
  )
  expect(example.allocate().status.state).toBe('Allocated')
  const outcomes = (await Promise.all(coming)).sort()
  expect(outcomes).toEqual([
    ...Array<string>(4).fill('Unexpected server response: 503'),
    ...Array<string>(8).fill('in'),
  ])
  expect(seatsIn(example.gameServer())).toHaveLength(10)
  expect(promise(example, 'dan')).toBe('UnAllocated')
  expect(await (await game.player('bob')).message('welcome')).toMatchObject({ type: 'welcome' })
})

test.concurrent('a player who comes once more takes the place of the broken connection', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity', NO_SHOWS)
  const ada = await game.player('ada')
  await ada.message('welcome')
  const again = await game.player('ada')
  expect(await ada.closed).toMatchObject({ code: 4001 })
  expect(await again.message('welcome')).toEqual({ type: 'welcome', players: ['ada'] })
  expect(seatsIn(example.gameServer())).toEqual(['ada'])
})

test.concurrent('players may come before the server has seen their allocation', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity')
  example.sidecar.control({ type: 'stallWatchers' })
  example.allocate()
  const coming = game.player('ada')
  // The sidecar answers that ada has a seat already.
  await untilLogged(example.sidecar, () => example.calls().includes('addListValue'))
  example.sidecar.control({ type: 'releaseWatchers' })
  expect(await (await coming).message('welcome')).toEqual({ type: 'welcome', players: ['ada'] })
  expect(seatsIn(example.gameServer())).toEqual(['ada', 'bob'])
})

test.concurrent('a server that everybody has left ends, and takes no allocation before', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity', ENDS)
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

test.concurrent('an allocation that is quicker than the end keeps the server', async (context) => {
  const { example, game } = await beginExample(context, 'player-capacity', ENDS)
  promise(example, 'ada')
  const ada = await game.player('ada')
  await ada.message('welcome')
  await ada.leave()
  const setsLabel = (): boolean =>
    example.sidecar.sidecar.log
      .entries()
      .some(({ event }) => event.type === 'call' && event.call.operation === 'setLabel')
  await example.until(() => setsLabel())
  // The lock is on its way, and not written yet.
  expect(promise(example, 'cid')).toBe('Allocated')
  const cid = await game.player('cid')
  await cid.message('welcome')
  await example.until(({ object_meta: { labels } }) => labels?.['agones.dev/sdk-open'] === 'false')
  await example.until(({ object_meta: { labels } }) => labels?.['agones.dev/sdk-open'] === 'true')
  expect(example.states().at(-1)).toBe('Allocated')
})

test.concurrent(
  'the list is right after restarts of the sidecar, answers and writes that got lost',
  async (context) => {
    const { example, game } = await beginExample(context, 'player-capacity', NO_SHOWS)
    const { control } = example.sidecar
    for (let round = 0; round < 3; round += 1) {
      promise(example, `promised-${round}`, `late-${round}`)
      control({ type: 'failCalls', operations: ['addListValue'], drop: true, apply: round % 2 === 0, count: 1 })
      const [promised, walkIn] = await Promise.all([game.player(`promised-${round}`), game.player(`walk-in-${round}`)])
      await Promise.all([promised.message('welcome'), walkIn.message('welcome')])
      control({ type: 'loseWrites' })
      await promised.leave()
      await example.sidecar.restart({ downMs: 200 })
    }
    await untilSeats(example, 'walk-in-0', 'walk-in-1', 'walk-in-2')
  },
)

test.concurrent(
  'a server that was killed and starts again waits for its players, and frees the rest',
  async (context) => {
    const { example, game } = await beginExample(context, 'player-capacity', NO_SHOWS)
    example.allocate()
    for (const id of ['ada', 'bob', 'cid']) await (await game.player(id)).message('welcome')
    await game.end('SIGKILL')
    const again = await example.start(NO_SHOWS)
    await (await again.player('ada')).message('welcome')
    await untilSeats(example, 'ada')
    expect(example.states().at(-1)).toBe('Allocated')
  },
)
