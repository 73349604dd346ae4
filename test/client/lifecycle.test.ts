import { expect, test } from 'vitest'
import { type GameServer, createClient, type SidecarClient, type WatchOptions } from '../../src/index.js'
import { gameServer } from '../support/game-server.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/fault-server.js'
import { turns } from '../support/until.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { connectClient } from '../support/with-sidecar.js'
import { page } from './operations.js'
import { connected } from './clients.js'

test('a client whose signal is aborted closes for good, and its calls reject with ABORTED', async () => {
  const controller = new AbortController()
  const sidecar = await startScripted()
  const clients = [1, 2, 3].map(() => connectClient(sidecar, { signal: controller.signal }))
  const [client] = clients as [(typeof clients)[0]]
  const states: string[] = []
  client.on('connection', ({ state }) => void states.push(state))
  await client.waitFor('Ready')
  const waiting = clients.map((one) => one.once('error', { signal: controller.signal }))
  controller.abort()
  for (const one of await Promise.allSettled(waiting)) expect(one).toMatchObject({ reason: { code: 'ABORTED' } })
  client.on('state', () => {})
  await expect(client.ready()).rejects.toMatchObject({ code: 'ABORTED' })
  expect(states.at(-1)).toBe('closed')
  expect(clients.map(({ status }) => status.connection)).toEqual(['closed', 'closed', 'closed'])
  await sidecar.untilNoSockets()
})

test('a client made with an aborted signal is closed', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar, { signal: AbortSignal.abort(), autoHealth: true })
  client.on('gameserver', () => {})
  await expect(client.getGameServer()).rejects.toMatchObject({ code: 'ABORTED' })
  expect(client.status.connection).toBe('closed')
  expect(sidecar.dials).toEqual([])
})

test('a client dials nothing before it is asked for something, nor watchGameServer() before its first object', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar)
  client.on('connection', () => {})
  client.alive()
  client.tick()
  const iterator = iterate(client)
  expect(client.status).toMatchObject({ connection: 'idle', heartbeat: undefined, lastBeat: undefined })
  await turns()
  expect(sidecar.dials).toEqual([])
  expect(await iterator.return!()).toEqual(done)
  expect(await iterator.next()).toEqual(done)
})

test('waitFor() asks its function of each object until one passes, and then no more', async () => {
  const { client, show } = await connected()
  const asked: string[] = []
  const second = client.waitFor((object) => {
    asked.push(object.object_meta.resource_version)
    return object.object_meta.resource_version === '2'
  })
  await show(2)
  expect(await second).toEqual(gameServer(2))
  await show(3)
  expect(asked).toEqual(['1', '2'])
})

test('waitFor() resolves with the present object, also when the sidecar has gone', async () => {
  const { client, sidecar } = await connected()
  await sidecar.stop()
  expect(await client.waitFor('Ready', { timeout: 5000 })).toEqual(gameServer(1))
})

test('waitFor() whose function throws rejects with UNKNOWN and that cause, and others wait on', async () => {
  const client = connectClient(await startScripted())
  const fault = new TypeError('a bug of the game')
  const failing = client.waitFor(() => {
    throw fault
  })
  const other = client.waitFor('Ready')
  await expect(failing).rejects.toMatchObject({ code: 'UNKNOWN', operation: 'waitFor', cause: fault })
  expect((await other).status.state).toBe('Ready')
})

test('client.after() runs once, by the clock of the client, and not after close()', () => {
  const clock = new VirtualClock()
  const options = { baseUrl: 'http://127.0.0.1:1', now: clock.now, scheduler: clock }
  const client = createClient(options) as SidecarClient & { after(ms: number, run: () => void): unknown }
  const ran: string[] = []
  client.after(1000, () => ran.push('first'))
  client.after(5000, () => ran.push('never'))
  clock.advance(999)
  expect(ran).toEqual([])
  clock.advance(1)
  expect(ran).toEqual(['first'])
  clock.advance(2000)
  client.close()
  clock.advance(10_000)
  client.after(1, () => ran.push('too late'))
  clock.advance(10_000)
  expect(ran).toEqual(['first'])
  expect(clock.pending).toBe(0)
})

test('client.after() of less than a millisecond takes a millisecond, so that a clock moves on', () => {
  const clock = new VirtualClock()
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', now: clock.now, scheduler: clock })
  clock.advance(10_000.3)
  let fired = 0
  const again = (): void => {
    fired++
    client.after(7e-13, again)
  }
  client.after(0, again)
  clock.advance(5)
  expect(fired).toBe(5)
  client.close()
})

type Iterator = AsyncIterator<GameServer, undefined>

const done = { done: true, value: undefined }
const version = ({ value, done }: IteratorResult<GameServer, undefined>): string =>
  done ? 'done' : value.object_meta.resource_version
const iterate = (client: SidecarClient, options?: WatchOptions): Iterator =>
  client.watchGameServer(options)[Symbol.asyncIterator]() as Iterator

/** An iterator that has given the first object; `publish` has the watch tell everything up to that version. */
async function iterating(options: WatchOptions = {}) {
  const { client, sidecar, show } = await connected()
  const iterator = iterate(client, options)
  expect(version(await iterator.next())).toBe('1')
  let published = 1
  const publish = async (last: number): Promise<void> => {
    while (published < last - 1) sidecar.publish(gameServer(++published))
    await show((published = last))
  }
  return { client, sidecar, iterator, publish }
}

async function take(iterator: Iterator, count: number): Promise<string[]> {
  const versions: string[] = []
  while (versions.length < count) versions.push(version(await iterator.next()))
  return versions
}

test('an iterator keeps 64 objects for a slow reader, in order, and the oldest gives way to the newest', async () => {
  const { iterator, publish } = await iterating()
  await publish(66)
  expect(await take(iterator, 64)).toEqual(Array.from({ length: 64 }, (_, index) => String(index + 3)))
})

test('two calls of next() get one object each', async () => {
  const { iterator, publish } = await iterating()
  const both = [iterator.next(), iterator.next()]
  await publish(2)
  await publish(3)
  expect((await Promise.all(both)).map(version)).toEqual(['2', '3'])
})

test('return() ends an iterator: a pending next() resolves as done, and queued GameServers are dropped', async () => {
  for (const isWaiting of [true, false]) {
    const { iterator, publish } = await iterating()
    const waiting = isWaiting ? iterator.next() : done
    if (!isWaiting) await publish(3)
    expect(await iterator.return!()).toEqual(done)
    expect(await waiting).toEqual(done)
    if (isWaiting) await publish(2)
    expect(await iterator.next()).toEqual(done)
  }
})

test('an iterator is done by its signal or close(), and at once if that came before', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const { client, iterator } = await iterating({ signal })
  const other = iterate(client)
  await other.next()
  const waiting = [iterator.next(), other.next()]
  controller.abort()
  expect(await waiting[0]).toEqual(done)
  expect(await iterate(client, { signal }).next()).toEqual(done)
  client.close()
  expect(await waiting[1]).toEqual(done)
  expect(await iterate(client).next()).toEqual(done)
})

test('an iterator rejects with PROTOCOL where a proxy answers HTML, and is then done', async () => {
  const iterator = iterate(connectClient(await startScripted([{ on: '*', step: answering(page) }])))
  await expect(iterator.next()).rejects.toMatchObject({ code: 'PROTOCOL', operation: 'watchGameServer' })
  expect(await iterator.next()).toEqual(done)
})
