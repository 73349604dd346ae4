import { describe, test } from 'vitest'
import { expectAllOperations, startSidecar } from '../hosts/support/sidecar.js'
import { inEachBrowser } from './support/each-browser.js'
import { buildGame, sidecarQuery } from './support/game.js'
import { servePages } from './support/page-server.js'

const game = buildGame()

inEachBrowser((browser) => {
  describe.each(['dedicated', 'shared'])('a %s worker that hosts the client', (kind) => {
    test.each([['umd', 'stream'], ['esm', 'websocket']] as const)(
      'does all operations with the %s build and watches by %s', async (build, watch) => {
        const pages = await servePages(game)
        await using sidecar = await startSidecar({ allowOrigins: [pages.origin] })
        const page = await browser.open(pages.url(`workers.html${sidecarQuery(sidecar.url)}`))
        const outcome = await page.run(`playInWorker('${kind}', '${build}', { watch: '${watch}' })`)
        expectAllOperations(outcome, watch, sidecar)
      })
  })
})
