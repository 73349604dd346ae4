import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { expect } from 'vitest'
import { type WebSocket } from 'ws'
import { createClient, type SidecarError } from '../../src/index.node.js'
import { calls, untilLogged } from '../support/with-sidecar.js'
import {
  callsOf,
  dialRaw,
  listening,
  seatsIn,
  stateOf,
  test,
  textOf,
  until,
  urlOf,
  type Visitor,
} from './socket-servers.js'

test.concurrent('ready() is sent once, when the server listens', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const web = world.httpServer()
  const { client } = world.attach(sidecar, await world.webSocketServer({ server: web }))
  await client.connect()
  expect(callsOf(sidecar, 'ready')).toBe(0)
  await listening(web)
  await until(() => stateOf(sidecar), 'Ready')
  web.close()
  await once(web, 'close')
  await listening(web)
  await client.getGameServer()
  expect(callsOf(sidecar, 'ready')).toBe(1)
})

test.concurrent('a server that already listens is ready at once, also over https', async ({ world }) => {
  const [one, other] = await Promise.all([world.sidecarWithSeats(), world.sidecarWithSeats()])
  world.attach(one, await listening(world.httpServer()))
  const secure = https.createServer().listen(0, '127.0.0.1')
  world.attach(other, secure)
  await Promise.all([until(() => stateOf(one), 'Ready'), until(() => stateOf(other), 'Ready')])
  secure.close()
})

test.concurrent('ready() waits for the option ready, and isn’t sent if that promise rejects', async ({ world }) => {
  const [slow, broken] = [await world.sidecarWithSeats(), await world.sidecarWithSeats()]
  let load!: () => void
  const errors: unknown[] = []
  const ready = new Promise<void>((resolve) => (load = resolve))
  const { client } = world.attach(slow, await world.webSocketServer(), { ready })
  const failed = world.attach(broken, await world.webSocketServer(), {
    ready: Promise.reject(new Error('no map')),
    onError: ({ cause }) => errors.push(cause),
  })
  await until(() => errors, [new Error('no map')])
  await client.connect()
  expect(callsOf(slow, 'ready')).toBe(0)
  load()
  await until(() => stateOf(slow), 'Ready')
  await failed.client.getGameServer()
  expect(callsOf(broken, 'ready')).toBe(0)
})

test.concurrent('an Allocated GameServer stays Allocated when the server listens', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const before = createClient({ baseUrl: sidecar.url })
  world.onEnd(() => before.close())
  await before.allocate()
  await until(() => stateOf(sidecar), 'Allocated')
  const server = await world.webSocketServer()
  world.attach(sidecar, server)
  const ann = world.visit(server, '/?player=ann')
  await ann.opened
  await before.getGameServer()
  expect(callsOf(sidecar, 'ready')).toBe(0)
})

test.concurrent(
  'each connection takes a seat under the id in its query, or a random one, and frees the seat when it closes',
  async ({ world }) => {
    const { sidecar, server, attached } = await world.serve()
    const ids: (string | undefined)[] = []
    server.on('connection', (_, request) => ids.push(attached.idOf(request)))
    const ann = world.visit(server, '/chat?room=1&player=ann%20b')
    await ann.opened
    expect(seatsIn(sidecar)).toEqual(['ann b'])
    const other = world.visit(server)
    await other.opened
    expect(ids).toEqual(['ann b', expect.stringMatching(/^[-0-9a-f]{36}$/)])
    expect(seatsIn(sidecar)).toEqual(ids)
    ann.socket.terminate()
    await until(() => seatsIn(sidecar), [ids[1]!])
    other.socket.close()
    await until(() => seatsIn(sidecar), [])
  },
)

test.concurrent('a frame that arrives together with the upgrade request is delivered', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  sidecar.sidecar.control({ type: 'delayCalls', ms: 50, operations: ['addListValue'] })
  const heard: string[] = []
  const [plain, own] = [await world.webSocketServer({ noServer: true }), await world.webSocketServer()]
  const web = await listening(world.httpServer())
  // Like a server that asks another service before it goes on.
  web.on('upgrade', (request, socket, head) => {
    setTimeout(() => plain.handleUpgrade(request, socket, head, (ws) => plain.emit('connection', ws, request)), 5)
  })
  for (const server of [plain, own]) {
    server.on('connection', (socket: WebSocket) => socket.on('message', (data) => heard.push(textOf(data))))
  }
  world.attach(sidecar, own)
  world.attach(sidecar, web)
  await Promise.all([sendEarly(own, 'a'), sendEarly(web, 'b')])
  await until(() => heard.sort(), ['a', 'b'])
})

