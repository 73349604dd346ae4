import { describe, expect, test } from 'vitest'
import { expectAllOperations, gameServer, startSidecar } from '../hosts/support/sidecar.js'
import { directOutcome, directWrites, writes } from './support/direct-outcome.js'
import { inEachBrowser } from './support/each-browser.js'
import { buildGame, sidecarQuery } from './support/game.js'
import { startOpenSidecar } from './support/open-sidecar.js'
import { servePages } from './support/page-server.js'

const game = buildGame()

inEachBrowser((browser) => {
  describe.each(['dedicated', 'shared'])('a %s worker that hosts the client', (kind) => {
    test.each([
      ['umd', 'stream'],
      ['esm', 'websocket'],
    ] as const)('does all operations with the %s build and watches by %s', async (build, watch) => {
      const pages = await servePages(game)
      await using sidecar = await startSidecar({ allowOrigins: [pages.origin] })
      const page = await browser.open(pages.url(`workers.html${sidecarQuery(sidecar.url)}`))
      const outcome = await page.run(`runInWorker('${kind}', '${build}', 'play', { watch: '${watch}' })`)
      expectAllOperations(outcome, watch, sidecar)
    })

    test.each(['umd', 'esm'])('does 11 of 15 with the %s build where it may read no answer', async (build) => {
      const pages = await servePages(game)
      const { url, sidecar } = await startOpenSidecar({ mode: 'local', gameServer })
      const page = await browser.open(pages.url(`workers.html${sidecarQuery(url)}`))
      expect(await page.run(`runInWorker('${kind}', '${build}', 'playDirect')`)).toEqual(directOutcome)
      expect(writes(sidecar)).toEqual(directWrites)
    })
  })
})
