import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startBrowserProcess } from '../../../src/host/browser/browser-process.js'
import { launchBrowser, type Browser, type LaunchOptions } from '../../../src/host/browser/launch-browser.js'
import { makeProfile, removeAbandonedProfiles, temporaryFor } from '../../../src/host/browser/profile-folder.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { processes } from '../support/processes.js'
import { until } from '../../support/until.js'

/** A shell script in place of a browser. */
async function scripted(script: string): Promise<string> {
  const path = join(await temporaryFolder('launch'), 'browser')
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

const launch = (path: string, options: Partial<LaunchOptions> = {}): Promise<Browser> =>
  launchBrowser({ path, flags: {}, deadline: 20_000, onWarning: () => undefined, ...options })

/** Sets the folder of the profiles for one test. */
function makeProfilesIn(folder: string): void {
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
}

describe.skipIf(process.platform !== 'linux')('a program that is no browser', () => {
  // The host may notice the exit or the closed pipe first. It must not take the closed pipe for a silent browser, or it
  // would never retry without a sandbox.
  test('is reported with its exit, even if it closes its pipe first', async () => {
    const path = await scripted('exec 3<&- 4>&-\nsleep 0.2\necho "ERROR: no screws left" >&2\nexit 3')
    await expect(launch(path)).rejects.toThrow("doesn't start: exit code 3, ERROR: no screws left")
  })

  test('may write anything into its pipe, and is given up when it doesn’t answer', async () => {
    const path = await scripted(`printf 'hello\\0null\\0{"id":7}\\0{"id":1,"error":\\0[' >&4\nexec sleep 60`)
    await expect(launch(path, { deadline: 500 })).rejects.toMatchObject({
      code: 'LAUNCH_FAILED',
      message: expect.stringMatching(/has not answered over its pipe .*The host needs Chromium/) as string,
    })
  })

  test('is killed if it closes its pipe and keeps running', async () => {
    const path = await scripted('echo $$ > "$0.pid"\nexec 3<&- 4>&-\nexec sleep 60')
    await expect(launch(path)).rejects.toMatchObject({ code: 'LAUNCH_FAILED' })
    const pid = Number(await readFile(`${path}.pid`, 'utf8'))
    await until(() => !processes().some((one) => one.pid === pid))
  })

  test('fails with LAUNCH_FAILED if the system refuses to start it', async () => {
    const flags = { extra: [`--long=${'x'.repeat(200_000)}`] }
    await expect(launch(await scripted('exit'), { flags })).rejects.toMatchObject({
      code: 'LAUNCH_FAILED',
      message: expect.stringContaining('E2BIG') as string,
    })
  })
})

describe.skipIf(process.platform !== 'linux')('a start of the browser', () => {
  test('fails with the path at which no profile can be made, and the fix', async () => {
    const path = await scripted('exit')
    makeProfilesIn('/nowhere/at/all')
    await expect(launch(path)).rejects.toMatchObject({
      code: 'LAUNCH_FAILED',
      exitCode: 69,
      message: expect.stringMatching(/no profile in \/nowhere\/at\/all: ENOENT.*Set TMPDIR/) as string,
    })
  })

  test('can be aborted, and leaves neither process nor profile behind', async () => {
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

test.skipIf(process.platform === 'win32')(
  'the next host removes the profiles of killed hosts, and nothing else',
  async () => {
    const elsewhere = await temporaryFolder('elsewhere')
    const folder = await temporaryFolder('profiles')
    makeProfilesIn(folder)
    const own = basename(await makeProfile())
    const dead = spawnSync(process.execPath, ['--version']).pid
    const of = (pid: number, end: string): string =>
      own.replace(`-${process.pid.toString(36)}-`, `-${pid.toString(36)}-`) + end
    await mkdir(join(folder, of(dead, 'a'), 'Default'), { recursive: true })
    await writeFile(join(folder, of(dead, 'a'), 'Default', 'Cookies'), '')

    const kept = {
      'its own': own,
      'that of a host which runs': of(process.ppid, 'b'),
      'that of another machine or container': of(dead, 'c').replace(/host-.{4}/, 'host-zzzz'),
      'a folder that only begins so': `gameserver-host-${dead.toString(36)}-e`,
    }
    for (const name of Object.values(kept)) await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(elsewhere, 'save'), '')
    const link = of(dead, 'f')
    await symlink(elsewhere, join(folder, link))

    await removeAbandonedProfiles()
    expect((await readdir(folder)).sort()).toEqual([...Object.values(kept), link].sort())
    expect(existsSync(join(elsewhere, 'save'))).toBe(true)

    await mkdir(join(folder, of(dead, 'g')))
    const started = await startBrowserProcess(process.execPath, () => ['--version'])
    await started.ended
    await started.cleanUp()
    await expect.poll(() => existsSync(join(folder, of(dead, 'g')))).toBe(false)
  },
)

test.each([
  [27, (profile: string) => profile],
  [50, () => process.env['TMPDIR']],
  [90, () => '/tmp'],
])("the path of the browser's socket stays short enough with a TMPDIR of %i letters", (length, placeOf) => {
  makeProfilesIn('/tmp/'.padEnd(length, 'x'))
  const profile = join(process.env['TMPDIR']!, 'gameserver-host-1a2b-2hwcf-abcdef')
  expect(temporaryFor(profile)).toBe(placeOf(profile))
})
