import { copyFile, cp, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { buildGame } from '../../../demo/browser/build.mjs'
import { choose, type Given } from '../../../src/deploy/init/choose.js'
import { inspectProject } from '../../../src/deploy/init/project.js'
import { renderFiles } from '../../../src/deploy/init/render.js'
import { writeFiles } from '../../../src/deploy/init/write-files.js'
import { pack } from '../../support/packed.js'
import { read, root } from '../../support/source.js'

/** Pages beside the game, by the name of their file: each steps on, and never says that it is ready. */
const PAGES = {
  draws: `
    const context = (kind) => document.createElement('canvas').getContext(kind)
    console.log('text is ' + (context('2d').measureText('a font').width > 0 ? 'drawn' : 'empty'))
    console.log('WebGL is ' + (context('webgl') ? 'there' : 'missing'))`,
  idle: '',
  hungry: `
    setTimeout(() => {
      for (const kept = []; ; ) kept.push(new Uint8Array(64 * 2 ** 20).fill(1))
    }, 500)`,
}

const pageOf = (script: string): string => `<!doctype html>
<script>${script}
  const step = () => {
    gameServerHost.tick()
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
</script>
`

const BUN_PROGRAM = `import { createClient } from 'gameserver-sidecar'
const client = createClient({ autoHealth: true })
const server: { readonly port: number } = Bun.serve({
  port: Number(process.env.PORT),
  hostname: '127.0.0.1',
  fetch: () => new Response('hello'),
})
await client.ready()
console.log(\`players come in at http://127.0.0.1:\${server.port}\`)
`

const ours = JSON.parse(read('package.json')) as Record<'dependencies' | 'devDependencies', Record<string, string>>
const versions: Readonly<Record<string, string>> = { ...ours.devDependencies, ...ours.dependencies }

/** The browser demo with data channels, and the other pages; `npm run build` puts them where the image takes them. */
export async function writePageProject(folder: string): Promise<void> {
  const game = await buildGame()
  await cp(game.dir, join(folder, 'game'), { recursive: true })
  await game.remove()
  for (const [name, script] of Object.entries(PAGES)) await writeFile(join(folder, `game/${name}.html`), pageOf(script))
  const build = `node -e "require('fs').cpSync('game', 'dist', { recursive: true })"`
  const given = { kind: 'page', counter: ['players=8'], list: ['roster=8'], webrtc: true }
  await initProject(folder, { build }, 'node-datachannel', given)
}

/** The example of one match. */
export async function writeNodeProject(folder: string): Promise<void> {
  await copyFile(join(root, 'examples/one-match/server.mjs'), join(folder, 'server.mjs'))
  await writeFile(join(folder, '.env'), 'SECRET=1')
  // The script fails where only package.json was copied before.
  const scripts = { start: 'node server.mjs', postinstall: 'node --check server.mjs' }
  await initProject(folder, scripts, 'ws', { counter: ['rooms=10'] })
}

/** A program in TypeScript that Bun starts. */
export async function writeBunProject(folder: string): Promise<void> {
  await writeFile(join(folder, 'server.ts'), BUN_PROGRAM)
  await initProject(folder, { start: 'bun run server.ts' }, 'ws', {})
}

/** Uses `init` on a project; this package gets into it as the tarball that would be published. */
async function initProject(folder: string, scripts: object, dependency: string, given: Given): Promise<void> {
  const { tarball } = await pack(folder)
  const dependencies = { 'gameserver-sidecar': `file:${basename(tarball)}`, [dependency]: versions[dependency] }
  const description = { name: 'arena', version: '1.0.0', private: true, type: 'module', scripts, dependencies }
  await writeFile(join(folder, 'package.json'), JSON.stringify(description))
  const project = inspectProject(folder)
  await writeFiles(folder, renderFiles(await choose(given, project), project))
}
