/**
 * Builds the demo's two pages, as an engine exports them: folders of plain files.
 *
 *   node demo/browser/build.mjs --out DIR [--players DIR]
 *
 * `--out` gets the game server's page, for `gameserver-sidecar host`; `--players` gets the players', for any
 * web server.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildIfStale } from '../../build/build-if-stale.mjs'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const dist = (name) => path(`../../dist/${name}`)
const phaser = (name) => fileURLToPath(new URL(name, import.meta.resolve('phaser')))

/** Where each file of the players' page comes from; some are those of the other demo. */
export const PLAYERS_PAGE = {
  'index.html': path('play/index.html'),
  'play.mjs': path('play/play.mjs'),
  'play.css': path('play/play.css'),
  'arena-view.mjs': path('../shared/arena-view.mjs'),
  'scoring.mjs': path('../shared/scoring.mjs'),
}

/** Copies the game server's page, and all that it loads, into a folder. */
async function buildInto(dir) {
  await mkdir(dir, { recursive: true })
  await Promise.all([
    cp(path('host'), dir, { recursive: true }),
    cp(path('../shared/scoring.mjs'), join(dir, 'scoring.mjs')),
    cp(phaser('phaser.min.js'), join(dir, 'phaser.min.js')),
    cp(dist('gameserver-sidecar.umd.js'), join(dir, 'gameserver-sidecar.umd.js')),
    cp(dist('gameserver-sidecar.phaser.js'), join(dir, 'gameserver-sidecar.phaser.js')),
  ])
}

/** Builds the game server's page in a folder of its own, until it is removed. */
export async function buildGame() {
  const dir = await mkdtemp(join(tmpdir(), 'star-arena-'))
  await buildInto(dir)
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}

/** Copies the players' page. */
async function buildPlayersInto(dir) {
  await mkdir(dir, { recursive: true })
  await Promise.all(Object.entries(PLAYERS_PAGE).map(([name, file]) => cp(file, join(dir, name))))
}

async function main() {
  const { out, players } = parseArgs({ options: { out: { type: 'string' }, players: { type: 'string' } } }).values
  if (out === undefined && players === undefined) throw new Error('Say where to: --out DIR, --players DIR or both.')
  await buildIfStale()
  if (out !== undefined) await buildInto(resolve(out))
  if (players !== undefined) await buildPlayersInto(resolve(players))
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await main()
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
