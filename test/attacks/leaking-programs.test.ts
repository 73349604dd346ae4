import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { expectRefusal, expectServing, targets } from './support/targets.js'
import { askAll, dial, head, readAnswers } from '../support/wire.js'

const MIB = 1024 * 1024
/** The sidecar's own errors, for an announced length and for received bytes. */
const TOO_LARGE = /received message larger than max \(\d+ vs\. 4194304\)/
const CHUNK = `10000\r\n${'x'.repeat(64 * 1024)}\r\n`

describe.each(targets)('$name', ({ start }) => {
  test('refuses a head over 16 KiB, and bytes that are no HTTP request', async () => {
    const victim = await start()
    const large = head('GET /gameserver', 'Host: localhost', `X: ${'a'.repeat(20_000)}`)
    expectRefusal((await askAll(victim.port, large))[0], 431)
    expectRefusal((await askAll(victim.port, 'blah\r\n\r\n'))[0], 400)
    expectRefusal((await askAll(victim.port, 'FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n'))[0], 501)
    await expectServing(victim)
  })

  test.each([
    ['by its length', `Content-Length: ${4 * MIB + 1}`, ''],
    ['by its chunks', 'Transfer-Encoding: chunked', CHUNK.repeat(65)],
  ])('refuses a body over 4 MiB in the words of the sidecar, %s', async (_how, header, body) => {
    const victim = await start()
    const wire = await dial(victim.port, head(`POST ${victim.at('/ready')}`, 'Host: localhost', header) + body)
    await wire.saw(/\}$/)
    expectRefusal(readAnswers(wire.received())[0], 429, TOO_LARGE)
    expect(victim.reached()).not.toContain('ready')
    await expectServing(victim)
  })

  test.each([
    ['less than its length', 'Content-Length: 100', '{}'],
    ['chunks without the last one', 'Transfer-Encoding: chunked', '2\r\n{}\r\n'],
  ])('never executes a request whose body ends as %s', async (_what, header, body) => {
    const victim = await start()
    const wire = await dial(victim.port, head(`POST ${victim.at('/ready')}`, 'Host: localhost', header) + body)
    await expectServing(victim)
    wire.socket.end()
    await wire.ended
    await expectServing(victim)
    expect(victim.reached()).not.toContain('ready')
  })

  test('forgets watchers that vanish by any kind of disconnect', async () => {
    const victim = await start()
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQBAAAAAAIAAAAA']
    for (const headers of [[], websocketHeaders, offer]) {
      for (const way of ['destroy', 'resetAndDestroy', 'end'] as const) {
        const watch = head(`GET ${victim.at('/watch/gameserver')}`, 'Host: localhost', ...headers)
        const { socket, saw } = await dial(victim.port, watch)
        await saw(/"state":"Ready"/)
        expect(victim.watchers()).toBeGreaterThan(0)
        const closed = once(socket, 'close')
        socket[way]()
        await closed
      }
    }
    do await expectServing(victim)
    while (victim.watchers() > 0)
  })
})
