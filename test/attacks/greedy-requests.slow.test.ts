/** Requests that ask for much with little. */
import { readdirSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { request } from '../node/support.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectServing, startGateway, targets } from './support/targets.js'
import type { Victim } from './support/targets.js'
import { askUntil } from './support/watch.js'
import { dial, head } from './support/wire.js'

const MIB = 1024 * 1024

const startWithFiles = async (): Promise<Victim> => {
  const dir = await temporaryFolder('gameserver-greedy')
  await writeFile(join(dir, 'index.html'), '<!doctype html>')
  await writeFile(join(dir, 'game.bin'), Buffer.alloc(4 * MIB, 'x'))
  await writeFile(join(dir, 'small.js'), 'export {}')
  await writeFile(join(dir, 'large.bin'), '')
  await truncate(join(dir, 'large.bin'), 64 * MIB)
  await writeFile(join(dir, 'game.wasm.br'), brotliCompressSync(Buffer.alloc(32 * MIB)))
  return startGateway({ dir })
}

const descriptors = (): number => readdirSync('/dev/fd').length

describe('requests sent at once over one connection', () => {
  test('open one file at a time', async () => {
    const victim = await startWithFiles()
    const wires = await Promise.all(Array.from({ length: 20 }, () => dial(victim.port)))
    const before = descriptors()
    for (const { socket, send } of wires) {
      socket.pause()
      send(head('GET /game.bin', 'Host: localhost').repeat(60))
    }
    await expectServing(victim)
    await delay(500)
    expect(descriptors() - before).toBeLessThanOrEqual(4 * wires.length)
    for (const { socket } of wires) socket.destroy()
  })

  test('take one place for a watch at a time', async () => {
    const victim = await startGateway()
    const crowd = await Promise.all(Array.from({ length: 33 }, () => dial(victim.port)))
    for (const { send } of crowd) send(head('GET /_/sidecar/watch/gameserver', 'Host: localhost').repeat(63))
    await askUntil(victim, () => victim.watchers() >= crowd.length)
    const last = await dial(victim.port, head('GET /_/sidecar/watch/gameserver', 'Host: localhost'))
    await last.saw(/^HTTP\/1\.1 200 /)
    expect(victim.watchers()).toBe(crowd.length + 1)
    for (const { socket } of [...crowd, last]) socket.destroy()
  })
})

test('files that are unpacked for clients who read nothing are a handful, and the others get 503', async () => {
  const victim = await startWithFiles()
  const ask = head('GET /game.wasm.br', 'Host: localhost', 'Accept-Encoding: identity')
  const wires = await Promise.all(Array.from({ length: 8 }, () => dial(victim.port)))
  for (const { socket, send } of wires) {
    socket.pause()
    send(ask)
  }
  await delay(300)
  const answer = await request(victim.port, 'GET /game.wasm.br', ['Host: localhost', 'Accept-Encoding: identity'])
  expect(answer.status).toBe(503)
  await expectServing(victim)
  for (const { socket } of wires) socket.destroy()
})

test.each(targets)(
  '$name: a body in chunks of one byte each takes no more memory than its bytes',
  async ({ start }) => {
    const victim = await start()
    const wire = await dial(
      victim.port,
      head(
        `POST ${victim.at('/health')}`,
        'Host: localhost',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ),
    )
    const part = '1\r\nx\r\n'.repeat(20_000)
    const before = process.memoryUsage().rss
    for (let sent = 0; sent < 100; sent++) {
      if (!wire.socket.write(part)) await new Promise((resolve) => wire.socket.once('drain', resolve))
    }
    await expectServing(victim)
    // Two million chunks; each was kept as an object of 390 bytes.
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB)
    wire.socket.destroy()
  },
)

test('a Range of blanks costs a time that grows with its length', async () => {
  const victim = await startWithFiles()
  const range = `Range: bytes=x${' '.repeat(15_000)}y`
  // Sixty of them once took ten seconds in which nobody else was answered; this many would take minutes.
  const wires = await Promise.all(Array.from({ length: 20 }, () => dial(victim.port)))
  for (const { send } of wires) send(head('GET /small.js', 'Host: localhost', range).repeat(60))
  await expectServing(victim)
  for (const { socket } of wires) socket.destroy()
})

test('a large file is sent whole to a client that offers another upgrade', async () => {
  const victim = await startWithFiles()
  const answer = await request(victim.port, 'GET /game.bin', [
    'Host: localhost',
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
  ])
  expect(answer.status).toBe(200)
  expect(answer.body).toHaveLength(4 * MIB)
})

test('many slow downloads that begin at once leave room for calls', async () => {
  const victim = await startWithFiles()
  const wires = await Promise.all(Array.from({ length: 400 }, () => dial(victim.port)))
  for (const { socket, send } of wires) {
    // What comes is not kept: it would be gigabytes where the test takes long.
    socket.removeAllListeners('data').pause()
    send(head('GET /large.bin', 'Host: localhost'))
  }
  const sip = setInterval(() => {
    for (const { socket } of wires) socket.read(100_000)
  }, 200)
  for (let round = 0; round < 6; round++) {
    await delay(500)
    await expectServing(victim)
  }
  clearInterval(sip)
  for (const { socket } of wires) socket.destroy()
})
