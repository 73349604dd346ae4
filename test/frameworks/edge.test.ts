import { once, type EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attachServer, type SocketIoServerLike } from '../../src/players/socket.io.js'
import { missing, startEdge } from '../edge/edge-support.js'
import { describeUnless } from '../support/describe-unless.js'
import { freePort } from '../support/free-port.js'
import { root } from '../support/source.js'
import { startSidecar } from '../support/with-sidecar.js'
import { startGame, versions } from './support/colyseus-game.js'

interface IoServer extends SocketIoServerLike {
  on(event: 'connection', listener: (socket: EventEmitter) => void): void
  close(): void
}

describeUnless(missing, 'through the edge', () => {
  for (const { version, node } of versions) {
    test.runIf(node)(`a page takes the seat of Colyseus ${version} that its matchmaker asked for`, async (context) => {
      const port = await freePort()
      const { url } = await startEdge(['127.0.0.1/32'], [port, port])
      const game = await startGame({ version, node }, context, { port })
      await game.told({ listening: port })
      const { joined } = await game.command('joinThrough', { edge: url, id: 'ann' })
      expect([joined, game.seats()]).toEqual([0, ['ann']])
    })
  }

  const packages = join(root, 'test/frameworks/socket.io/package.json')
  const isInstalled = existsSync(packages.replace('package.json', 'node_modules/socket.io'))
  test.runIf(isInstalled)(
    'a page’s client of Socket.IO connects, and the server knows its address',
    async (context) => {
      const load = createRequire(packages)
      const { Server } = load('socket.io') as { Server: new (server: http.Server) => IoServer }
      const { io: connect } = load('socket.io-client') as {
        io: (url: string, options: object) => EventEmitter & { disconnect(): void }
      }
      const port = await freePort()
      const { url } = await startEdge(['127.0.0.1/32'], [port, port])
      const sidecar = await startSidecar()
      const io = new Server(http.createServer().listen(port, '127.0.0.1'))
      context.onTestFinished(() => io.close())
      const client = { baseUrl: sidecar.url, processSignals: false }
      const game = attachServer(io, { client, players: false, trustProxy: ['127.0.0.0/8'] })
      context.onTestFinished(() => game.close())
      io.on('connection', (socket) => socket.emit('address', game.addressOf(socket)))
      const headers = { rejectUnauthorized: false, extraHeaders: { 'x-forwarded-for': '203.0.113.66' } }
      const player = connect(url, { path: `/127.0.0.1/${port}/socket.io`, transports: ['websocket'], ...headers })
      context.onTestFinished(() => player.disconnect())
      expect(await once(player, 'address')).toEqual(['127.0.0.1'])
    },
  )
})
