import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedFolder, type TemporaryFolder } from '../support/packed.js'
import { guestPath, runProcess, runtimeFile } from './support/runtimes.js'
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
  for (const name of ['runtime.mjs', 'all-operations.mjs']) await copyFile(guestPath(name), join(folder.path, name))
  await mkdir(join(folder.path, 'home'))
}, 120_000)

afterAll(() => folder.remove())

describe.each(runtimes)('the installed package in $name', ({ name, command, flags, entry }) => {
  const guarantee = test.skipIf(command === undefined)
  guarantee.each(['websocket', 'stream'] as const)('does all operations and watches over %s', async (watch) => {
    await using sidecar = await startSidecar()
    const home = join(folder.path, 'home')
    const result = (await runProcess(command!, [...flags, 'runtime.mjs', sidecar.url, watch], {
      cwd: folder.path,
      env: { HOME: home, DENO_DIR: home, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    })) as { runtime: string; entry: string; outcome: unknown }
    expect(result).toMatchObject({ runtime: expect.stringContaining(name) as unknown, entry })
    expectAllOperations(result.outcome, watch, sidecar)
  })
})
