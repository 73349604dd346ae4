import { expect, test } from 'vitest'
import type { GameServer, SidecarClient, WatchOptions } from '../../src/index.js'
import type { ScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'
import { page } from './operations.js'

type Iterator = AsyncIterator<GameServer, undefined>

const done = { done: true, value: undefined }
const version = ({ value, done }: IteratorResult<GameServer, undefined>): string =>
  done ? 'done' : value.object_meta.resource_version
const iterate = (client: SidecarClient, options?: WatchOptions): Iterator =>
  client.watchGameServer(options)[Symbol.asyncIterator]() as Iterator

interface Iterating {
  client: SidecarClient
  sidecar: ScriptedSidecar
  iterator: Iterator
  /** Has the watch tell everything up to that version. */
  publish(last: number): Promise<void>
}

/** An iterator that has given the first object. */
async function iterating(options: WatchOptions = {}): Promise<Iterating> {
  const sidecar = await startScripted()
  const client = connectClient(sidecar, { verifyInterval: 0 })
  const iterator = iterate(client, options)
  expect(version(await iterator.next())).toBe('1')
  await sidecar.until(() => sidecar.followers === 1, 'the watch')
  let published = 1
  const publish = async (last: number): Promise<void> => {
    while (published < last) sidecar.publish(gameServer(++published))
    await client.waitFor(({ object_meta }) => object_meta.resource_version === String(last))
  }
  return { client, sidecar, iterator, publish }
}

async function take(iterator: Iterator, count: number): Promise<string[]> {
  const versions: string[] = []
  while (versions.length < count) versions.push(version(await iterator.next()))
  return versions
}

test('an iterator gives every object in order while its queue holds them, and then the newest', async () => {
  const { iterator, publish } = await iterating({ queue: 3 })
  await publish(4)
  expect(await take(iterator, 3)).toEqual(['2', '3', '4'])
  await publish(9)
  expect(await take(iterator, 3)).toEqual(['7', '8', '9'])
})

test('the queue of an iterator holds 64 objects by default', async () => {
  const { iterator, publish } = await iterating()
  await publish(66)
  expect(await take(iterator, 2)).toEqual(['3', '4'])
})

test('with overflow: fail an iterator rejects with LIMIT as soon as its queue overflows, and is then done', async () => {
  const { iterator, publish } = await iterating({ queue: 3, overflow: 'fail' })
  await publish(4)
  expect(await take(iterator, 3)).toEqual(['2', '3', '4'])
  await publish(8)
  await expect(iterator.next()).rejects.toMatchObject({ code: 'LIMIT', operation: 'watchGameServer' })
  expect(await iterator.next()).toEqual(done)
})

test.each(['drop', 'fail'] as const)('with overflow: %s two calls of next() get one object each', async (overflow) => {
  const { iterator, publish } = await iterating({ queue: 1, overflow })
  const both = [iterator.next(), iterator.next()]
  await publish(2)
  await publish(3)
  expect((await Promise.all(both)).map(version)).toEqual(['2', '3'])
})

test('watchGameServer() dials when the first object is asked for', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar)
  const iterator = iterate(client)
  await new Promise(setImmediate)
  expect(sidecar.dials).toEqual([])
  expect(client.status.connection).toBe('idle')
  expect(await iterator.return!()).toEqual(done)
  expect(await iterator.next()).toEqual(done)
})

test('one connection serves every listener and iterator', async () => {
  const { client, sidecar, publish } = await iterating()
  client.on('gameserver', () => {})
  await iterate(client).next()
  await publish(2)
  expect(sidecar.requests.filter(({ path }) => path === '/watch/gameserver')).toHaveLength(1)
})

test('an iterator that was told to return is done, also for who waits for it', async () => {
  const { iterator, publish } = await iterating()
  const waiting = iterator.next()
  expect(await iterator.return!()).toEqual(done)
  expect(await waiting).toEqual(done)
  await publish(2)
  expect(await iterator.next()).toEqual(done)
})

test('an iterator that was told to return gives nothing that it still holds', async () => {
  const { iterator, publish } = await iterating()
  await publish(3)
  await iterator.return!()
  expect(await iterator.next()).toEqual(done)
})

test.each(['drop', 'fail'] as const)(
  'with overflow: %s an iterator is done by its signal or close()',
  async (overflow) => {
    const controller = new AbortController()
    const { client, iterator } = await iterating({ signal: controller.signal, overflow })
    const other = iterate(client, { overflow })
    await other.next()
    const waiting = [iterator.next(), other.next()]
    controller.abort()
    expect(await waiting[0]).toEqual(done)
    client.close()
    expect(await waiting[1]).toEqual(done)
  },
)

test('an iterator of a closed client, or with an aborted signal, is done at once', async () => {
  const client = connectClient(await startScripted())
  expect(await iterate(client, { signal: AbortSignal.abort() }).next()).toEqual(done)
  client.close()
  expect(await iterate(client).next()).toEqual(done)
})

test('a loop over watchGameServer() ends by break, abort and close()', async () => {
  const { client } = await iterating()
  const controller = new AbortController()
  let count = 0
  for await (const _ of client.watchGameServer({ signal: controller.signal })) {
    count++
    controller.abort()
  }
  for await (const _ of client.watchGameServer()) {
    count++
    break
  }
  for await (const _ of client.watchGameServer()) {
    count++
    client.close()
  }
  expect(count).toBe(3)
})

test('an iterator rejects with PROTOCOL where a proxy answers HTML, and is then done', async () => {
  const iterator = iterate(connectClient(await startScripted([{ on: '*', step: answering(page) }])))
  await expect(iterator.next()).rejects.toMatchObject({ code: 'PROTOCOL', operation: 'watchGameServer' })
  expect(await iterator.next()).toEqual(done)
})
