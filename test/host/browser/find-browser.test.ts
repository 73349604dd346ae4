import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findBrowser } from '../../../src/node/host/browser/find-browser.js'
import { thisSystem } from '../../../src/node/host/browser/system.js'
import { HostError } from '../../../src/node/host/host-error.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { fakeSystem } from '../support/fake-system.js'

const ELF = '\x7fELF'
const DEBIAN_SHELL = '/usr/lib/chromium/chromium-headless-shell'
const DEBIAN_SCRIPT = `#!/bin/sh -e\n\n${DEBIAN_SHELL} "$@"\n`

const failure = (run: () => unknown): HostError => {
  try {
    run()
  } catch (error) {
    if (error instanceof HostError) return error
  }
  throw new Error('no HostError was thrown')
}

describe('the browser is', () => {
  const all = {
    '/own/browser': ELF,
    '/named/chromium': ELF,
    [DEBIAN_SHELL]: ELF,
    '/home/ada/.cache/ms-playwright/chromium_headless_shell-999/chrome-linux/headless_shell': ELF,
    '/home/ada/.cache/ms-playwright/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell':
      ELF,
    '/home/ada/.cache/puppeteer/chrome-headless-shell/linux-131.0/chrome-headless-shell-linux64/chrome-headless-shell':
      ELF,
    '/tools/chrome-headless-shell': ELF,
    '/usr/lib/chromium/chromium': ELF,
    '/opt/google/chrome/chrome': ELF,
    '/opt/microsoft/msedge/msedge': ELF,
    '/tools/chromium': ELF,
  }
  const env = { CHROMIUM: '/named/chromium', HOME: '/home/ada', PATH: '/tools' }
  const order = [
    ['/own/browser', 'chromium'],
    ['/named/chromium', 'chromium'],
    [DEBIAN_SHELL, 'shell'],
    [
      '/home/ada/.cache/ms-playwright/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell',
      'shell',
    ],
    ['/home/ada/.cache/ms-playwright/chromium_headless_shell-999/chrome-linux/headless_shell', 'shell'],
    [
      '/home/ada/.cache/puppeteer/chrome-headless-shell/linux-131.0/chrome-headless-shell-linux64/chrome-headless-shell',
      'shell',
    ],
    ['/tools/chrome-headless-shell', 'shell'],
    ['/usr/lib/chromium/chromium', 'chromium'],
    ['/opt/google/chrome/chrome', 'chromium'],
    ['/opt/microsoft/msedge/msedge', 'chromium'],
    ['/tools/chromium', 'chromium'],
  ] as const

  test.each(order.map(([path, kind], index) => ({ path, kind, index })))(
    '$path where nothing before it is there',
    (row) => {
      const gone = order.slice(0, row.index).map(([path]) => path)
      const programs = Object.fromEntries(Object.entries(all).filter(([path]) => !gone.includes(path as never)))
      const asked = row.index === 0 ? row.path : undefined
      const system = fakeSystem({ programs, env: row.index > 1 ? { ...env, CHROMIUM: '' } : env })
      expect(findBrowser(asked, system)).toEqual({ path: row.path, kind: row.kind })
    },
  )

  test('the application on a Mac, and the program of the user or of all on Windows', () => {
    const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
    expect(findBrowser(undefined, fakeSystem({ platform: 'darwin', programs: { [chrome]: ELF } })).path).toBe(chrome)
    const edge = String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`
    const windows = fakeSystem({
      platform: 'win32',
      env: { 'PROGRAMFILES(X86)': String.raw`C:\Program Files (x86)` },
      programs: { [edge]: 'MZ' },
    })
    expect(findBrowser(undefined, windows).path).toBe(edge)
  })
})

describe('a script that starts the browser', () => {
  test('gives way to the program that it starts, whose pid is the one to watch', () => {
    const programs = { '/usr/bin/chromium-headless-shell': DEBIAN_SCRIPT, [DEBIAN_SHELL]: ELF }
    expect(findBrowser('/usr/bin/chromium-headless-shell', fakeSystem({ programs }))).toEqual({
      path: DEBIAN_SHELL,
      kind: 'shell',
    })
  })

  test('gives way to the known place of the program where it does more than start it', () => {
    const programs = {
      '/usr/bin/google-chrome': '#!/bin/bash\nexport X=1\nexec -a "$0" "$HERE/chrome" "$@"\n',
      '/opt/google/chrome/chrome': ELF,
    }
    const env = { CHROMIUM: 'google-chrome', PATH: '/usr/bin' }
    expect(findBrowser(undefined, fakeSystem({ programs, env }))).toEqual({
      path: '/opt/google/chrome/chrome',
      kind: 'chromium',
    })
  })

  test('is used without a word where it becomes the browser, and with a warning where it stays', () => {
    const programs = {
      '/a/chromium': '#!/bin/sh\nFLAGS=--x\nexec /b/c $FLAGS "$@"\n',
      '/a/stays': '#!/bin/sh\nsleep 1\n/b/c "$@"\n',
    }
    expect(findBrowser('/a/chromium', fakeSystem({ programs }))).toEqual({ path: '/a/chromium', kind: 'chromium' })
    expect(findBrowser('/a/stays', fakeSystem({ programs })).warning).toMatch(/^\/a\/stays is a script that may stay/)
  })
})

describe('without a browser', () => {
  const install = (texts: Record<string, string>, more: Parameters<typeof fakeSystem>[0] = {}): string =>
    failure(() => findBrowser(undefined, fakeSystem({ texts, ...more }))).message

  test.each([
    ['Debian', 'ID=debian', 'apt-get update && apt-get install --yes --no-install-recommends chromium-headless-shell '],
    ['Ubuntu', 'ID=ubuntu\nID_LIKE=debian', 'npx --yes playwright install --with-deps --only-shell chromium\n'],
    ['Raspberry Pi OS', 'ID=raspbian\nID_LIKE="debian"', 'apt-get update && apt-get install'],
    ['Alpine', 'NAME="Alpine Linux"\nID=alpine', 'apk add chromium-headless-shell'],
    ['Fedora', 'ID=fedora', 'dnf install -y chromium-headless'],
    ['Rocky', 'ID="rocky"\nID_LIKE="rhel centos fedora"', 'dnf install -y chromium-headless'],
    ['a system that nobody has heard of', 'ID=beos', 'npx --yes playwright install'],
  ])('the command for %s is told', (_name, release, command) => {
    expect(install({ '/etc/os-release': `${release}\n` })).toContain(`Install one: ${command}`)
  })

  test('the command for a user is one that a user may run', () => {
    const command = install({ '/etc/os-release': 'ID=debian\n' }, { isRoot: false })
    expect(command).toContain('sudo apt-get update && sudo apt-get install')
    expect(install({}, { platform: 'darwin', isRoot: false })).toContain('brew install --cask google-chrome')
    expect(install({}, { platform: 'win32' })).toContain('winget install --id Google.Chrome')
  })

  test('the error is NO_BROWSER with exit code 69', () => {
    expect(failure(() => findBrowser(undefined, fakeSystem({})))).toMatchObject({ code: 'NO_BROWSER', exitCode: 69 })
  })
})

test('a browser that is asked for is never replaced by another one: what is wrong with its path is told', async () => {
  const folder = await temporaryFolder('browser')
  const file = join(folder, 'chromium')
  await writeFile(file, ELF)
  const system = { ...thisSystem, env: {} }
  const told = (path: string): string => {
    const error = failure(() => findBrowser(path, system))
    expect(error.exitCode).toBe(69)
    return error.message
  }
  expect(told(join(folder, 'none'))).toContain(`got ${JSON.stringify(join(folder, 'none'))}, which is not there.`)
  expect(told(folder)).toContain('which is a folder.')
  expect(told(file)).toContain('which is not executable.')
  expect(told('')).toContain('got "", which is not there.')
  expect(failure(() => findBrowser(undefined, { ...system, env: { CHROMIUM: file } })).message).toMatch(
    /^CHROMIUM must be/,
  )
  await chmod(file, 0o755)
  expect(findBrowser(file, system)).toEqual({ path: file, kind: 'chromium' })
  await mkdir(join(folder, 'bin'))
  const shell = join(folder, 'bin', 'chrome-headless-shell')
  await writeFile(shell, `#!/bin/sh\n${file} "$@"\n`, { mode: 0o755 })
  expect(findBrowser(shell, system).path).toBe(file)
})
