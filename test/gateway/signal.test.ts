import { expect, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { PREFIX, startGateway } from './support.js'

const transports = ['websocket', 'stream'] as const

test.each(transports)('a client that watches by %s hears of the signal, and may still shut down', async (watch) => {
  const gateway = await startGateway({ local: { mode: 'local' } })
  const client = createClient({ baseUrl: gateway.url + PREFIX, watch })
  try {
    const signal = client.once('signal')
    client.on('gameserver', () => undefined)
    while (client.status.connection !== 'connected') await client.once('connection')
    // New connections aren't accepted then: there must be some that can be used again, as beats leave them.
    await Promise.all([client.health(), client.ready(), client.getGameServer()])
    const closed = gateway.close('SIGTERM')
    expect(await signal).toMatchObject({ signal: 'SIGTERM' })
    await client.shutdown()
    expect(gateway.local!.sidecar.snapshot().gameServer.status.state).toBe('Shutdown')
    await closed
  } finally {
    client.close()
  }
})