test.concurrent(
  'only the promised player gets a promised seat; others are refused before they connect',
  async ({ world }) => {
    const { sidecar, server, client, players } = await world.serve({}, 1)
    let connections = 0
    server.on('connection', () => connections++)
    await client.waitFor('Ready')
    sidecar.sidecar.control({ type: 'allocate', lists: { players: { addValues: ['ann'] } } })
    await until(() => players!.expected, ['ann'])
    expect(await world.visit(server, '/?player=ben').closed).toEqual([503, 'OUT_OF_RANGE'])
    await world.visit(server, '/?player=ann').opened
    expect(await world.visit(server, '/?player=cem').closed).toEqual([503, 'OUT_OF_RANGE'])
    expect([connections, players!.ids]).toEqual([1, ['ann']])
    expect(calls(sidecar)).not.toContain('addListValue')
  },
)

test.concurrent('a player who leaves while the seat is being taken leaves no seat behind', async ({ world }) => {
  const { sidecar, server } = await world.serve()
  sidecar.sidecar.control({ type: 'delayCalls', ms: 60, operations: ['addListValue'] })
  const { socket } = world.visit(server, '/?player=ann')
  await untilLogged(sidecar, () => calls(sidecar).includes('addListValue'))
  socket.terminate()
  await untilLogged(sidecar, () => calls(sidecar).includes('removeListValue'))
  await until(() => seatsIn(sidecar), [])
})

test.concurrent(
  'two connections of one player share a seat, which is free after both have closed',
  async ({ world }) => {
    const { sidecar, server, players } = await world.serve({}, 1)
    const [one, other] = [world.visit(server, '/?player=ann'), world.visit(server, '/?player=ann')]
    await Promise.all([one.opened, other.opened])
    one.socket.terminate()
    await until(() => server.clients.size, 1)
    expect(players!.ids).toEqual(['ann'])
    // A malformed escape is the player's fault, so it isn't reported as an error of the game.
    expect(await world.visit(server, '/?player=%').closed).toEqual([401, 'INVALID_ARGUMENT'])
    const again = world.visit(server, '/?player=ann')
    await again.opened
    other.socket.terminate()
    await until(() => server.clients.size, 1)
    expect(players!.has('ann')).toBe(true)
    again.socket.terminate()
    await until(() => seatsIn(sidecar), [])
  },
)

test.concurrent('idOf admits a connection with a seat or without one, or refuses it', async ({ world }) => {
  const errors: unknown[] = []
  const { sidecar, server, attached } = await world.serve({
    onError: (error) => errors.push(error),
    async idOf({ url = '' }) {
      await Promise.resolve()
      if (url === '/bug') throw new TypeError('a bug')
      return url === '/watch' ? null : url === '/nobody' ? undefined : url.slice(1)
    },
  })
  server.on('connection', (socket, request) => socket.send(String(attached.idOf(request))))
  const [ann, spectator] = [world.visit(server, '/ann'), world.visit(server, '/watch')]
  expect(await world.visit(server, '/nobody').closed).toEqual([401, 'INVALID_ARGUMENT'])
  expect(await world.visit(server, `/${'x'.repeat(5000)}`).closed).toEqual([401, 'INVALID_ARGUMENT'])
  expect(await world.visit(server, '/bug').closed).toEqual([503, 'UNKNOWN'])
  expect(errors).toEqual([expect.objectContaining({ summary: 'idOf failed', cause: new TypeError('a bug') })])
  await Promise.all([ann.opened, spectator.opened])
  await until(() => [ann.messages, spectator.messages], [['ann'], ['undefined']])
  expect(seatsIn(sidecar)).toEqual(['ann'])
})

