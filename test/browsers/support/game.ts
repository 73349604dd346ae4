import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { read, root } from '../../support/source.js'

const OPERATIONS = 'test/hosts/guest/all-operations.mjs'

const shipped = {
  'test/browsers/pages': '.',
  [OPERATIONS]: 'all-operations.mjs',
  'dist/gameserver-sidecar.umd.js': 'umd.js',
  'dist/index.browser.js': 'esm/index.browser.js',
  'dist/chunks': 'esm/chunks',
}

/** A folder with the pages and the builds that they load, as a game ships them; for the tests of one file. */
export function buildGame(more: Readonly<Record<string, string>> = {}): string {
  const game = mkdtempSync(join(tmpdir(), 'gameserver-game-'))
  afterAll(() => rmSync(game, { recursive: true, force: true }))
  for (const [from, to] of Object.entries({ ...shipped, ...more })) {
    cpSync(join(root, from), join(game, to), { recursive: true })
  }
  // A page from a file may not load modules.
  writeFileSync(join(game, 'all-operations.js'), read(OPERATIONS).replace(/^export /gm, ''))
  return game
}

/** Tells a page without a gateway where the sidecar is. */
export const sidecarQuery = (url: string): string => `?sidecar=${encodeURIComponent(url)}`
