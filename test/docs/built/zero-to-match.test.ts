import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { snippetsOf } from '../../support/markdown.js'
import { root } from '../../support/source.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const [server, matchmaker] = snippetsOf('docs/guides/zero-to-match.md').filter(({ language }) => language === 'js')
const [matchTest] = snippetsOf('docs/guides/ci.md').filter(({ language }) => language === 'js')

function run(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exited
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()))
  return { exited, lines: createInterface({ input: child.stdout }), said: () => said }
}

test('from zero to a match, and the test of it in CI: init, the Fleet and the allocation work as the pages say', async () => {
  const folder = await temporaryFolder('arena')
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/gameserver-sidecar'))
  await symlink(join(root, 'node_modules/ws'), join(folder, 'node_modules/ws'))
  const dependencies = { 'gameserver-sidecar': '^0.1.0', ws: '^8' }
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'arena', version: '1.0.0', main: 'index.js', dependencies }),
  )
  for (const [name, snippet] of Object.entries({
    'server.mjs': server,
    'match.mjs': matchmaker,
    'match.test.mjs': matchTest,
  }))
    await writeFile(join(folder, name), snippet!.code)
  const cli = join(root, 'dist/cli.js')

  const init = run(folder, [cli, 'init', '--yes'])
  expect({ code: await init.exited, said: init.said() }).toMatchObject({ code: 0 })
  const files = ['-f', 'fleet.yaml', '-f', 'fleetautoscaler.yaml']
  const fleet = run(folder, [cli, 'fleet', ...files, '--port', '0', '--', 'node', 'server.mjs'])
  let url: string | undefined
  for await (const line of fleet.lines) if ((url = /API: +(http:\S+)/.exec(line)?.[1]) !== undefined) break
  const env = { GAMESERVER_FLEET_URL: url }
  const match = run(folder, ['match.mjs'], env)
  expect(await match.exited, match.said()).toBe(0)
  expect(match.said()).toMatch(/^arena-\S+ ws:\/\/127\.0\.0\.1:\d+\n$/)
  const tested = run(folder, ['--test', 'match.test.mjs'], env)
  expect(await tested.exited, tested.said()).toBe(0)
  await expect.poll(fleet.said).toContain('a match begins')
})
