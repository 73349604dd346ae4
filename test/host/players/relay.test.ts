import { describe, expect, test } from 'vitest'
import { echo, joinPlayers, openPageOnNode, startPlayers } from './players-support.js'

describe('what passes between a player and the page', () => {
  test('texts and bytes arrive as they were sent, in order, in both directions', async () => {
    const stage = await startPlayers()
    const page = await openPageOnNode(stage)
    echo(page)
    const player = await joinPlayers(stage)
    const sent = [
      '',
      'ä€😀',
      '\ufeffmark',
      Buffer.alloc(0),
      Buffer.from([0, 255, 128]),
      'x'.repeat(65_536),
      Buffer.alloc(65_536, 7),
    ]
    for (const message of sent) player.socket.send(message)
    await player.message(sent.length - 1)
    expect(player.messages).toEqual(sent)
  })
})
