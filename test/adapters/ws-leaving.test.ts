import { connect, type Socket } from 'node:net'
import type { IncomingMessage } from 'node:http'
import { expect } from 'vitest'
import type { AttachWsOptions } from '../../src/adapters/ws.js'
import { listening, test, until, urlOf, type World } from './socket-servers.js'

type Server = Parameters<World['attach']>[1]
/** Resolves once the first player has gone, and at once for all others. */
type Wait = (request: { readonly socket: object }) => Promise<void>

/** A server that hands each upgrade to ws once `wait` is over, and the http.Server before it. */
async function slowUpgrades(world: World, wait: Wait) {
  const web = await listening(world.httpServer())
  const server = await world.webSocketServer({ noServer: true })
  web.on('upgrade', (request, socket, head) => {
    void wait(request).then(() => server.handleUpgrade(request, socket, head, () => {}))
  })
  return { web, server }
}

/** Each point at which a server may wait before a player is in. */
const points: Record<string, (world: World, wait: Wait) => Promise<[Server, AttachWsOptions?]>> = {
  'the verifyClient of the game': async (world, wait) => [
    await world.webSocketServer({
      port: 0,
      verifyClient: ({ req }: { req: IncomingMessage }, done) => void wait(req).then(() => done(true)),
    }),
  ],
  'an upgrade that the game hands over later': async (world, wait) => {
    const { web, server } = await slowUpgrades(world, wait)
    return [server, { server: web }]
  },
  'an upgrade that the game handles later': async (world, wait) => [(await slowUpgrades(world, wait)).web],
  'idOf of a WebSocketServer': async (world, wait) => [
    await world.webSocketServer(),
    { idOf: (request) => wait(request).then(() => request.url) },
  ],
  'idOf of an http.Server': async (world, wait) => [
    (await slowUpgrades(world, () => Promise.resolve())).web,
    { idOf: (request) => wait(request).then(() => request.url) },
  ],
}

/** How a player goes. Of a connection that is only half closed, Node tells no `close`. */
const leaves = {
  'resets the connection': (player: Socket) => player.resetAndDestroy(),
  'ends the connection': (player: Socket) => player.end(),
}

const cases = Object.keys(points).flatMap((point) => Object.keys(leaves).map((how) => [how, point] as const))

test.concurrent.for(cases)('a player who %s during %s keeps no seat', async ([how, point], { world }) => {
  const sidecar = await world.sidecarWithSeats(1)
  let players = 0
  let tellPassed!: () => void
  const passed = new Promise<void>((resolve) => (tellPassed = resolve))
  const wait: Wait = async ({ socket }) => {
    if (players++) return
    const gone = new Promise<void>((resolve) => {
      for (const event of ['end', 'close']) (socket as Socket).once(event, () => resolve()).on('error', () => {})
    })
    leaves[how as keyof typeof leaves](ann)
    await gone
    setImmediate(tellPassed)
  }
  const [server, options] = await points[point]!(world, wait)
  const attached = world.attach(sidecar, server, options)
  const web = (options?.server ?? server) as Parameters<typeof urlOf>[0]
  const ann = connect(Number(new URL(urlOf(web)).port), '127.0.0.1')
  ann.on('error', () => {})
  ann.write(
    'GET /?player=ann HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await passed
  await until(() => attached.players!.ids, [])
  const ben = world.visit(web, '/?player=ben')
  await Promise.race([ben.opened, ben.closed.then((refusal) => expect(refusal).toBe('in the only seat'))])
  ben.socket.terminate()
  await until(() => attached.players!.ids, [])
})
