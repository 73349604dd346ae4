import { describe, expect, test } from 'vitest'
import type { GameServer, SidecarClient, WatchOptions } from '../../src/index.js'
import type { ScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

type Result = IteratorResult<GameServer, undefined>

const version = ({ value, done }: Result): string => (done ? 'done' : value.object_meta.resource_version)
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Iterating {
  client: SidecarClient
  sidecar: ScriptedSidecar
  iterator: AsyncIterator<GameServer, undefined>
  /** Has the watch tell everything up to that version. */
  publish(last: number): Promise<void>
}

/** An iterator that has given the first object. */
async function iterating(options: WatchOptions = {}): Promise<Iterating> {
  const sidecar = await startScripted()
  const client = connectClient(sidecar, { verifyInterval: 0 })
  const iterator = client.watchGameServer(options)[Symbol.asyncIterator]() as Iterating['iterator']
  expect(version(await iterator.next())).toBe('1')
  await sidecar.until(() => sidecar.followers === 1, 'the watch')
  let published = 1
  const publish = async (last: number): Promise<void> => {
    while (published < last) sidecar.publish(gameServer(++published))
    await client.waitFor(({ object_meta }) => object_meta.resource_version === String(last))
  }
  return { client, sidecar, iterator, publish }
}

async function take(iterator: Iterating['iterator'], count: number): Promise<string[]> {
  const versions: string[] = []
  while (versions.length < count) versions.push(version(await iterator.next()))
  return versions
}

test('an iterator gives every object in order while its queue holds them', async () => {
  const { iterator, publish } = await iterating({ queue: 3 })
  await publish(4)
  expect(await take(iterator, 3)).toEqual(['2', '3', '4'])
  await publish(6)
  expect(await take(iterator, 2)).toEqual(['5', '6'])
})

test('and the newest where there are more', async () => {
  const { iterator, publish } = await iterating({ queue: 3 })
  await publish(6)
  expect(await take(iterator, 3)).toEqual(['4', '5', '6'])
})

test('its queue holds 64 where nothing else is said', async () => {
  const { iterator, publish } = await iterating()
  await publish(66)
  expect(await take(iterator, 2)).toEqual(['3', '4'])
})

describe('an iterator that may not lose anything', () => {
  test('fails as soon as its queue overflows, before it gives another object, and is then done', async () => {
    const { iterator, publish } = await iterating({ queue: 3, overflow: 'fail' })
    await publish(4)
    expect(await take(iterator, 1)).toEqual(['2'])
    await publish(6)
    await expect(iterator.next()).rejects.toMatchObject({ code: 'LIMIT', operation: 'watchGameServer' })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  test('gives what it holds while it holds everything', async () => {
    const { iterator, publish } = await iterating({ queue: 3, overflow: 'fail' })
    await publish(4)
    expect(await take(iterator, 3)).toEqual(['2', '3', '4'])
  })

  test('may wait as long as any other', async () => {
    const { iterator, publish } = await iterating({ queue: 1, overflow: 'fail' })
    const next = iterator.next()
    await publish(2)
    expect(version(await next)).toBe('2')
  })
})

test('who asks for several objects at once gets them one after the other', async () => {
  const { iterator, publish } = await iterating()
  const both = [iterator.next(), iterator.next()]
  await settle()
  await publish(3)
  expect((await Promise.all(both)).map(version)).toEqual(['2', '3'])
})

test('nothing is dialled before the first object is asked for', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar)
  const iterator = client.watchGameServer()[Symbol.asyncIterator]()
  await settle()
  expect(sidecar.dials).toEqual([])
  expect(client.status.connection).toBe('idle')
  expect(await iterator.return!()).toEqual({ done: true, value: undefined })
  expect(await iterator.next()).toEqual({ done: true, value: undefined })
})

describe('an iterator is done, whatever it still holds,', () => {
  const done = { done: true, value: undefined }

  test('once it was told to return, also for who waits for it', async () => {
    const { iterator, publish } = await iterating()
    const waiting = iterator.next()
    expect(await iterator.return!()).toEqual(done)
    expect(await waiting).toEqual(done)
    await publish(2)
    expect(await iterator.next()).toEqual(done)
  })

  test('once it was told to return while it held something', async () => {
    const { iterator, publish } = await iterating()
    await publish(3)
    await iterator.return!()
    expect(await iterator.next()).toEqual(done)
  })

  test.each(['drop', 'fail'] as const)('once its signal is aborted, or its client closed: %s', async (overflow) => {
    const controller = new AbortController()
    const { client, iterator } = await iterating({ signal: controller.signal, overflow })
    const other = client.watchGameServer({ overflow })[Symbol.asyncIterator]()
    await other.next()
    const waiting = [iterator.next(), other.next()]
    controller.abort()
    expect(await waiting[0]).toEqual(done)
    client.close()
    expect(await waiting[1]).toEqual(done)
  })

  test('at once where its client is closed or its signal aborted already', async () => {
    const client = connectClient(await startScripted())
    const signal = AbortSignal.abort()
    expect(await client.watchGameServer({ signal })[Symbol.asyncIterator]().next()).toEqual(done)
    client.close()
    expect(await client.watchGameServer()[Symbol.asyncIterator]().next()).toEqual(done)
  })
})

test('an iterator fails, in its own name, where there is no sidecar, and is then done', async () => {
  const sidecar = await startScripted([{ on: '*', step: answering({ status: 404 }) }])
  const iterator = connectClient(sidecar).watchGameServer()[Symbol.asyncIterator]()
  await expect(iterator.next()).rejects.toMatchObject({ code: 'PROTOCOL', operation: 'watchGameServer' })
  expect(await iterator.next()).toEqual({ done: true, value: undefined })
})
