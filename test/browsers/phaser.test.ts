import { expect, test } from 'vitest'
import { expectAllOperations, startSidecar } from '../hosts/support/sidecar.js'
import { inEachBrowser } from './support/each-browser.js'
import { servePages } from './support/page-server.js'
import { buildGame, sidecarQuery } from './support/game.js'

const game = buildGame({
  'node_modules/phaser/dist/phaser.min.js': 'phaser.js',
  'dist/gameserver-sidecar.phaser.js': 'phaser-plugin.js',
})

inEachBrowser((browser) => {
  test('a page of Phaser scripts does all operations with the plugin from load.plugin()', async () => {
    const pages = await servePages(game)
    await using sidecar = await startSidecar({ allowOrigins: [pages.origin] })
    const page = await browser.open(pages.url(`phaser.html${sidecarQuery(sidecar.url)}`))
    const { outcome, connection } = await page.run<{ outcome: unknown; connection: string }>('playPhaser()')
    expectAllOperations(outcome, 'websocket', sidecar)
    expect(connection).toBe('closed')
  })
})
