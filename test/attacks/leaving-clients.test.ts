import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { expectServing, targets } from './support/targets.js'
import { askUntil, openWatch } from './support/watch.js'
import { dial, head, readAnswers } from './support/wire.js'

describe.each(targets)('$name', ({ start }) => {
  test('clients that close their half and wait are let go', async () => {
    const victim = await start()
    for (const line of [`GET ${victim.at('/gameserver')}`, `POST ${victim.at('/ready')}`]) {
      const wire = await dial(victim.port, head(line, 'Host: localhost'))
      wire.socket.end()
      for (const { status } of readAnswers(await wire.ended)) expect(status).toBe(200)
    }
    await expectServing(victim)
  })

  test('watchers that vanish are forgotten, however they do', async () => {
    const victim = await start()
    const leave: readonly ((socket: Awaited<ReturnType<typeof openWatch>>['socket']) => void)[] = [
      (socket) => socket.destroy(),
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.end(),
    ]
    for (const transport of ['stream', 'websocket'] as const) {
      for (const go of leave) {
        const { socket } = await openWatch(victim, transport)
        const closed = once(socket, 'close')
        go(socket)
        await closed
      }
    }
    await askUntil(victim, () => victim.watchers() === 0)
  })
})
