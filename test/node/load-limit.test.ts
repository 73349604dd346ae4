import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { LocalSidecar } from '../../src/node/index.js'
import { createLoadLimit } from '../../src/node/http/load-limit.js'
import { openSocket } from './support.js'

/** Reads the answer to its end: a connection with unread bytes stays open. */
const statusOf = async (url: string, init?: RequestInit): Promise<number> => {
  const answer = await fetch(url, init)
  await answer.arrayBuffer()
  return answer.status
}

const MIB = 1024 * 1024

async function start(): Promise<LocalSidecar> {
  const local = await createLocalSidecar({ mode: 'local', onWarning: () => undefined })
  onTestFinished(() => local.close())
  return local
}

const ready = async (local: LocalSidecar): Promise<number> =>
  (await fetch(`${local.url}/ready`, { method: 'POST', body: '{}' })).status

describe('a limit of what is held', () => {
  test('lets small ones and a single large one pass, and refuses more', () => {
    const limit = createLoadLimit(10, 100)
    const [alone, second, small] = [limit(), limit(), limit()]
    expect(alone.add(1_000)).toBe(true)
    expect(second.add(11)).toBe(false)
    expect(small.add(10)).toBe(true)
    alone.end()
    expect(second.add(90)).toBe(true)
    expect(limit().add(11)).toBe(false)
  })

  test('is given back once, however often it is ended', () => {
    const limit = createLoadLimit(0, 100)
    const first = limit()
    first.add(100)
    first.end()
    first.end()
    expect(limit().add(100)).toBe(true)
    expect(limit().add(1)).toBe(false)
  })
})

test('bodies that are not complete take 64 MiB together at most, and small calls pass beside them', async () => {
  const local = await start()
  const sockets = await Promise.all(Array.from({ length: 30 }, () => openSocket(local.port)))
  const answers = sockets.map(
    (socket) => new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes)))),
  )
  for (const socket of sockets) {
    socket.write(`POST /ready HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${4 * MIB}\r\n\r\n`)
    socket.write('x'.repeat(4 * MIB - 1))
  }
  // Sixteen of them fit, so fourteen are refused; an answer comes for no other.
  let refused = 0
  await new Promise<void>((resolve) => {
    for (const answer of answers) {
      void answer.then((text) => {
        expect(text).toMatch(/^HTTP\/1\.1 503 [^]*"code":14,"message":"Too many large requests at once"/)
        if (++refused === 14) resolve()
      })
    }
  })
  expect(await ready(local)).toBe(200)
  for (const socket of sockets) socket.destroy()
  const body = `{"a":"${'x'.repeat(4 * MIB - 100)}"}`
  await expect.poll(async () => await statusOf(`${local.url}/ready`, { method: 'POST', body })).toBe(200)
})

test('answers that nobody reads take 64 MiB together at most, and small answers pass beside them', async () => {
  const local = await start()
  expect(local.control({ type: 'padObject', bytes: 8 * MIB })).toEqual({ ok: true })
  const sockets = await Promise.all(Array.from({ length: 12 }, () => openSocket(local.port)))
  for (const socket of sockets) {
    socket.pause()
    socket.write('GET /gameserver HTTP/1.1\r\nHost: localhost\r\n\r\n')
  }
  await expect.poll(async () => await statusOf(`${local.url}/gameserver`)).toBe(503)
  expect(await ready(local)).toBe(200)
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => await statusOf(`${local.url}/gameserver`)).toBe(200)
})

test('who sends pings without end waits for everybody else', async () => {
  const local = await start()
  const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0])
  const pings = Buffer.concat(Array.from({ length: 100_000 }, () => ping))
  const upgrade =
    'GET /watch/gameserver HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  let pongs = 0
  for (let i = 0; i < 4; i += 1) {
    const socket = await openSocket(local.port)
    const greeted = new Promise((resolve) => socket.once('data', resolve))
    socket.write(upgrade)
    await greeted
    // An answer to such a ping has two bytes.
    socket.on('data', (bytes) => (pongs += bytes.byteLength / 2))
    socket.write(pings)
  }
  for (let i = 0; i < 20; i += 1) expect(await statusOf(`${local.url}/gameserver`)).toBe(200)
  expect(pongs).toBeLessThan(200_000)
})
