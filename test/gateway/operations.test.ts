import { expect, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { operations } from '../../src/protocol/operations.js'
import { PREFIX, startGateway } from './support.js'

const transports = ['websocket', 'stream'] as const

test.each(transports)('a client does all operations through it, watching by %s', async (watch) => {
  await using gateway = await startGateway({ local: { mode: 'local' } })
  const client = createClient({ baseUrl: gateway.url + PREFIX, watch, timeout: 20_000 })
  try {
    await client.once('gameserver')
    client.on('gameserver', () => undefined)
    await client.connect()
    expect((await client.getGameServer()).object_meta.name).toBe('local')
    await client.ready({ force: true })
    await client.waitFor('Ready')
    await client.health()
    await client.reserve(60)
    await client.waitFor('Reserved')
    await client.allocate()
    await client.setLabel('map', 'dust')
    await client.setAnnotation('note', 'a b')
    expect(await client.updateCounter('rooms', { countDiff: 1 })).toMatchObject({ count: 2 })
    expect(await client.getCounter('rooms')).toMatchObject({ name: 'rooms', count: 2 })
    expect((await client.addListValue('players', 'a/b c')).values).toContain('a/b c')
    expect((await client.removeListValue('players', 'a/b c')).values).not.toContain('a/b c')
    expect((await client.updateList('players', { values: ['x'] })).values).toEqual(['x'])
    expect((await client.getList('players')).values).toEqual(['x'])
    for await (const gameServer of client.watchGameServer()) {
      if (gameServer.object_meta.annotations?.['agones.dev/sdk-note'] === 'a b') break
    }
    await client.shutdown()
    await client.waitFor('Shutdown')
  } finally {
    client.close()
  }
  const used = gateway.local!.sidecar.log.entries(0).map(({ event }) => event)
  const called = used.map((event) => (event.type === 'call' ? event.call.operation : undefined))
  const watched = used.map((event) => (event.type === 'watch-opened' ? event.transport : undefined))
  expect(new Set([...called, 'watchGameServer'])).toEqual(new Set([...Object.keys(operations), undefined]))
  expect(watched).toContain(watch)
  expect(gateway.log).toEqual([])
})
