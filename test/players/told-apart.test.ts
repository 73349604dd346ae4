import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.js'
import { trackPlayers } from '../../src/players/index.js'
import { fate, play } from './players-support.js'

describe('a value of our own is told apart from a promise', () => {
  test('a late add of a player who has left, shown together with an allocation, is taken back', async () => {
    const { mock, players, values, events } = await play()
    const join = fate(players.join('ann'))
    await mock.advance(20)
    mock.control({ type: 'stallWatchers', ms: 700 })
    await players.leave('ann')
    await mock.advance(600)
    mock.dropWatch()
    mock.allocate({ lists: { players: { addValues: ['bob'] } } })
    await mock.advance(3000)
    expect(join.now).toBe('ABORTED')
    expect(events).toEqual(['expected bob'])
    expect(values()).toEqual(['bob'])
  })

  test('a removal that was lost beside an allocation of somebody else is made again', async () => {
    const { mock, players, values, events } = await play()
    const join = fate(players.join('ann'))
    await mock.advance(1000)
    mock.control({ type: 'failCalls', drop: true, operations: ['removeListValue'], count: 1 })
    mock.control({ type: 'stallWatchers', ms: 700 })
    await players.leave('ann')
    await mock.advance(100)
    mock.allocate({ lists: { players: { addValues: ['bob'] } } })
    await mock.advance(4000)
    expect(join.now).toBe('joined')
    expect(events).toEqual(['joined ann', 'left ann', 'expected bob'])
    expect(values()).toEqual(['bob'])
  })

  test('a seat that an allocation alone can have brought is kept for a player whose add is not answered', async () => {
    const { mock, players, values } = await play()
    mock.control({ type: 'delayCalls', ms: 3000, operations: ['addListValue'] })
    const join = fate(players.join('ann'))
    await mock.advance(20)
    await players.leave('ann')
    mock.allocate({ lists: { players: { addValues: ['ann'] } } })
    await mock.advance(10_000)
    expect(join.now).toBe('ABORTED')
    expect(players.expected).toEqual(['ann'])
    expect(values()).toEqual(['ann'])
  })
})

test('joins that end before the first GameServer leave nothing behind: the last of 10,000 costs no more than the first', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', scheduler: false })
  const players = trackPlayers(client)
  const refuse = async (): Promise<number> => {
    const start = performance.now()
    for (let index = 0; index < 1000; index++) {
      const join = players.join(`p${index}-${start}`)
      void players.leave(`p${index}-${start}`)
      await expect(join).rejects.toMatchObject({ code: 'ABORTED' })
    }
    return performance.now() - start
  }
  const durations: number[] = []
  for (let times = 0; times < 10; times++) durations.push(await refuse())
  expect(durations.at(-1)).toBeLessThan(4 * durations[0]!)
  client.close()
})
