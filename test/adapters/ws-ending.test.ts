import { expect, vi } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { callsOf, dialRaw, listening, stateOf, test, until, type World } from './socket-servers.js'
import type { Socket } from 'node:net'
import type { IncomingMessage } from 'node:http'
import type { AttachWsOptions } from '../../src/players/ws.js'

test.concurrent(
  'the shutdown refuses new players, awaits onEnding, says goodbye, closes the server, then the client',
  async ({ world }) => {
    const steps: unknown[] = []
    const { sidecar, server, attached } = await world.serve({
      async onEnding({ reason }) {
        steps.push(reason)
        steps.push(await world.visit(server, '/?player=ben').closed)
        server.clients.forEach((socket) => socket.send('score'))
        await new Promise((resolve) => setTimeout(resolve, 20))
        steps.push('saved')
      },
    })
    await until(() => stateOf(sidecar), 'Ready')
    server.on('close', () => steps.push('server'))
    const ann = world.visit(server, '/?player=ann')
    await ann.opened
    await attached.client.shutdown()
    await attached.ended
    expect(steps).toEqual(['shutdown', [503, 'CLOSED'], 'saved', 'server'])
    expect(await ann.closed).toEqual([1001, 'The server ends'])
    expect(ann.messages).toEqual(['score'])
    expect(attached.client.status.connection).toBe('closed')
    expect(callsOf(sidecar, 'shutdown')).toBe(1)
  },
)

test.concurrent('a given client stays open after the shutdown', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const client = createClient({ baseUrl: sidecar.url })
  world.onEnd(() => client.close())
  const attached = world.attach(sidecar, await world.webSocketServer(), { client })
  expect(attached.client).toBe(client)
  await until(() => stateOf(sidecar), 'Ready')
  await client.shutdown()
  await attached.ended
  expect(client.status.connection).toBe('connected')
})

test.concurrent('a client that ends by a signal waits for the whole shutdown', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const client = createClient({ baseUrl: sidecar.url })
  world.onEnd(() => client.close())
  const on = vi.spyOn(client, 'on')
  const steps: string[] = []
  const attached = world.attach(sidecar, await world.webSocketServer(), { client })
  void attached.ended.then(() => steps.push('ended'))
  await until(() => stateOf(sidecar), 'Ready')
  const end: unknown[] = []
  for (const [type, listener] of on.mock.calls)
    if (type === 'ending') end.push(listener({ reason: 'signal', deadline: Date.now() + 5000 } as never))
  await Promise.all(end)
  expect(steps).toEqual(['ended'])
  expect(callsOf(sidecar, 'shutdown')).toBe(1)
})

test.concurrent('a client that is closed during the shutdown delays nothing', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const client = createClient({ baseUrl: sidecar.url })
  const errors: unknown[] = []
  const attached = world.attach(sidecar, await world.webSocketServer(), {
    client,
    onError: (error) => errors.push(error),
    onEnding() {
      client.close()
      return new Promise(() => {})
    },
  })
  await until(() => stateOf(sidecar), 'Ready')
  sidecar.sidecar.control({ type: 'delete' })
  await attached.ended
})

test.concurrent('an error of onEnding is reported, and the shutdown goes on', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const errors: unknown[] = []
  const [one, other] = [await world.webSocketServer(), await listening(world.httpServer())]
  const ends = [one, other].map((server) =>
    world.attach(sidecar, server, {
      onError(error) {
        errors.push(error.cause)
        throw new Error('the log is full')
      },
      onEnding() {
        throw new TypeError('a bug')
      },
    }),
  )
  await until(() => stateOf(sidecar), 'Ready')
  await Promise.all(ends.map(({ client }) => client.waitFor('Ready')))
  await ends[0]!.client.shutdown()
  await Promise.all(ends.map(({ ended }) => ended))
  expect(errors).toEqual([new TypeError('a bug'), new TypeError('a bug')])
})

test.concurrent(
  'an onEnding that needs more than its half is reported, and shutdown() still waits for it',
  async ({ world }) => {
    const sidecar = await world.sidecarWithSeats()
    const steps: unknown[] = []
    const attached = world.attach(sidecar, await world.webSocketServer(), {
      client: { baseUrl: sidecar.url, processSignals: { timeout: 2000 } },
      onError: ({ code }) => steps.push(code),
      async onEnding() {
        await until(() => steps, ['TIMEOUT'])
        steps.push('saved', callsOf(sidecar, 'shutdown'))
      },
    })
    await until(() => stateOf(sidecar), 'Ready')
    sidecar.sidecar.control({ type: 'delete' })
    await attached.ended
    expect(steps).toEqual(['TIMEOUT', 'saved', 0])
    expect(callsOf(sidecar, 'shutdown')).toBe(1)
  },
)

type Server = Parameters<World['attach']>[1]
/** Resolves for the first player once that player has gone, and at once for all others. */
type Wait = (request: { readonly socket: object }) => Promise<void>

/** A server that passes each upgrade to ws after `wait`, and the http.Server in front of it. */
async function slowUpgrades(world: World, wait: Wait) {
  const web = await listening(world.httpServer())
  const server = await world.webSocketServer({ noServer: true })
  web.on('upgrade', (request, socket, head) => {
    void wait(request).then(() => server.handleUpgrade(request, socket, head, () => {}))
  })
  return { web, server }
}

/** Each point at which a server may wait before it admits a player. */
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

/** How a player goes. Node emits no `close` for a half-closed connection. */
const leaves = {
  'resets the connection': (player: Socket) => player.resetAndDestroy(),
  'ends the connection': (player: Socket) => player.end(),
}

const cases = Object.keys(points).flatMap((point) => Object.keys(leaves).map((how) => [how, point] as const))

test.concurrent.for(cases)('a player who %s during %s leaves no seat behind', async ([how, point], { world }) => {
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
  const web = (options?.server ?? server) as Parameters<typeof dialRaw>[0]
  const ann = dialRaw(web, 'ann')
  await passed
  await until(() => attached.players!.ids, [])
  const ben = world.visit(web, '/?player=ben')
  await Promise.race([ben.opened, ben.closed.then((refusal) => expect(refusal).toBe('in the only seat'))])
  ben.socket.terminate()
  await until(() => attached.players!.ids, [])
})
