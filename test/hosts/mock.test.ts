import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedFolder, type TemporaryFolder } from '../support/packed.js'
import { guestPath, runtimeFile } from './support/runtimes.js'

const run = promisify(execFile)

/** Each runner with a game's test file, and the runner's output when all tests pass. */
const runners = [
  {
    name: 'Jest',
    file: 'jest/bin/jest.js',
    test: 'mock-in-jest.test.mjs',
    flags: ['--ci', '--testMatch=**/*.test.mjs'],
    node: ['--experimental-vm-modules'],
    says: /Tests: +2 passed, 2/,
  },
  {
    name: 'Mocha',
    file: 'mocha/bin/mocha.js',
    test: 'mock-in-mocha.mjs',
    flags: ['mock-in-mocha.mjs'],
    node: [],
    says: /1 passing/,
  },
]

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await installedFolder()
}, 120_000)

afterAll(() => folder.remove())

describe.each(runners)('the mock of the installed package in $name', (runner) => {
  const program = runtimeFile(runner.file)
  test.skipIf(program === undefined)('runs a game’s tests, and the runner ends by itself', async () => {
    await copyFile(guestPath(runner.test), join(folder.path, runner.test))
    const { stdout, stderr } = await run(process.execPath, [...runner.node, program!, ...runner.flags], {
      cwd: folder.path,
      timeout: 60_000,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    })
    expect(stdout + stderr).toMatch(runner.says)
    expect(stdout + stderr).not.toMatch(/did not exit|open handle/)
  })
})
