import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { limitConnections } from '../../src/node/http/connection-limit.js'
import { ConnectionDropped } from '../../src/sidecar/index.js'
import { echoSidecar, openSocket, request, serve } from './support.js'

const HOST = ['Host: localhost']

describe('requests reach the sidecar as they are', () => {
  test('targets, before any URL parser', async () => {
    const sidecar = echoSidecar()
    const { port } = await serve(sidecar)
    const targets = [
      '//gameserver',
      '/gameserver/',
      '/a/../gameserver',
      '/%zz',
      '/gameserver?a=%zz',
      '/v1beta1/lists/a%2Fb',
    ]
    for (const target of targets) await request(port, `GET ${target}`, HOST)
    expect(sidecar.asked).toEqual(targets.map((target) => `GET ${target}`))
  })

  test('methods that WHATWG requests refuse or rewrite', async () => {
    const sidecar = echoSidecar()
    const { port } = await serve(sidecar)
    for (const method of ['TRACE', 'OPTIONS', 'HEAD', 'DELETE']) await request(port, `${method} /ready`, HOST)
    expect(sidecar.asked).toEqual(['TRACE /ready', 'OPTIONS /ready', 'HEAD /ready', 'DELETE /ready'])
  })
})

describe('an answer', () => {
  test('to HEAD has the length and no body', async () => {
    const { port } = await serve(echoSidecar())
    const answer = await request(port, 'HEAD /gameserver', HOST)
    expect(answer.head.toLowerCase()).toContain('content-length: 2')
    expect(answer.body).toBe('')
  })

  test('that comes before the body was read is received all the same', async () => {
    const { port } = await serve({
      handle: async (incoming) => {
        await incoming.body?.cancel()
        return new Response('{}', { status: 429, headers: { 'content-length': '2' } })
      },
    })
    const response = await fetch(`http://localhost:${port}/ready`, {
      method: 'POST',
      body: 'x'.repeat(6 * 1024 * 1024),
    })
    expect(response.status).toBe(429)
    expect(await response.text()).toBe('{}')
  })

  test('that is a stream arrives piece by piece and is cancelled when the client leaves', async () => {
    let cancelled: () => void
    const isCancelled = new Promise<void>((resolve) => (cancelled = resolve))
    const { port } = await serve({
      handle: async () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode('first\n')),
            cancel: () => cancelled(),
          }),
        ),
    })
    const stop = new AbortController()
    const response = await fetch(`http://localhost:${port}/watch/gameserver`, { signal: stop.signal })
    const reader = response.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('first\n')
    stop.abort()
    await isCancelled
  })

  test('that is a stream and fails ends without the last chunk', async () => {
    let fail = (): void => undefined
    const { port, faults } = await serve({
      handle: async () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('first\n'))
              fail = () => controller.error(new ConnectionDropped('restart'))
            },
          }),
        ),
    })
    const response = await fetch(`http://localhost:${port}/watch/gameserver`)
    fail()
    await expect(response.text()).rejects.toThrow()
    expect(faults).toEqual([])
  })

  test('that is complete at once is sent with its length, one that goes on is not', async () => {
    const stream = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(2)) })
    const { port } = await serve({
      handle: async (_incoming, raw) => new Response(raw?.target === '/all' ? '{"all":true}' : stream),
    })
    const all = await fetch(`http://localhost:${port}/all`)
    expect(all.headers.get('content-length')).toBe('12')
    expect(all.headers.get('transfer-encoding')).toBeNull()
    const watch = await fetch(`http://localhost:${port}/watch`)
    expect(watch.headers.get('content-length')).toBeNull()
    await watch.body!.cancel()
  })

  test('that the sidecar would never have given is a connection cut', async () => {
    const { port, faults } = await serve({ handle: () => Promise.reject(new ConnectionDropped('dropped')) })
    expect((await request(port, 'GET /gameserver', HOST)).status).toBe(0)
    expect(faults).toEqual([])
  })

  test("to a client that left in the middle of its request is nobody's fault", async () => {
    let failed: (error: unknown) => void
    const failure = new Promise((resolve) => (failed = resolve))
    const { port, faults } = await serve({
      handle: (incoming) =>
        incoming.text().then(
          () => new Response(),
          (error: unknown) => {
            failed(error)
            throw error
          },
        ),
    })
    const socket = await openSocket(port)
    socket.write('POST /ready HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
    await new Promise(setImmediate)
    socket.destroy()
    await failure
    expect((await request(port, 'GET /refused', [])).status).toBe(400)
    expect(faults).toEqual([])
  })

  test('that fails inside is a connection cut and a report, and the server lives', async () => {
    const sidecar = echoSidecar()
    let broken = true
    const { port, faults } = await serve({
      handle: (...args) => (broken ? Promise.reject(new Error('bug')) : sidecar.handle!(...args)),
    })
    expect((await request(port, 'GET /gameserver', HOST)).status).toBe(0)
    expect(faults).toEqual([new Error('bug')])
    broken = false
    expect((await request(port, 'GET /gameserver', HOST)).status).toBe(200)
  })
})

/** A server whose connections are limited, and the sockets that it accepted. */
async function startLimited(limit: number, total: number, graceMs: number) {
  const server = createServer((message, reply) => {
    limited.begin(message.socket, reply)
    if (message.url !== '/held') reply.end('ok')
  })
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  const limited = limitConnections(server, limit, total, graceMs)
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => accepted.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, accepted, exempt: limited.exempt, port: (server.address() as AddressInfo).port }
}

test('over the limit for all, the one that has asked for nothing for the longest goes at once', async () => {
  const { server, accepted, exempt, port } = await startLimited(2, 5, 1e6)
  const watcher = await openSocket(port)
  await request(port, 'GET /', HOST)
  exempt(accepted[0]!)
  const [answered, held, first, second] = await Promise.all([1, 2, 3, 4].map(() => openSocket(port)))
  while (accepted.length < 6) await once(server, 'connection')
  answered!.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(answered!, 'data')
  held!.write('GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(server, 'request')
  const gone = Promise.race([first!, second!].map((socket) => once(socket, 'close')))
  const last = await openSocket(port)
  await gone
  expect([watcher, answered!, held!, last].map((socket) => socket.destroyed)).toEqual([false, false, false, false])
})

test('silent connections over the limit make the oldest of them go, watchers excepted', async () => {
  const { accepted, exempt, port } = await startLimited(3, 100, 0)
  const watcher = await openSocket(port)
  await request(port, 'GET /', HOST)
  exempt(accepted[0]!)
  const silent = [await openSocket(port), await openSocket(port), await openSocket(port)]
  const left = once(silent[0]!, 'close')
  expect((await request(port, 'GET /', HOST)).body).toBe('ok')
  await left
  expect([watcher, ...silent].map((socket) => socket.destroyed)).toEqual([false, true, false, false])
})
