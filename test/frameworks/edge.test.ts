import { expect, test } from 'vitest'
import { missing, startEdge } from '../edge/edge-support.js'
import { describeUnless } from '../support/describe-unless.js'
import { freePort } from '../support/free-port.js'
import { startGame, versions } from './support/colyseus-game.js'

describeUnless(missing, 'through the edge', () => {
  for (const { version, node } of versions) {
    test.runIf(node)(`a page takes the seat of Colyseus ${version} that its matchmaker asked for`, async (context) => {
      const port = await freePort()
      const { url } = await startEdge(['127.0.0.1/32'], [port, port])
      const game = await startGame({ version, node }, context, { port })
      await game.told({ listening: port })
      const { joined } = await game.command('joinThrough', { edge: url, id: 'ann' })
      expect([joined, game.seats()]).toEqual([0, ['ann']])
    })
  }
})
