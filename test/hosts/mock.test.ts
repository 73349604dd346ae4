import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedFolder, type TemporaryFolder } from '../support/packed.js'
import { guestPath, runtimeFile } from './support/runtimes.js'

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await installedFolder()
}, 120_000)

afterAll(() => folder.remove())

const jest = runtimeFile('jest/bin/jest.js')
test.skipIf(jest === undefined)(
  'with the mock of the installed package a game’s tests run in Jest, which ends by itself',
  async () => {
    await copyFile(guestPath('mock-in-jest.test.mjs'), join(folder.path, 'mock-in-jest.test.mjs'))
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
