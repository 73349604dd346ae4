import { execFile } from 'node:child_process'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { calls, startSidecar } from '../support/with-sidecar.js'

const game = `
import { createClient } from 'gameserver-sidecar'
const client = createClient({ autoHealth: true })
await client.ready({ confirm: true, timeout: 30_000 })
console.log('over ' + client.status.transport)
client.close()
`

/** A project with this package, and with the packages that it needs, unless they are to be missing. */
async function project(isComplete: boolean): Promise<string> {
  const folder = await temporaryFolder('bundled')
  const target = join(folder, 'node_modules/gameserver-sidecar')
  await mkdir(target, { recursive: true })
  await cp(join(root, 'package.json'), join(target, 'package.json'))
  await cp(join(root, 'dist'), join(target, 'dist'), { recursive: true })
  if (isComplete)
    for (const name of ['isomorphic-ws', 'ws'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  await writeFile(join(folder, 'game.mjs'), game)
  return folder
}

/** A server in one module, as esbuild bundles it. */
async function bundled(external: string[] = []): Promise<string> {
  const folder = await project(true)
  const outfile = join(folder, 'out.mjs')
  const [entry, given] = [join(folder, 'game.mjs'), { bundle: true, platform: 'node', format: 'esm' } as const]
  await build({ ...given, entryPoints: [entry], outfile, external })
  return outfile
}

/** Runs a server beside a local sidecar, and gives what it printed. */
async function run(path: string): Promise<{ stdout: string; stderr: string }> {
  const sidecar = await startSidecar()
  const env = { ...process.env, AGONES_SDK_HTTP_PORT: new URL(sidecar.url).port }
  const printed = await promisify(execFile)(process.execPath, [path], { env })
  expect(calls(sidecar)).toContain('health')
  return printed
}

/** What Node falls back to. */
const instead = 'WebSocket' in globalThis ? 'websocket' : 'stream'

test.each([
  ['ws inside', []],
  ['ws outside', ['ws']],
])(
  'a server that esbuild bundles as a module, %s, reaches the sidecar and says why ws is missing',
  async (_what, external) => {
    const { stdout, stderr } = await run(await bundled(external))
    expect(stdout).toBe(`over ${instead}\n`)
    expect(stderr.match(/gameserver-sidecar: .*Dynamic require/g)).toHaveLength(1)
  },
)

test.each([
  ['isomorphic-ws and ws', ['isomorphic-ws', 'ws']],
  ['gameserver-sidecar', ['gameserver-sidecar']],
])('a server that esbuild bundles as a module without %s watches by ws', async (_what, external) => {
  expect(await run(await bundled(external))).toEqual({ stdout: 'over websocket\n', stderr: '' })
})

test('a server without the packages of the WebSocket reaches the sidecar and says why', async () => {
  const { stdout, stderr } = await run(join(await project(false), 'game.mjs'))
  expect(stdout).toBe(`over ${instead}\n`)
  expect(stderr.match(/gameserver-sidecar: .*isomorphic-ws/g)).toHaveLength(1)
})
