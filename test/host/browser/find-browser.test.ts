import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { browserFlags } from '../../../src/host/browser/browser-flags.js'
import { findBrowser, thisSystem, type System } from '../../../src/host/browser/find-browser.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const DEBIAN_SHELL = '/usr/lib/chromium/chromium-headless-shell'

interface Machine extends Partial<Pick<System, 'platform' | 'env' | 'isRoot'>> {
  /** Paths of programs. */
  readonly programs?: readonly string[]
  /** The text of /etc/os-release. */
  readonly release?: string
}

/** A machine that has the given files and no others. */
function machine({ programs = [], release, ...rest }: Machine): System {
  return {
    platform: 'linux',
    env: {},
    isRoot: true,
    ...rest,
    problemWith: (path) => (programs.includes(path) ? undefined : 'not there'),
    startOf: () => undefined,
    readText: (path) => (path === '/etc/os-release' ? release : undefined),
    list: (folder) => {
      const inside = programs.filter((path) => path.startsWith(`${folder}/`))
      return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0]!))]
    },
  }
}

describe('the browser is', () => {
  const playwright = '/home/ada/.cache/ms-playwright/chromium_headless_shell-'
  const puppeteer = '/home/ada/.cache/puppeteer/chrome-headless-shell/'
  const order = [
    '/own/browser',
    '/named/chromium',
    DEBIAN_SHELL,
    `${playwright}1200/chrome-headless-shell-linux64/chrome-headless-shell`,
    `${playwright}999/chrome-linux/headless_shell`,
    `${puppeteer}linux-131.0/chrome-headless-shell-linux64/chrome-headless-shell`,
    '/tools/chrome-headless-shell',
    '/usr/lib/chromium/chromium',
    '/opt/google/chrome/chrome',
    '/opt/microsoft/msedge/msedge',
    '/tools/chromium',
  ]

  test.each(order.map((path, index) => ({ path, index })))('$path if no earlier candidate exists', (row) => {
    const programs = order.slice(row.index)
    const env = { CHROMIUM: row.index > 1 ? '' : '/named/chromium', HOME: '/home/ada', PATH: '/tools' }
    expect(findBrowser(row.index === 0 ? row.path : undefined, machine({ programs, env }))).toBe(row.path)
  })

  test.each<[System['platform'], string]>([
    ['darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ['win32', String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`],
  ])('on %s %s', (platform, path) => {
    const env = { 'PROGRAMFILES(X86)': String.raw`C:\Program Files (x86)` }
    expect(findBrowser(undefined, machine({ platform, env, programs: [path] }))).toBe(path)
  })
})

test.each<[string, Machine, string]>([
  ['Debian', { release: 'ID=debian\n' }, 'apt-get update && apt-get install --yes --no-install-recommends chromium-h'],
  ['a user of Debian', { release: 'ID=debian', isRoot: false }, 'sudo apt-get update && sudo apt-get install'],
  [
    'Ubuntu',
    { release: 'ID=ubuntu\nID_LIKE=debian' },
    'npx --yes playwright install --with-deps --only-shell chromium',
  ],
  ['a derivative of Debian', { release: 'ID=raspbian\nID_LIKE="debian"' }, 'apt-get update && apt-get install'],
  ['Alpine', { release: 'NAME="Alpine Linux"\nID=alpine' }, 'apk add chromium-headless-shell'],
  ['a derivative of Fedora', { release: 'ID="rocky"\nID_LIKE="rhel fedora"' }, 'dnf install -y chromium-headless'],
  ['an unknown system', {}, 'npx --yes playwright install'],
  ['a Mac', { platform: 'darwin', isRoot: false }, 'brew install --cask google-chrome'],
  ['Windows', { platform: 'win32' }, 'winget install --id Google.Chrome'],
])('without a browser, the error shows the command that installs one on %s', (_name, given, command) => {
  expect(() => findBrowser(undefined, machine(given))).toThrow(
    expect.objectContaining({
      code: 'NO_BROWSER',
      exitCode: 69,
      message: expect.stringContaining(`Install one: ${command}`) as string,
    }) as Error,
  )
})

test('a browser that is asked for is only replaced by the program that its script starts; an error tells what is wrong with its path', async () => {
  const folder = await temporaryFolder('browser')
  const file = join(folder, 'chromium')
  await writeFile(file, '')
  const system = { ...thisSystem, env: {} }
  expect(() => findBrowser(join(folder, 'none'), system)).toThrow(`${join(folder, 'none')}", which is not there.`)
  expect(() => findBrowser(folder, system)).toThrow('which is a folder.')
  expect(() => findBrowser(file, system)).toThrow('which is not executable.')
  expect(() => findBrowser('', system)).toThrow('got "", which is not there.')
  expect(() => findBrowser(undefined, { ...system, env: { CHROMIUM: file } })).toThrow(/^CHROMIUM must be/)
  await chmod(file, 0o755)
  expect(findBrowser(file, system)).toBe(file)
  const script = join(folder, 'chrome-headless-shell')
  await writeFile(script, `#!/bin/sh -e\n\n${file} "$@"\n`, { mode: 0o755 })
  expect(findBrowser(script, system)).toBe(file)
  await writeFile(script, `#!/bin/sh\nFLAGS=--x\nexec ${file} $FLAGS "$@"\n`)
  expect(findBrowser(script, system)).toBe(script)
})

describe("the browser's flags", () => {
  const flags = (options: Partial<Parameters<typeof browserFlags>[0]> = {}): string[] =>
    browserFlags({ sandbox: true, profileDir: '/tmp/profile', ...options })
  const named = (name: string, list: readonly string[]): string[] => list.filter((flag) => flag.split('=')[0] === name)

  test('omit the zygote only without a sandbox, since a sandboxed browser needs it to start', () => {
    expect(flags().filter((flag) => flag.startsWith('--no-'))).toEqual(['--no-first-run'])
    expect(flags({ sandbox: false })).toEqual(expect.arrayContaining(['--no-sandbox', '--no-zygote']))
    expect(named('--no-sandbox', flags({ extra: ['--no-sandbox'] }))).toHaveLength(1)
    expect(flags({ extra: ['--no-sandbox'] })).toContain('--no-zygote')
  })

  test('render WebGL in software, or disable it', () => {
    expect(flags()).toEqual(expect.arrayContaining(['--disable-gpu', '--disable-software-rasterizer']))
    expect(flags({ webgl: true })).toEqual(expect.arrayContaining(['--use-angle=swiftshader']))
    expect(flags({ webgl: true })).not.toContain('--disable-gpu')
  })

  test('merge added values into one flag per list, since the browser takes only the last flag', () => {
    const extra = ['--disable-features=Translate,B', '--js-flags=--expose-gc', '--window-size=800,600']
    const list = flags({ maxOldSpace: 261.7, extra: [...extra, '--disable-features=C'] })
    expect(named('--disable-features', list)).toEqual(['--disable-features=WebRtcHideLocalIpsWithMdns,Translate,B,C'])
    expect(named('--js-flags', list)).toEqual(['--js-flags=--max-old-space-size=261 --expose-gc'])
    expect(named('--window-size', list)).toEqual(['--window-size=800,600'])
    expect(list.at(-1)).toBe('about:blank')
  })
})
