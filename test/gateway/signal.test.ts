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
    const closed = gateway.close('SIGTERM')
    expect(await signal).toMatchObject({ signal: 'SIGTERM' })
    // As if it saved its match first.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await client.shutdown()
    expect(gateway.local!.sidecar.snapshot().gameServer.status.state).toBe('Shutdown')
    await closed
  } finally {
    client.close()
  }
})
