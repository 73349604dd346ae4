import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createWebSocketClass } from '../../src/frames/index.js'
import { nodeConnect } from '../../src/node/node-connect.js'

const failures: [string, (socket: Socket) => unknown][] = [
  ['is silent', () => undefined],
  ['is cut at once', (socket) => socket.resetAndDestroy()],
  ['ends before the head', (socket) => socket.end()],
  ['is refused, and stays open', (socket) => socket.write('HTTP/1.1 403 Forbidden\r\n\r\n')],
  ['is no HTTP', (socket) => socket.write('SSH-2.0-OpenSSH\r\n\r\n')],
  ['has half a head', (socket) => socket.write('HTTP/1.1 101 Switching')],
]

test.each(failures)('1,000 connections, each of which %s, leave no descriptor and no timer', async (_name, act) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    theirs.add(socket)
    socket.on('error', () => undefined).on('close', () => theirs.delete(socket))
    act(socket)
  })
  const theirs = new Set<Socket>()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of theirs) socket.destroy()
    server.close()
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const WebSocket = createWebSocketClass(nodeConnect, { timeout: 200 })
  const descriptors = (): number => readdirSync('/dev/fd').length - theirs.size
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = { descriptors: descriptors(), timers: timers() }
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 100 }, () => {
        const socket = new WebSocket(url)
        return new Promise((resolve) => {
          socket.onclose = resolve
        })
      }),
    )
  }
  await vi.waitFor(
    () => {
      expect(descriptors()).toBeLessThanOrEqual(before.descriptors)
      expect(timers()).toBeLessThanOrEqual(before.timers + 1)
    },
    { timeout: 20_000 },
  )
})
