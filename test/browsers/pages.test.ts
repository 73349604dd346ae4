import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { operations } from '../../src/protocol/operations.js'
import type { Sidecar } from '../../src/platform/sidecar.js'
import { expectAllOperations, gameServer, startSidecar } from '../hosts/support/sidecar.js'
import { calls } from '../support/with-sidecar.js'
import { inEachBrowser } from './support/each-browser.js'
import { againstRealSidecar, buildGame, servePages, sidecarQuery, startOpenSidecar } from './support/game.js'

const game = buildGame({
  'dist/mock.js': 'esm/mock.js',
  'node_modules/phaser/dist/phaser.min.js': 'phaser.js',
  'dist/gameserver-sidecar.phaser.js': 'phaser-plugin.js',
})

/** A build, its transport for the watch, and the kind of worker that loads it. */
const builds = [
  ['umd', 'stream', 'dedicated'],
  ['esm', 'websocket', 'shared'],
] as const

/** A build on a page, at an origin where a game may be developed, and the mode of its sidecar. */
const places = [
  ['esm', 'http://localhost', 'production'],
  ['umd', 'file://', 'local'],
] as const

async function addressOf(build: string, place: string, sidecar: string): Promise<string> {
  const path = `${build}.html${sidecarQuery(sidecar)}`
  if (place === 'file://') return pathToFileURL(join(game, '/')).href + path
  return (await servePages(game)).url(path, place.replace('http://', ''))
}

const refused = ['CROSS_ORIGIN', true]

/** The outcome of all 15 operations in `playDirect` of pages/guest.js. */
const directOutcome = {
  name: 'arena-1',
  direct: true,
  transport: 'websocket',
  outcomes: {
    health: 'sent',
    ready: 'confirmed',
    allocate: 'confirmed',
    reserve: 'confirmed',
    shutdown: 'confirmed',
  },
  refused: { setLabel: refused, setAnnotation: refused, updateCounter: refused, updateList: refused },
  added: ['confirmed', 'ann,bob 🎲'],
  removed: ['confirmed', 'bob 🎲'],
  counter: '1/10',
  list: 'ann',
  read: 'Reserved',
  watched: 'Reserved',
  states: ['Ready', 'Allocated', 'Reserved', 'Shutdown'],
}

/** The writes of `playDirect` that reach the sidecar, each once. */
const directWrites = ['health', 'ready', 'addListValue', 'removeListValue', 'allocate', 'reserve', 'shutdown']

/** The writes that reached the sidecar, in order. */
const writes = (sidecar: Sidecar): string[] =>
  calls({ sidecar }).filter((operation) => operations[operation][0] !== 'GET')

/** Plays a game's life against a mock. Gives the states that the game saw, and the number of requests of the page. */
const PLAY_WITH_MOCK = `(async () => {
  const { createMock } = await import('/esm/mock.js')
  const requests = () => performance.getEntriesByType('resource').filter(({ name }) => name.startsWith('http')).length
  const before = requests()
  const mock = createMock()
  const client = GameServerSidecar.createClient({ ...mock.options, autoHealth: true })
  const states = []
  client.on('state', ({ state }) => states.push(state))
  await client.ready()
  await mock.advance(60000)
  mock.allocate()
  await mock.advance(0)
  client.close()
  mock.close()
  return { states, beats: mock.expect('health').length > 20, requests: requests() - before }
})()`

inEachBrowser((browser) => {
  describe.each(builds)('with the %s build', (build, watch, kind) => {
    test(`a page of an allowed origin does all operations and watches by ${watch}`, async () => {
      const pages = await servePages(game)
      await using sidecar = await startSidecar({ allowOrigins: [pages.origin] })
      const page = await browser.open(pages.url(`${build}.html${sidecarQuery(sidecar.url)}`))
      expectAllOperations(await page.run(`play({ watch: '${watch}' })`), watch, sidecar)
    })

    test(`a ${kind} worker does 11 of 15 operations at a sidecar that sends no CORS headers`, async () => {
      const pages = await servePages(game)
      const { url, sidecar } = await startOpenSidecar({ mode: 'local', gameServer })
      const page = await browser.open(pages.url(`workers.html${sidecarQuery(url)}`))
      expect(await page.run(`runInWorker('${kind}', '${build}', 'playDirect')`)).toEqual(directOutcome)
      expect(writes(sidecar)).toEqual(directWrites)
    })
  })

  test('a page of an origin that is not allowed reads nothing, changes nothing and gets CROSS_ORIGIN', async () => {
    const pages = await servePages(game)
    await using sidecar = await startSidecar({ allowOrigins: ['http://127.0.0.1:1'] })
    const page = await browser.open(pages.url(`umd.html${sidecarQuery(sidecar.url)}`))
    const codes = ['connect', 'getGameServer', 'getCounter', 'shutdown', 'event'].map((name) => [name, 'CROSS_ORIGIN'])
    expect(await page.run('tryAsStranger()')).toEqual({
      codes: Object.fromEntries(codes) as unknown,
      watched: [],
      connection: 'connecting',
    })
    expect(sidecar.sidecar.log.entries().map(({ event }) => event.type)).not.toContain('call')
    expect(sidecar.sidecar.snapshot().watchers).toEqual([])
  })

  describe('before a sidecar that sends no CORS headers', () => {
    test.each(places)('a page with the %s build on %s does 11 of 15 operations once, in %s mode', async (...given) => {
      const [build, place, mode] = given
      const { url, sidecar } = await startOpenSidecar({ mode, gameServer })
      const page = await browser.open(await addressOf(build, place, url))
      expect(await page.run('playDirect()')).toEqual(directOutcome)
      expect(writes(sidecar)).toEqual(directWrites)
    })
  })

  againstRealSidecar((start) => {
    test.each(places)('a page with the %s build on %s does 11 of 15 operations', async (build, place) => {
      const { url } = await start()
      const page = await browser.open(await addressOf(build, place, url))
      expect(await page.run('playDirect()')).toEqual(directOutcome)
    })
  })

  // The rest is JavaScript that runs alike in every engine.
  if (browser.name !== 'Chromium') return
  test('the mock runs inside a page on its own clock and sends no request', async () => {
    const page = await browser.open((await servePages(game)).url('esm.html'))
    expect(await page.run(PLAY_WITH_MOCK)).toEqual({
      states: ['Scheduled', 'RequestReady', 'Ready', 'Allocated'],
      beats: true,
      requests: 0,
    })
  })

  test('a page of Phaser scripts does all operations with the plugin from load.plugin()', async () => {
    const pages = await servePages(game)
    await using sidecar = await startSidecar({ allowOrigins: [pages.origin] })
    const page = await browser.open(pages.url(`phaser.html${sidecarQuery(sidecar.url)}`))
    const { outcome, connection } = await page.run<{ outcome: unknown; connection: string }>('playPhaser()')
    expectAllOperations(outcome, 'websocket', sidecar)
    expect(connection).toBe('closed')
  })
})
