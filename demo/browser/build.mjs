import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const dist = (name) => path(`../../dist/${name}`)
const phaser = (name) => fileURLToPath(new URL(name, import.meta.resolve('phaser')))

/**
 * The game server's build, as an engine exports one: a folder of plain files. The gateway serves what is in
 * it and nothing else, so everything is copied into a folder of its own.
 */
export async function buildGame() {
  const dir = await mkdtemp(join(tmpdir(), 'star-arena-'))
  await Promise.all([
    cp(path('host'), dir, { recursive: true }),
    cp(path('base.css'), join(dir, 'base.css')),
    cp(path('../server/changes.mjs'), join(dir, 'changes.js')),
    cp(phaser('phaser.min.js'), join(dir, 'phaser.min.js')),
    cp(dist('gameserver-sidecar.umd.min.js'), join(dir, 'gameserver-sidecar.umd.min.js')),
    cp(dist('gameserver-sidecar.phaser.js'), join(dir, 'gameserver-sidecar.phaser.js')),
  ])
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}
