import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { snippetsOf } from '../../support/markdown.js'
import { root } from '../../support/source.js'
import { startProcess, type GameProcess } from '../../support/start-process.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const [server, matchmaker] = snippetsOf('docs/guides/zero-to-match.md').filter(({ language }) => language === 'js')
const [matchTest] = snippetsOf('docs/guides/ci.md').filter(({ language }) => language === 'js')

test('from zero to a match, and the test of it in CI: init, the Fleet and the allocation work as the pages say', async (context) => {
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

  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): GameProcess =>
    startProcess(context, folder, [process.execPath, ...args], { NODE_TEST_CONTEXT: undefined, ...env })

  const init = run([cli, 'init', '--yes'])
  expect(await init.exited, init.lines.join('\n')).toBe(0)
  const files = ['-f', 'fleet.yaml', '-f', 'fleetautoscaler.yaml']
  const fleet = run([cli, 'fleet', ...files, '--port', '0', '--', 'node', 'server.mjs'])
  const [, url] = await fleet.line(/API: +(http:\S+)/)
  const env = { GAMESERVER_FLEET_URL: url }
  const match = run(['match.mjs'], env)
  expect(await match.exited, match.lines.join('\n')).toBe(0)
  expect(match.lines).toEqual([expect.stringMatching(/^arena-\S+ ws:\/\/127\.0\.0\.1:\d+$/)])
  const tested = run(['--test', 'match.test.mjs'], env)
  expect(await tested.exited, tested.lines.join('\n')).toBe(0)
  await fleet.line(/a match begins/)
})
