import { expect, test } from 'vitest'
import { chromium, showPage } from './support/chromium.js'
import { servePages } from './support/page-server.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

const guarantee = test.skipIf(chromium === undefined)

guarantee('all operations in a page of Phaser scripts in Chromium, the plugin by load.plugin()', async () => {
  const pages = await servePages({
    '/': 'test/hosts/guest/phaser-page.html',
    '/phaser.js': 'node_modules/phaser/dist/phaser.min.js',
    '/client.js': 'dist/gameserver-sidecar.umd.min.js',
    '/plugin.js': 'dist/gameserver-sidecar.phaser.js',
    '/all-operations.mjs': 'test/hosts/guest/all-operations.mjs',
  })
  await using sidecar = await startSidecar({ allowOrigins: [pages.origin] })
  pages.setSidecar(sidecar.url)
  const result = await showPage(`${pages.origin}/`, pages.told)
  const { outcome, connection, error } = result as { outcome?: unknown; connection?: string; error?: string }
  expect(error).toBeUndefined()
  expectAllOperations(outcome, 'websocket', sidecar)
  expect(connection).toBe('closed')
}, 60_000)
