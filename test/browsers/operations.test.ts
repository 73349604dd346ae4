import { describe, expect, test } from 'vitest'
import { expectAllOperations, startSidecar } from '../hosts/support/sidecar.js'
import { untilLogged } from '../support/with-sidecar.js'
import { inEachBrowser } from './support/each-browser.js'
import { buildGame, sidecarQuery } from './support/game.js'
import { servePages } from './support/page-server.js'

const game = buildGame({ 'dist/mock.js': 'esm/mock.js' })
const watches = ['websocket', 'stream'] as const

/** A game's life beside a mock: the states that it was told, and what it took of the page. */
const playWithMock = (watch: string): string => `(async () => {
  const { createMock } = await import('/esm/mock.js')
  const requests = () => performance.getEntriesByType('resource').filter(({ name }) => name.startsWith('http')).length
  const before = requests()
  const mock = createMock()
  const client = GameServerSidecar.createClient({ ...mock.options, watch: '${watch}', autoHealth: true })
  const states = []
  client.on('state', ({ state }) => states.push(state))
  await client.ready()
  await mock.advance(60000)
  mock.fail('setLabel', { network: 'reset', times: 1 })
  const outcome = client.setLabel('map', 'hafen').then((outcome) => outcome, ({ code }) => code)
  await mock.advance(10000)
  mock.dropWatch()
  await mock.advance(10000)
  mock.allocate()
  await mock.advance(0)
  const { direct, transport } = client.status
  const beats = mock.expect('health').length
  client.close()
  mock.close()
  return { states, outcome: await outcome, direct, transport, beats: beats > 20, requests: requests() - before }
})()`

inEachBrowser((browser) => {
  test.each(watches)('the mock plays inside a page, without a request and in its own time, by %s', async (watch) => {
    const pages = await servePages(game)
    const page = await browser.open(pages.url('esm.html'))
    expect(await page.run(playWithMock(watch))).toEqual({
      states: ['Scheduled', 'RequestReady', 'Ready', 'Allocated'],
      outcome: 'UNKNOWN_OUTCOME',
      direct: false,
      transport: watch,
      beats: true,
      requests: 0,
    })
  })

  describe.each(['umd', 'esm'])('a page with the %s build, of an origin that the sidecar allows', (build) => {
    test.each(watches)('does all operations and watches by %s', async (watch) => {
      const pages = await servePages(game)
      await using sidecar = await startSidecar({ allowOrigins: [pages.origin] })
      const page = await browser.open(pages.url(`${build}.html${sidecarQuery(sidecar.url)}`))
      expectAllOperations(await page.run(`play({ watch: '${watch}' })`), watch, sidecar)
    })
  })

  describe('a page of an origin that a sidecar in production mode allows', () => {
    test.each(watches)('is told by a %s of what it does, until close()', async (watch) => {
      const pages = await servePages(game)
      await using sidecar = await startSidecar({ mode: 'production', allowOrigins: [pages.origin] })
      const page = await browser.open(pages.url(`umd.html${sidecarQuery(sidecar.url)}`))
      expect(await page.run(`followEvents({ watch: '${watch}' })`)).toEqual({
        states: ['Scheduled', 'RequestReady', 'Ready'],
        // Its answers can be read, so there is no need for direct mode.
        direct: false,
        outcome: 'accepted',
        told: { label: 'hafen', counter: 3 },
        transport: watch,
        connection: 'closed',
      })
      // The page is still there: what ended its watch is close().
      await untilLogged(sidecar, () => sidecar.sidecar.snapshot().watchers.length === 0)
    })
  })

  test('a page of an origin that is not allowed reads nothing, changes nothing and is told why', async () => {
    const pages = await servePages(game)
    await using sidecar = await startSidecar({ allowOrigins: ['http://127.0.0.1:1'] })
    const page = await browser.open(pages.url(`umd.html${sidecarQuery(sidecar.url)}`))
    expect(await page.run('tryAsStranger()')).toEqual({
      codes: {
        connect: 'CROSS_ORIGIN',
        getGameServer: 'CROSS_ORIGIN',
        getCounter: 'CROSS_ORIGIN',
        shutdown: 'CROSS_ORIGIN',
        event: 'CROSS_ORIGIN',
      },
      watched: [],
      connection: 'connecting',
    })
    expect(sidecar.sidecar.log.entries().map(({ event }) => event.type)).not.toContain('call')
    expect(sidecar.sidecar.snapshot().watchers).toEqual([])
  })
})
