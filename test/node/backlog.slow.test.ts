import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { LocalSidecar } from '../../src/node/index.js'
import { createBacklog } from '../../src/node/local/backlog.js'
import { converse, openSocket, websocketHeaders } from './support.js'

const MIB = 1024 * 1024

describe('the backlog of all readers', () => {
  test('counts memory once that many share, and cuts those who have waited longest for memory of their own', () => {
    const cut: string[] = []
    const backlog = createBacklog(100)
    const open = (name: string) => backlog(() => cut.push(name))
    const shared = new Uint8Array(60)
    const [first, second, third, last] = [open('first'), open('second'), open('third'), open('last')]
    first.hold(shared)
    second.hold(shared.subarray(10))
    third.hold(new Uint8Array(40))
    expect(cut).toEqual([])
    last.hold(new Uint8Array(30))
    expect(cut).toEqual(['first', 'second'])
  })

  test('forgets what has left, and whoever has ended', () => {
    const cut: string[] = []
    const backlog = createBacklog(100)
    const open = (name: string) => backlog(() => cut.push(name))
    const [first, second, third] = [open('first'), open('second'), open('third')]
    const left = first.hold(new Uint8Array(100))
    left()
    left()
    second.hold(new Uint8Array(100))
    second.end()
    third.hold(new Uint8Array(100))
    expect(cut).toEqual([])
    open('last').hold(new Uint8Array(1_000))
    expect(cut).toEqual(['third'])
  })
})

async function start(): Promise<LocalSidecar> {
  const local = await createLocalSidecar({ mode: 'local', wsLimit: 0, onWarning: () => undefined })
  onTestFinished(() => local.close())
  expect(local.control({ type: 'padObject', bytes: 8 * MIB })).toEqual({ ok: true })
  return local
}

/** Asks and never reads the answer. */
async function unread(local: LocalSidecar, path: string, headers: readonly string[] = []): Promise<Socket> {
  const socket = await openSocket(local.port)
  socket.pause()
  socket.write([`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'))
  return socket
}

describe.each([
  ['over HTTP', []],
  ['over WebSocket', websocketHeaders],
])('watchers %s that never read', (_name, headers) => {
  test('hold 128 MiB of old objects at most: who has waited longest is cut', async () => {
    const local = await start()
    const watchers = (): readonly { readonly id: number }[] => local.sidecar.snapshot().watchers
    let newest: number | undefined
    for (let i = 0; i < 24; i += 1) {
      local.control({ type: 'setLabel', key: 'version', value: String(i) })
      await unread(local, '/watch/gameserver', headers)
      await expect.poll(() => watchers().at(-1)?.id, { interval: 5 }).not.toBe(newest)
      newest = watchers().at(-1)?.id
    }
    await expect.poll(() => watchers().length).toBeLessThan(17)
    expect(watchers().length).toBeGreaterThan(10)
    expect(watchers().at(-1)?.id).toBe(newest)
    const response = await fetch(`${local.url}/watch/gameserver`)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let line = ''
    while (!line.includes('\n')) line += (await reader.read()).value ?? '\n'
    expect(JSON.parse(line)).toMatchObject({ result: { object_meta: { labels: { version: '23' } } } })
    await reader.cancel()
  })

  test('are not cut while they wait for the same object', async () => {
    const local = await start()
    for (let i = 0; i < 40; i += 1) await unread(local, '/watch/gameserver', headers)
    await expect.poll(() => local.sidecar.snapshot().watchers.length).toBe(40)
    expect((await fetch(`${local.url}/ready`, { method: 'POST', body: '{}' })).status).toBe(200)
    expect(local.sidecar.snapshot().watchers).toHaveLength(40)
  })
})

/** Whether the whole object arrives at a reader that reads at last. */
const isWhole = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    let size = 0
    socket.resume()
    socket.once('close', () => resolve(false))
    socket.on('data', ({ byteLength }) => {
      size += byteLength
      if (size > 7 * MIB) resolve(true)
    })
  })

test.each([
  ['/_/api/events', 'readers of events'],
  ['/gameserver', 'calls over WebSocket'],
])('%s: %s that never read hold 128 MiB of old objects at most', async (path) => {
  const local = await start()
  const sockets: Socket[] = []
  for (let i = 0; i < 24; i += 1) {
    local.control({ type: 'setLabel', key: 'version', value: String(i) })
    const socket = await unread(local, path, websocketHeaders)
    sockets.push(socket)
    // Readable: the greeting is on its way.
    socket.resume()
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
  }
  const whole = await Promise.all(sockets.map(isWhole))
  expect(whole.slice(0, 4)).toEqual([false, false, false, false])
  expect(whole.slice(-10)).toEqual(Array.from({ length: 10 }, () => true))
})

test('readers of events share the bytes of an object', async () => {
  const local = await start()
  const first = converse(`${local.url}/_/api/events`)
  expect(JSON.parse(await first.frame(0))).toMatchObject({ type: 'state', state: { mode: 'local' } })
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 16; i += 1) {
    const socket = await unread(local, '/_/api/events', websocketHeaders)
    socket.resume()
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MIB)
})

test('a log of any size is read in answers of 8 MiB at most, each from where the last one ended', async () => {
  const local = await createLocalSidecar({ mode: 'local', onWarning: () => undefined })
  onTestFinished(() => local.close())
  // Each character of the value takes six in JSON.
  const value = '\u0001'.repeat(MIB)
  for (let i = 0; i < 6; i += 1) local.control({ type: 'setAnnotation', key: 'note', value: value + String(i) })
  const seen: number[] = []
  let more = true
  while (more) {
    const response = await fetch(`${local.url}/_/api/log?since=${seen.at(-1) ?? 0}`)
    const text = await response.text()
    expect(text.length).toBeLessThan(8 * MIB + 1_000)
    const log = JSON.parse(text) as { readonly entries: readonly { readonly seq: number }[]; readonly more?: true }
    expect(log.entries.length).toBeGreaterThan(0)
    seen.push(...log.entries.map(({ seq }) => seq))
    more = log.more === true
  }
  expect(seen).toEqual(local.sidecar.log.entries().map(({ seq }) => seq))
  expect(seen.length).toBeGreaterThan(5)
})
