import { execFile } from 'node:child_process'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProcess } from '../support/start-process.js'
import { installedFolder } from '../support/packed.js'
import type { TemporaryFolder } from '../support/temporary-folder.js'
import { guestPath, runProcess, runtimeFile } from './support/runtimes.js'
import { createLocalSidecar } from '../../src/node.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

interface Runtime {
  name: string
  command: string | undefined
  flags: string[]
  /** The entry that the package's `exports` give this runtime. */
  entry: string
}

const runtimes: Runtime[] = [
  { name: `Node ${process.versions.node.split('.')[0]}`, command: process.execPath, flags: [], entry: 'index.js' },
  { name: 'Node 22', command: runtimeFile('node-22/bin/node'), flags: [], entry: 'index.js' },
  { name: 'Node 24', command: runtimeFile('node-24/bin/node'), flags: [], entry: 'index.js' },
  {
    name: 'Deno',
    command: runtimeFile('@deno/linux-x64-glibc/deno'),
    // Deno may only connect to the sidecar, and not read the environment.
    flags: ['run', '--no-prompt', '--no-lock', '--node-modules-dir=manual', '--allow-net=127.0.0.1'],
    entry: 'index.core.js',
  },
  { name: 'Bun', command: runtimeFile('@oven/bun-linux-x64-baseline/bin/bun'), flags: [], entry: 'index.core.js' },
]

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await installedFolder()
  for (const name of ['runtime.mjs', 'all-operations.mjs', 'attached-server.mjs', 'mock-in-jest.test.mjs'])
    await copyFile(guestPath(name), join(folder.path, name))
  await mkdir(join(folder.path, 'home'))
}, 120_000)

afterAll(() => folder.remove())

describe.each(runtimes)('the installed package in $name', ({ name, command, flags, entry }) => {
  const guarantee = test.skipIf(command === undefined)
  const environment = (): NodeJS.ProcessEnv => {
    const home = join(folder.path, 'home')
    return { HOME: home, DENO_DIR: home, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' }
  }

  guarantee('ends an attached server in order at SIGTERM', async (context) => {
    await using sidecar = await createLocalSidecar({
      port: 0,
      gameServer: { spec: { lists: { players: { capacity: 2 } } } },
    })
    // The package `ws` reads the environment.
    const args = [...flags, ...(name === 'Deno' ? ['--allow-env'] : []), 'attached-server.mjs', sidecar.url]
    const game = startProcess(context, folder.path, [command!, ...args], environment())
    await game.line(/^player ann$/)
    const exit = await game.end('SIGTERM')
    expect([exit, game.lines.slice(1)]).toEqual([0, ['saved at signal']])
    await expect.poll(() => sidecar.sidecar.snapshot().gameServer.status.state).toBe('Shutdown')
  })

  guarantee.each(['websocket', 'stream'] as const)('does all operations and watches over %s', async (watch) => {
    await using sidecar = await startSidecar()
    const result = (await runProcess(command!, [...flags, 'runtime.mjs', sidecar.url, watch], {
      cwd: folder.path,
      env: environment(),
    })) as { runtime: string; entry: string; outcome: unknown }
    expect(result).toMatchObject({ runtime: expect.stringContaining(name) as unknown, entry })
    expectAllOperations(result.outcome, watch, sidecar)
  })
})

const jest = runtimeFile('jest/bin/jest.js')
test.skipIf(jest === undefined)(
  'with the mock of the installed package a game’s tests run in Jest, which ends by itself',
  async () => {
    const args = ['--experimental-vm-modules', jest!, '--ci', '--testMatch=**/*.test.mjs']
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
      cwd: folder.path,
      timeout: 60_000,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    })
    expect(stdout + stderr).toMatch(/Tests: +2 passed, 2/)
    expect(stdout + stderr).not.toMatch(/did not exit|open handle/)
  },
)
