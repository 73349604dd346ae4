import { describe, expect, test } from 'vitest'
import { expectAllOperations, startSidecar } from '../hosts/support/sidecar.js'
import { untilLogged } from '../support/with-sidecar.js'
import { inEachBrowser } from './support/each-browser.js'
import { buildGame, sidecarQuery } from './support/game.js'
import { servePages } from './support/page-server.js'

const game = buildGame()
const watches = ['websocket', 'stream'] as const

inEachBrowser((browser) => {
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
