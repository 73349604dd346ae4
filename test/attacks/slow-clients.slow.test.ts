import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { gather } from './support/crowd.js'
import { expectRefusal, expectServing, startGateway, targets } from './support/targets.js'
import { annotate, askUntil, openWatch } from './support/watch.js'
import { dial, head, readAnswers } from './support/wire.js'

const MIB = 1024 * 1024

test('a head that comes byte by byte is given up after ten seconds, in words', async () => {
  await Promise.all(
    targets.map(async ({ start }) => {
      const victim = await start()
      const wire = await dial(victim.port, 'GET /gameserver HTTP/1.1\r\nHost: localhost\r\nX: ')
      const timer = setInterval(() => wire.send('a'), 200)
      const answers = readAnswers(await wire.ended)
      clearInterval(timer)
      expect(answers).toHaveLength(1)
      expectRefusal(answers[0], 408)
      await expectServing(victim)
    }),
  )
})

test('a large file that a hundred clients ask for and do not read is not kept for them', async () => {
  const dir = await temporaryFolder('gameserver-large')
  await writeFile(join(dir, 'large.bin'), Buffer.alloc(32 * MIB))
  const victim = await startGateway({ dir })
  const before = process.memoryUsage.rss()
  const clients = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const wire = await dial(victim.port)
      wire.socket.pause()
      wire.send(head('GET /large.bin', 'Host: localhost'))
      return wire
    }),
  )
  for (let i = 0; i < 200; i += 1) await expectServing(victim)
  expect(process.memoryUsage.rss() - before).toBeLessThan(400 * MIB)
  for (const { socket } of clients) socket.destroy()
  await expectServing(victim)
})

describe.each(targets)('$name', ({ start }) => {
  test.each([
    ['heads', 'GET /gameserver HTTP/1.1\r\nHost: localhost\r\nX: ', 'a'],
    ['bodies', 'POST /ready HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n', ' '],
    ['chunks', 'POST /ready HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\n \r\n'],
  ])('400 clients whose %s come byte by byte keep nobody waiting', async (_what, text, drip) => {
    const victim = await start()
    const watch = await openWatch(victim, 'websocket')
    const placed = text.replace(/\/(gameserver|ready)/, (path) => victim.at(path))
    const crowd = gather({ port: victim.port, count: 400, text: placed, drip })
    await crowd.there
    await askUntil(victim, async () => (await crowd.count()).open <= 256)
    await annotate(victim, 'served')
    await watch.saw(/"served"/)
    expect(victim.reached().filter((event) => event === 'ready')).toEqual([])
  })

  test('watchers that read nothing cost little and hold up nobody', async () => {
    const victim = await start()
    const reader = await openWatch(victim, 'stream')
    const stalled = []
    for (let i = 0; i < 40; i += 1) stalled.push(await openWatch(victim, i % 2 ? 'stream' : 'websocket'))
    for (const { socket } of stalled) socket.pause()
    const before = process.memoryUsage.rss()
    for (let i = 0; i < 400; i += 1) await annotate(victim, `${i} ${'x'.repeat(40_000)}`)
    await reader.saw(/"399 x/)
    // Kept for each of them they would be 640 MB.
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * MIB)
    await expectServing(victim)
  })
})
