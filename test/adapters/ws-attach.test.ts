import { EventEmitter } from 'node:events'
import http from 'node:http'
import { expect } from 'vitest'
import { WebSocketServer } from 'ws'
import { attachServer as attachSocketIo } from '../../src/players/socket.io.js'
import { attachServer } from '../../src/players/ws.js'
import { listening, seatsIn, stateOf, test, textOf, until } from './socket-servers.js'

/** The server's listeners by event. */
const listenersOf = (server: EventEmitter): Record<string, unknown[]> =>
  Object.fromEntries(server.eventNames().map((name) => [name, server.listeners(name)]))

test.concurrent('close() restores the server and keeps its players connected', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const web = world.httpServer()
  const [own, beside] = [await world.webSocketServer(), await world.webSocketServer({ server: web })]
  for (const server of [own, beside]) {
    server.on('connection', (socket) => socket.on('message', (data) => socket.send(`you said ${textOf(data)}`)))
  }
  const before = [own, beside, web].map(listenersOf)
  const attached = [own, beside, web].map((server) => world.attach(sidecar, server))
  await listening(web)
  await until(() => stateOf(sidecar), 'Ready')
  const ann = world.visit(own, '/?player=ann')
  await ann.opened
  const seats = seatsIn(sidecar)
  attached.forEach(({ close }) => close())
  attached.forEach(({ close }) => close())
  const after = [own, beside, web].map(listenersOf)
  after.forEach((listeners, index) => expect(listeners).toEqual(before[index]))
  expect(JSON.stringify([own, beside].map(({ options }) => options.verifyClient))).toBe('[null,null]')
  expect(Object.keys(web)).not.toContain('emit')
  await Promise.all(attached.map(({ ended }) => ended))
  expect(attached.map(({ client }) => client.status.connection)).toEqual(['closed', 'closed', 'closed'])

  const late = [world.visit(own, '/?player=ben'), world.visit(beside, '/?player=cem')]
  for (const { socket, opened } of [ann, ...late]) {
    await opened
    socket.send('hello')
  }
  await until(() => [ann, ...late].map(({ messages }) => messages), Array(3).fill(['you said hello']))
  expect(seatsIn(sidecar)).toEqual(seats)
})

test.concurrent('after close(), a server that starts to listen sends no ready()', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const web = world.httpServer()
  const before = listenersOf(web)
  world.attach(sidecar, web).close()
  expect(listenersOf(web)).toEqual(before)
  await listening(web)
  expect(stateOf(sidecar)).not.toBe('Ready')
})

const client = { baseUrl: 'http://127.0.0.1:1', autoHealth: false, processSignals: false }
const app = Object.assign(() => {}, { listen() {}, use() {} })
const WANTED = 'a WebSocketServer of ws or an http.Server'
const noServers: [string, unknown][] = [
  ['undefined', undefined],
  ['an app', app],
  ['another emitter', new EventEmitter()],
  ['a server of Socket.IO', { of() {}, attach() {} }],
]

test.each(noServers)('attachServer refuses %s as a server, and the error names what it takes', (_, server) => {
  const message = expect.stringContaining(
    `server must be ${WANTED}; Socket.IO has gameserver-sidecar/socket.io`,
  ) as string
  expect(() => attachServer(server as never, { client })).toThrow(expect.objectContaining({ code: 'CONFIG', message }))
})

test.each([
  ['a server of ws', new EventEmitter()],
  ['a server of Socket.IO 2, whose namespaces have no Map', { of: () => ({ sockets: {} }), attach() {} }],
])('the Socket.IO adapter refuses %s and names what it takes', (_, server) => {
  const message = 'server must be a Server of socket.io 4; ws and an http.Server have gameserver-sidecar/ws; got '
  expect(() => attachSocketIo(server as never, { client })).toThrow(message)
})

const wrongOptions: [object, RegExp][] = [
  [{ player: false }, /^There is no option "player"\. Did you mean "players"\?$/],
  [{ ready: true }, /^ready must be a promise; got true$/],
  [{ unallocated: 'deny' }, /^unallocated must be refuse or allocate; got "deny"$/],
  [{ endWhenEmpty: { delay: 1 } }, /^There is no endWhenEmpty option "delay"/],
  [{ namespace: '/' }, /^There is no option "namespace"/],
  [{ players: { noShow: -1 } }, /^noShow must be /],
]

test.each(wrongOptions)('options %o are refused, and the server is unchanged', (options, message) => {
  const server = http.createServer()
  const before = listenersOf(server)
  expect(() => attachServer(server, { client, ...options })).toThrow(message)
  expect(listenersOf(server)).toEqual(before)
  expect(Object.keys(server)).not.toContain('emit')
})

test('the error for a WebSocketServer with noServer asks for the http.Server beside it', () => {
  const server = new WebSocketServer({ noServer: true })
  const message = /^options\.server must be the http\.Server whose upgrades are handed over; got /
  expect(() => attachServer(server, { client })).toThrow(message)
  expect(() => attachServer(server, { client, server: {} as never })).toThrow(message)
  expect(server.options.verifyClient).toBeNull()
})
