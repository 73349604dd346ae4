import { expect, test } from 'vitest'
import { startSidecar } from '../hosts/support/sidecar.js'
import { calls } from '../support/with-sidecar.js'
import { inEachBrowser } from './support/each-browser.js'
import { buildGame, sidecarQuery } from './support/game.js'
import { servePages } from './support/page-server.js'

const game = buildGame()

inEachBrowser((browser) => {
  test('beats go by a worker\'s clock, and no worker is left after close()', async () => {
    const pages = await servePages(game)
    await using sidecar = await startSidecar({ allowOrigins: [pages.origin] })
    const page = await browser.open(pages.url(`umd.html${sidecarQuery(sidecar.url)}`))
    expect(await page.run('beatByWorker(4)')).toEqual({
      beats: [true, true, true, true],
      workers: [1, 0],
      lastBeat: true,
    })
    expect(calls(sidecar).filter((operation) => operation === 'health').length).toBeGreaterThanOrEqual(4)
  })
})
