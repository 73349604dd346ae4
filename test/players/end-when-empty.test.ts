import { describe, expect, test } from 'vitest'
import type { Mock } from '../../src/platform/mock.js'
import { play } from './players-support.js'

describe('endWhenEmpty', () => {
  const stateIn = ({ mock }: { mock: Mock }): string => mock.gameServer.status.state

  test('shuts an Allocated server down once its last player has left, and not before', async () => {
    const game = await play({ endWhenEmpty: true })
    const { mock, players, promise, seat } = game
    await seat('ann')
    promise('bob')
    await players.leave('ann')
    await mock.advance(30_000)
    expect(stateIn(game)).toBe('Allocated')
    await players.join('bob')
    await mock.advance(90_000)
    expect(stateIn(game)).toBe('Allocated')
    await players.leave('bob')
    await mock.advance(4000)
    expect(stateIn(game)).toBe('Allocated')
    await mock.advance(3000)
    expect(stateIn(game)).toBe('Shutdown')
  })

  test('shuts a server down after noShow if its allocation promises no seat', async () => {
    const game = await play({ endWhenEmpty: true, noShow: 10_000 })
    await game.mock.advance(60_000)
    expect(stateIn(game)).toBe('Ready')
    game.mock.allocate()
    await game.mock.advance(8000)
    expect(stateIn(game)).toBe('Allocated')
    await game.mock.advance(4000)
    expect(stateIn(game)).toBe('Shutdown')
  })

  test('keeps a server whose list is missing, and a server that is no longer tracked', async () => {
    const options = { endWhenEmpty: { after: 1000, grace: 1000 } }
    const [listless, closed] = [await play({ ...options, list: 'seats' }), await play(options)]
    closed.players.close()
    for (const game of [listless, closed]) {
      game.mock.allocate()
      await game.mock.advance(60_000)
      expect(stateIn(game)).toBe('Allocated')
    }
  })
})
