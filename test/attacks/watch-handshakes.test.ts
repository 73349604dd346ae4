import { describe, expect, test } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { expectServing, targets } from './support/targets.js'
import { askUntil, watchRequest } from './support/watch.js'
import { ask, dial } from './support/wire.js'

const [connection, upgrade, version, key] = websocketHeaders

describe.each(targets)('$name', ({ start }) => {
  test.each([
    ['no key', 'GET', [connection, upgrade, version], 400],
    ['a key that is none', 'GET', [connection, upgrade, version, 'Sec-WebSocket-Key: abc'], 400],
    ['two keys', 'GET', [connection, upgrade, version, key, key], 400],
    ['no version', 'GET', [connection, upgrade, key], 400],
    ['another version', 'GET', [connection, upgrade, key, 'Sec-WebSocket-Version: 12'], 400],
    ['another method', 'POST', [connection, upgrade, version, key], 405],
    ['another protocol beside', 'GET', [connection, 'Upgrade: h2c, websocket', version, key], 200],
  ])('a handshake with %s opens no watch over WebSocket', async (_what, method, headers, status) => {
    const victim = await start()
    const path = victim.at(status === 200 ? '/gameserver' : '/watch/gameserver')
    const answer = await ask(victim.port, `${method} ${path}`, ['Host: localhost', ...headers])
    expect([status, 501]).toContain(answer.status)
    expect(victim.watchers()).toBe(0)
    await expectServing(victim)
  })

  test('handshakes that are begun and left are forgotten', async () => {
    const victim = await start()
    for (let i = 0; i < 300; i += 1) {
      const wire = await dial(victim.port, watchRequest(victim, 'websocket').slice(0, 60 + i))
      wire.socket.destroy()
    }
    await askUntil(victim, () => victim.watchers() === 0)
  })
})
