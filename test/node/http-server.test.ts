import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { limitConnections } from '../../src/local/http/guarded-server.js'
import { ConnectionDropped } from '../../src/platform/sidecar.js'
import { listenHere } from '../support/listen.js'
import { ask, dial } from '../support/wire.js'
import { openSocket, serve } from './support.js'

const HOST = ['Host: localhost']

describe('answers', () => {
  test('a stream that fails ends without its last chunk', async () => {
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

  test('an answer that is complete at once is sent with its length, also to HEAD; a stream is not', async () => {
    const stream = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(2)) })
    const { port } = await serve({
      handle: async ({ url }) => new Response(url === '/all' ? '{"all":true}' : stream),
    })
    for (const [method, body] of [
      ['GET', '{"all":true}'],
      ['HEAD', ''],
    ] as const) {
      const all = await ask(port, `${method} /all`, HOST)
      expect([all.body, all.headers['content-length']]).toEqual([body, '12'])
    }
    const watch = await fetch(`http://localhost:${port}/watch`)
    expect(watch.headers.get('content-length')).toBeNull()
    await watch.body!.cancel()
  })

  test('a failing answer cuts the connection and is reported; one that the sidecar dropped resets it; the server lives', async () => {
    const errors = [new ConnectionDropped('dropped'), new Error('bug')]
    const { port, faults } = await serve({
      handle: () => (errors.length > 0 ? Promise.reject(errors.shift()!) : Promise.resolve(new Response('{}'))),
    })
    const isReset = async (): Promise<boolean> => {
      const { socket } = await dial(port, 'GET /gameserver HTTP/1.1\r\nHost: localhost\r\n\r\n')
      return new Promise((resolve) => socket.once('close', resolve))
    }
    expect([await isReset(), await isReset()]).toEqual([true, false])
    expect((await ask(port, 'GET /gameserver', HOST)).status).toBe(200)
    expect(faults).toEqual([new Error('bug')])
  })
})

/** A server whose connections are limited, and the sockets that it accepted. */
async function startLimited(limit: number, total: number, graceMs: number) {
  const server = createServer((message, reply) => {
    limited.begin(message.socket, reply)
    if (message.url !== '/held') reply.end('ok')
  })
  const limited = limitConnections(server, limit, total, graceMs)
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => accepted.push(socket))
  return { server, accepted, exempt: limited.exempt, port: await listenHere(server) }
}

test('a connection over the total limit closes the connection that has been idle longest', async () => {
  const { server, accepted, exempt, port } = await startLimited(2, 5, 1e6)
  const watcher = await openSocket(port)
  await ask(port, 'GET /', HOST)
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

test('over the limit for silent connections, the oldest is cut, and watchers stay', async () => {
  const { accepted, exempt, port } = await startLimited(3, 100, 0)
  const watcher = await openSocket(port)
  await ask(port, 'GET /', HOST)
  exempt(accepted[0]!)
  const silent = [await openSocket(port), await openSocket(port), await openSocket(port)]
  const left = once(silent[0]!, 'close')
  expect((await ask(port, 'GET /', HOST)).body).toBe('ok')
  await left
  expect([watcher, ...silent].map((socket) => socket.destroyed)).toEqual([false, true, false, false])
})
