import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Choices } from '../../../src/init/choices.js'
import { choose } from '../../../src/init/choose.js'
import { renderFiles } from '../../../src/init/index.js'
import { inspectProject } from '../../../src/init/project.js'
import { writeFiles } from '../../../src/init/write-files.js'
import { pack } from '../../support/packed.js'
import { read } from '../../support/source.js'

/** The page of a game server: it says that it is ready, and answers players with what they sent. */
const PAGE = `<!doctype html>
<title>Echo</title>
<canvas id="game" width="64" height="64"></canvas>
<script src="gameserver-sidecar.umd.js"></script>
<script>
  const client = GameServerSidecar.createClient()
  const width = document.getElementById('game').getContext('2d').measureText('a font').width
  console.log('text is ' + (width > 0 ? 'drawn' : 'empty'))
  console.log('WebGL is ' + (document.createElement('canvas').getContext('webgl') ? 'there' : 'missing'))
  gameServerHost.onconnection = (socket) => {
    socket.onmessage = ({ data }) => socket.send('echo ' + data)
  }
  gameServerHost.addEventListener('shutdown', (event) => event.waitUntil(client.shutdown()))
  const step = () => {
    gameServerHost.tick()
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
  client.ready()
</script>
`

/** A page that never says that it is ready: until then the host starts a browser that has died again. */
const IDLE_PAGE = `<!doctype html>
<title>Idle</title>
<script>
  const step = () => {
    gameServerHost.tick()
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
</script>
`

const BUILD = `import { cpSync, mkdirSync } from 'node:fs'
mkdirSync('dist', { recursive: true })
for (const page of ['index.html', 'idle.html']) cpSync(page, 'dist/' + page)
const umd = new URL('gameserver-sidecar.umd.js', import.meta.resolve('gameserver-sidecar'))
cpSync(umd, 'dist/gameserver-sidecar.umd.js')
`

const PROGRAM = `import { createServer } from 'node:http'
import { createClient } from 'gameserver-sidecar'
const client = createClient()
const server = createServer((request, response) => response.end('hello'))
server.listen(Number(process.env.PORT), () => {
  console.log('listens at ' + server.address().port)
  client.ready()
})
process.on('SIGTERM', async () => {
  await client.shutdown()
  client.close()
  server.close()
})
`

const ours = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
const WEBRTC_VERSION = ours.devDependencies['node-datachannel']!

/** Projects of users, on which `init` is used; this package gets into them as the tarball that would be published. */
export async function writePageProject(folder: string, { webrtc }: { webrtc: boolean }): Promise<Choices> {
  await writeFile(join(folder, 'index.html'), PAGE)
  await writeFile(join(folder, 'idle.html'), IDLE_PAGE)
  await writeFile(join(folder, 'build.mjs'), BUILD)
  return initProject(folder, { build: 'node build.mjs' }, webrtc)
}

export async function writeNodeProject(folder: string): Promise<Choices> {
  await writeFile(join(folder, 'server.mjs'), PROGRAM)
  // It must not get into the image.
  await writeFile(join(folder, '.env'), 'SECRET=1')
  // It fails where only package.json was copied before.
  return initProject(folder, { start: 'node server.mjs', postinstall: 'node --check server.mjs' })
}

async function initProject(
  folder: string,
  scripts: Readonly<Record<string, string>>,
  webrtc = false,
): Promise<Choices> {
  const { tarball } = await pack(folder)
  const dependencies = {
    'gameserver-sidecar': `file:${tarball.slice(folder.length + 1)}`,
    ...(webrtc ? { 'node-datachannel': WEBRTC_VERSION } : {}),
  }
  const description = { name: 'echo', version: '1.0.0', private: true, type: 'module', scripts, dependencies }
  await writeFile(join(folder, 'package.json'), JSON.stringify(description))
  const project = inspectProject(folder)
  const choices = await choose({ webrtc }, project)
  await writeFiles(folder, renderFiles(choices, project))
  return choices
}
