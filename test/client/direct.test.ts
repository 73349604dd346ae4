import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi, type TestContext } from 'vitest'
import { WebSocket } from 'ws'
import { createClient, type ClientOptions, type GameServer } from '../../src/index.js'
import { createClient as createNodeClient } from '../../src/index.node.js'
import { createLocalSidecar } from '../../src/node.js'
import { oursInProduction, realProduction } from '../contract/support/production-targets.js'
import { announceMissing, localTargets } from '../contract/support/targets.js'
import { connectPage } from '../support/with-sidecar.js'
import { emulateBrowser } from './emulated-browser-fetch.js'

const pageOrigin = 'http://game.example'
beforeAll(() => void vi.stubGlobal('location', { origin: pageOrigin, search: '' }))
afterAll(() => void vi.unstubAllGlobals())
announceMissing('direct mode')

const targets = [
  ...localTargets.map(({ name, start }) => ({ name: `${name} in local mode`, local: true, start })),
  ...[oursInProduction, ...realProduction].map(({ name, start }) => ({ name, local: false, start })),
]

/** A page of another origin, with nothing between it and a sidecar, for one test of those that run side by side. */
async function openPage(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  target: (typeof targets)[number],
  options: ClientOptions = {},
) {
  const sidecar = await target.start()
  const baseUrl = `http://127.0.0.1:${sidecar.port}`
  const browser = emulateBrowser(pageOrigin)
  const client = createClient({ baseUrl, WebSocket, fetch: browser.fetch, ...options })
  /** A game server beside it, in Node, for which there are no origins. */
  const beside = createNodeClient({ baseUrl })
  onTestFinished(async () => {
    client.close()
    beside.close()
    await sidecar.stop()
  })
  return { ...browser, client, beside }
}

const players = { name: 'players', capacity: 100 }
const first = ['test0', 'test1', 'test2']

