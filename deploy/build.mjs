/**
 * Puts here what the image holds, the browser demo's page as `dist` and this package as npm would publish it, and lets
 * `init` write the Dockerfile and the manifests.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, renameSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from '../build/build-if-stale.mjs'
import { buildGame } from '../demo/browser/build.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

await buildIfStale()

const game = await buildGame()
rmSync(here('dist'), { recursive: true, force: true })
cpSync(game.dir, here('dist'), { recursive: true })
await game.remove()

const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', here('.')]
const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: here('..'), encoding: 'utf8' }))
renameSync(here(filename), here('gameserver-sidecar.tgz'))

const init = 'init --yes --kind page --dir dist --counter players=8 --list roster=8 --into'.split(' ')
execFileSync(process.execPath, [here('../bin/gameserver-sidecar.mjs'), ...init, here('.')], { stdio: 'inherit' })

console.log('Wrote deploy/dist and deploy/gameserver-sidecar.tgz. Next, outside of deploy:')
console.log('  docker build -t star-arena:1.0.0 deploy')