test.concurrent(
  'seat() seats a player who logs in by a message, and seat(…, null) frees the seat',
  async ({ world }) => {
    const { sidecar, server, attached } = await world.serve({ idOf: () => null }, 1)
    server.on('connection', (socket, request) => {
      socket.on('message', (data) => {
        const id = textOf(data)
        attached.seat(request, id === 'out' ? null : id).then(
          () => socket.send(String(attached.idOf(request))),
          (error: unknown) => socket.send((error as SidecarError).code),
        )
      })
    })
    const [one, other] = [world.visit(server), world.visit(server)]
    await Promise.all([one.opened, other.opened])
    expect(attached.players!.ids).toEqual([])
    const say = async ({ socket, messages }: Visitor, text: string): Promise<string> => {
      const { length } = messages
      socket.send(text)
      await until(() => messages.length, length + 1)
      return messages.at(-1)!
    }
    expect([await say(one, 'ann'), await say(one, 'ann'), seatsIn(sidecar)]).toEqual(['ann', 'ann', ['ann']])
    expect([await say(other, 'ben'), await say(other, '')]).toEqual(['OUT_OF_RANGE', 'INVALID_ARGUMENT'])
    expect([await say(one, 'out'), await say(other, 'ben')]).toEqual(['undefined', 'ben'])
    // The player changes the name.
    expect(await say(other, 'cem')).toBe('cem')
    await until(() => seatsIn(sidecar), ['cem'])
    other.socket.terminate()
    await until(() => seatsIn(sidecar), [])
  },
)

test.concurrent('seat() rejects for a closed connection and takes no seat', async ({ world }) => {
  const { sidecar, server, attached } = await world.serve({ idOf: () => null })
  const come = once(server, 'connection') as Promise<[WebSocket, IncomingMessage]>
  const ann = world.visit(server)
  const [, request] = await come
  const seated = Promise.allSettled([attached.seat(request, 'ann')])
  const gone = new Promise((resolve) => request.socket.once('close', resolve))
  ann.socket.terminate()
  await gone
  await expect(attached.seat(request, 'ann')).rejects.toMatchObject({ code: 'CLOSED' })
  await attached.seat(request, null)
  await seated
  await until(() => seatsIn(sidecar), [])
})

test.concurrent('a connection that verifyClient refuses, or a malformed request, takes no seat', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const asked = await world.webSocketServer({ port: 0, verifyClient: (_, done) => done(false, 418, 'tea') })
  const plain = await world.webSocketServer({
    port: 0,
    path: '/game',
    verifyClient: ({ req }: { req: IncomingMessage }) => req.url !== '/game',
  })
  world.attach(sidecar, asked)
  const { client } = world.attach(sidecar, plain)
  expect(await world.visit(asked).closed).toEqual([418, 'tea'])
  expect(await world.visit(plain, '/game').closed).toEqual([401, 'Unauthorized'])
  expect(await world.visit(plain, '/elsewhere').closed).toEqual([400, 'Bad Request'])
  await world.visit(plain, '/game?player=ann').opened
  await client.getGameServer()
  expect(seatsIn(sidecar)).toEqual(['ann'])
})

test.concurrent(
  'an http.Server whose upgrades the game handles has seats, refusals, pages and the shutdown',
  async ({ world }) => {
    const sidecar = await world.sidecarWithSeats(1)
    const web = await listening(world.httpServer())
    const server = await world.webSocketServer({ noServer: true })
    const attached = world.attach(sidecar, web, {
      onEnding: () => server.clients.forEach((socket) => socket.send('bye')),
    })
    web.on('upgrade', (request, socket, head) => {
      server.handleUpgrade(request, socket, head, (ws) => ws.send(`hello ${attached.idOf(request)}`))
    })
    const ann = world.visit(web, '/?player=ann')
    await ann.opened
    expect(await world.visit(web, '/?player=ben').closed).toEqual([503, 'OUT_OF_RANGE'])
    expect(await (await fetch(urlOf(web).replace('ws', 'http'))).text()).toBe('page')
    expect(seatsIn(sidecar)).toEqual(['ann'])
    await attached.client.shutdown()
    await ann.closed
    expect(ann.messages).toEqual(['hello ann', 'bye'])
    await attached.ended
    expect(web.listening).toBe(false)
  },
)

test.concurrent(
  'on a GameServer without the list, an error is reported and all players are admitted',
  async ({ world }) => {
    const errors: unknown[] = []
    const { server } = await world.serve({ players: { list: 'guests' }, onError: (error) => errors.push(error) })
    await Promise.all(['ann', 'ben'].map((id) => world.visit(server, `/?player=${id}`).opened))
    await until(() => errors, [expect.objectContaining({ code: 'NOT_FOUND' })])
  },
)

/** Sends an upgrade and a masked message in one segment. */
async function sendEarly(server: Parameters<typeof dialRaw>[0], text: string): Promise<void> {
  const frame = Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0, ...Buffer.from(text)])
  const [answer] = (await once(dialRaw(server, text, frame), 'data')) as [Buffer]
  expect(textOf(answer)).toMatch(/^HTTP\/1.1 101 /)
}
