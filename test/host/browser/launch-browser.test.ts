import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../../../src/node/host/browser/launch-browser.js'
import type { Browser, LaunchOptions } from '../../../src/node/host/browser/launch-browser.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { eventually, processes } from '../support/processes.js'

/** A browser that is this script of the shell. */
async function scripted(script: string): Promise<string> {
  const path = join(await temporaryFolder('launch'), 'browser')
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

const launch = (path: string, options: Partial<LaunchOptions> = {}): Promise<Browser> =>
  launchBrowser({ path, flags: {}, deadline: 20_000, onWarning: () => undefined, ...options })

/** Where profiles are made, for one test. */
function makeProfilesIn(folder: string): void {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
}

describe.skipIf(process.platform !== 'linux')('a browser that is none', () => {
  // It counts which of both is noticed first: the end of the pipe must not be taken for a browser that stays silent, or one
  // that finds no sandbox is never tried without.
  test('is told by how it ended, also if it closes its pipe before', async () => {
    const path = await scripted('exec 3<&- 4>&-\nsleep 0.2\necho "ERROR: no screws left" >&2\nexit 3')
    await expect(launch(path)).rejects.toThrow("doesn't start: exit code 3, ERROR: no screws left")
  })

  test('may write anything into its pipe, and is given up when it does not answer', async () => {
    const path = await scripted(`printf 'hello\\0null\\0{"id":7}\\0{"id":1,"error":\\0[' >&4\nexec sleep 60`)
    await expect(launch(path, { deadline: 500 })).rejects.toMatchObject({
      code: 'LAUNCH_FAILED',
      message: expect.stringMatching(/has not answered over its pipe .*The host needs Chromium/) as string,
    })
  })

  test('is ended when it has closed its pipe and lives on', async () => {
    const path = await scripted('echo $$ > "$0.pid"\nexec 3<&- 4>&-\nexec sleep 60')
    await expect(launch(path)).rejects.toMatchObject({ code: 'LAUNCH_FAILED' })
    const pid = Number(await readFile(`${path}.pid`, 'utf8'))
    await eventually(() => !processes().some((one) => one.pid === pid))
  })

  test('fails in the same way where the system refuses to start it at once', async () => {
    const flags = { extra: [`--long=${'x'.repeat(200_000)}`] }
    await expect(launch(await scripted('exit'), { flags })).rejects.toMatchObject({
      code: 'LAUNCH_FAILED',
      message: expect.stringContaining('E2BIG') as string,
    })
  })
})

describe.skipIf(process.platform !== 'linux')('a start', () => {
  test('tells where no profile can be made, and what to do', async () => {
    const path = await scripted('exit')
    makeProfilesIn('/nowhere/at/all')
    await expect(launch(path)).rejects.toMatchObject({
      code: 'LAUNCH_FAILED',
      exitCode: 69,
      message: expect.stringMatching(/no profile in \/nowhere\/at\/all: ENOENT.*Set TMPDIR/) as string,
    })
  })

  test('can be given up, and leaves neither process nor profile', async () => {
    const path = await scripted('echo $$ > "$0.pid"\nexec sleep 60')
    const folder = await temporaryFolder('profiles')
    makeProfilesIn(folder)
    const stop = new AbortController()
    const launched = launch(path, { signal: stop.signal })
    launched.catch(() => undefined)
    const pidOf = (): Promise<string> => readFile(`${path}.pid`, 'utf8').catch(() => '')
    while ((await pidOf()) === '') await new Promise((resolve) => setTimeout(resolve, 10))
    stop.abort(new Error('enough'))
    await expect(launched).rejects.toThrow('enough')
    const pid = Number(await pidOf())
    expect(processes().some((one) => one.pid === pid)).toBe(false)
    expect(await readdir(folder)).toEqual([])
  })
})
