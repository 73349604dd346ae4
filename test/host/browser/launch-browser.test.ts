import { execFile } from 'node:child_process'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFor } from '../../../src/host/browser/browser-process.js'
import { launchBrowser, type Browser, type LaunchOptions } from '../../../src/host/browser/launch-browser.js'
import { bundleSource } from '../../support/bundle-source.js'
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
  launchBrowser({ path, deadline: 20_000, onWarning: () => undefined, ...options })

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

  test.each([
    ['FATAL: No usable sandbox! You can try --no-sandbox', 'this system offers it none'],
    ['FATAL: no screws left', 'it ended (exit code 1, FATAL: no screws left)'],
  ])('that writes %j starts without its sandbox, and a warning says why', async (message, why) => {
    const answer = '{"id":1,"result":{"product":"Fake/1"}}\\0'
    const path = await scripted(`case "$*" in *--no-sandbox*) ;; *) echo "${message}" >&2; exit 1 ;; esac
      printf '${answer}' >&4
      exec sleep 60`)
    vi.spyOn(process, 'getuid').mockReturnValue(1001)
    onTestFinished(() => void vi.restoreAllMocks())
    const warnings: string[] = []
    const browser = await launch(path, { onWarning: (text) => warnings.push(text) })
    await browser.close(true)
    expect(browser).toMatchObject({ sandbox: false, version: 'Fake/1' })
    expect(warnings).toEqual([`The browser runs without its sandbox, since ${why}`])
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
    const extra = [`--long=${'x'.repeat(200_000)}`]
    await expect(launch(await scripted('exit'), { extra })).rejects.toMatchObject({
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

  test('leaves no profile behind at process.exit(), even if a process still writes there for a moment', async () => {
    // Writes 2,000 files more once the exit has begun. It leaves the process group, so it outlives the browser.
    const path = await scripted(`
      mkdir "$1/Default"
      export exiting="$0.exiting" profile="$1"
      setsid sh -c 'while [ "\${left:-2000}" -gt 0 ]; do
        i=$((i+1)); : > "$profile/Default/$i"
        [ ! -e "$exiting" ] || left=$((\${left:-2000}-1))
      done' &
      exec sleep 60`)
    const folder = await temporaryFolder('profiles')
    const program = join(await temporaryFolder('exit'), 'exit.mjs')
    // A profile of many files takes long enough to remove that more are written meanwhile.
    const code = `import { existsSync, writeFileSync } from 'node:fs'
      import { startBrowserProcess } from './src/host/browser/browser-process.js'
      let profile
      await startBrowserProcess(process.argv[2], (folder) => [(profile = folder)])
      setInterval(() => {
        if (!existsSync(profile + '/Default/3000')) return
        writeFileSync(process.argv[2] + '.exiting', '')
        process.exit()
      }, 1)`
    await bundleSource(code, program)
    await promisify(execFile)(process.execPath, [program, path], { env: { ...process.env, TMPDIR: folder } })
    expect(await readdir(folder)).toEqual([])
  })
})

test.each([
  [27, (profile: string) => profile],
  [50, () => '/tmp'],
])("the path of the browser's socket stays short enough with a TMPDIR of %i letters", (length, placeOf) => {
  const profile = join('/tmp/'.padEnd(length, 'x'), 'gameserver-host-1a2b-2hwcf-abcdef')
  expect(temporaryFor(profile)).toBe(placeOf(profile))
})

describe.skipIf(process.platform !== 'linux')("the browser's flags", () => {
  /** The flags that a browser is started with, of which the last attempt counts. */
  async function flagsOf(options: Partial<LaunchOptions> = {}): Promise<string[]> {
    const path = await scripted('echo "$@" > "$0.flags"\nexit 1')
    await launch(path, options).catch(() => undefined)
    return (await readFile(`${path}.flags`, 'utf8')).trim().split(' ')
  }

  test('render WebGL in software, or disable it', async () => {
    expect(await flagsOf()).toContain('--disable-gpu')
    const flags = await flagsOf({ webgl: true, maxOldSpace: 262, extra: ['--more'] })
    expect(flags).toContain('--use-angle=swiftshader')
    expect(flags).not.toContain('--disable-gpu')
    expect(flags.slice(-3)).toEqual(['--js-flags=--max-old-space-size=262', '--more', 'about:blank'])
  })

  test('omit the zygote only without a sandbox, since a sandboxed browser needs it to start', async () => {
    const path = await scripted('echo "$@" >> "$0.flags"\nexit 1')
    await launch(path).catch(() => undefined)
    const attempts = (await readFile(`${path}.flags`, 'utf8')).trim().split('\n')
    const isOpen = attempts.map((flags) => ['--no-sandbox', '--no-zygote'].map((flag) => flags.includes(flag)))
    const isRoot = process.getuid!() === 0
    expect(isOpen).toEqual(
      isRoot
        ? [[true, true]]
        : [
            [false, false],
            [true, true],
          ],
    )
  })
})