describe.each(targets)('direct mode before $name', { concurrent: true }, (target) => {
  test('a page of another origin enters direct mode by itself, reads by WebSocket and writes what a browser sends', async (context) => {
    const { client, sent } = await openPage(context, target)
    const seen: GameServer[] = []
    client.on('gameserver', (gameServer) => seen.push(gameServer))
    expect(client.status.direct).toBe(false)

    const { object_meta } = await client.connect()
    expect(client.status.direct).toBe(true)
    expect((await client.getGameServer()).object_meta.uid).toBe(object_meta.uid)
    const iterator = client.watchGameServer()[Symbol.asyncIterator]()
    expect((await iterator.next()).value.object_meta.uid).toBe(object_meta.uid)
    await iterator.return?.()
    expect(await client.getCounter('rooms')).toEqual({ name: 'rooms', count: 1, capacity: 10 })
    expect(await client.getList('players')).toEqual({ ...players, values: first })

    expect(await client.health()).toBe('sent')
    expect(await client.allocate()).toBe('confirmed')
    expect(await client.reserve(60)).toBe('confirmed')
    expect(await client.ready()).toBe('confirmed')
    const added = await client.addListValue('players', 'Käthe 🎮')
    expect(added).toEqual({ ...players, values: [...first, 'Käthe 🎮'], outcome: 'confirmed' })
    const removed = await client.removeListValue('players', 'test1')
    expect(removed).toEqual({ ...players, values: ['test0', 'test2', 'Käthe 🎮'], outcome: 'confirmed' })
    expect(client.gameServer?.status.lists?.['players']?.values).toEqual(removed.values)
    expect(await client.shutdown()).toBe('confirmed')
    expect(seen.at(-1)?.status.state).toBe('Shutdown')

    const writes = sent.filter(({ method }) => method !== 'GET' && method !== 'OPTIONS')
    expect(writes.map(({ path }) => path)).toEqual([
      '/health',
      '/allocate',
      '/reserve',
      '/ready',
      '/v1beta1/lists/players:addValue',
      '/v1beta1/lists/players:removeValue',
      '/shutdown',
    ])
    for (const { method, contentType, seen } of writes)
      expect([method, contentType, seen]).toEqual(['POST', 'text/plain', 'opaque'])
  })

  test('direct mode rejects at once with CROSS_ORIGIN what no browser sends, and names the gateway', async (context) => {
    const { client, sent } = await openPage(context, target, { crossOrigin: 'direct' })
    const before = sent.length
    const calls = {
      setLabel: client.setLabel('mode', 'duel'),
      setAnnotation: client.setAnnotation('mode', 'duel'),
      updateCounter: client.updateCounter('rooms', { count: 2 }),
      updateList: client.updateList('players', { capacity: 5 }),
    }
    for (const [operation, call] of Object.entries(calls)) {
      const hint = expect.stringContaining('npx gameserver-sidecar serve')
      await expect(call).rejects.toMatchObject({ code: 'CROSS_ORIGIN', operation, hint })
    }
    expect(sent.length).toBe(before)
  })

  test('a page that is not yet in direct mode sends nothing but reads for a label, and rejects with CROSS_ORIGIN', async (context) => {
    const { client, sent } = await openPage(context, target)
    await expect(client.setLabel('mode', 'duel')).rejects.toMatchObject({ code: 'CROSS_ORIGIN', operation: 'setLabel' })
    expect(sent.filter(({ method }) => !/^(GET|OPTIONS)$/.test(method))).toEqual([])
  })

  test('direct mode gets counters and lists as they are now, also before the watch tells them', async (context) => {
    const { client, beside } = await openPage(context, target)
    client.on('gameserver', () => {})
    await client.connect()
    await beside.updateCounter('rooms', { count: 7 })
    await beside.addListValue('players', 'late')
    if (!target.local) await beside.waitFor(({ status }) => !!status.lists?.['players']?.values?.includes('late'))
    expect(await client.getCounter('rooms')).toEqual({ name: 'rooms', count: 7, capacity: 10 })
    expect((await client.getList('players')).values).toEqual([...first, 'late'])
  })

  test('direct mode rejects what must fail as an answer would, and sends nothing then', async (context) => {
    const { client, beside, sent } = await openPage(context, target)
    await expect(client.getCounter('nope')).rejects.toMatchObject({ code: 'NOT_FOUND', operation: 'getCounter' })
    await expect(client.getList('__proto__')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(client.addListValue('nope', 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(client.removeListValue('players', 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(client.addListValue('players', 'test1')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    if (target.local) await beside.updateList('players', { capacity: first.length })
    else {
      // A pod may not look up the limit of an update, so this fills a list instead.
      await beside.addListValue('rooms', 'c')
      await beside.waitFor(({ status }) => status.lists?.['rooms']?.values?.length === 3)
    }
    const full = target.local ? 'players' : 'rooms'
    await expect(client.addListValue(full, 'x')).rejects.toMatchObject({ code: 'OUT_OF_RANGE' })
    expect(sent.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('direct mode adds many values at a time, in order, and one that is removed right away is gone', async (context) => {
    const { client } = await openPage(context, target)
    const values = ['a', 'b', 'c', 'd', 'e']
    const added = values.map((value) => client.addListValue('players', value))
    const removed = client.removeListValue('players', 'c')
    for (const list of await Promise.all(added)) expect(list.outcome).toBe('confirmed')
    expect(await removed).toMatchObject({ values: [...first, 'a', 'b', 'd', 'e'], outcome: 'confirmed' })
    expect((await client.getList('players')).values).toEqual([...first, 'a', 'b', 'd', 'e'])
  })

  test('direct mode gives "sent" for a state that held before', async (context) => {
    const { client } = await openPage(context, target)
    expect(await client.allocate()).toBe('confirmed')
    expect(await client.allocate()).toBe('sent')
    expect(await client.allocate({ confirm: true })).toBe('confirmed')
  })
})

test('a sidecar that comes up while a page finds out whether it may read is read, without direct mode', async () => {
  const sidecar = await createLocalSidecar({ allowOrigins: [pageOrigin] })
  onTestFinished(() => sidecar.close())
  const browser = emulateBrowser(pageOrigin, { originSent: true })
  let isThere = false
  const client = connectPage(sidecar, {
    fetch: async (url, init) => {
      isThere ||= init.mode === 'no-cors'
      if (!isThere) throw new TypeError('Failed to fetch')
      return browser.fetch(url, init)
    },
  })
  await client.connect()
  expect(client.status.direct).toBe(false)
  expect(await client.setLabel('mode', 'duel')).toBe('accepted')
})
