import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findBrowser, thisSystem, type System } from '../../../src/host/browser/find-browser.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

/** A machine that has the given programs and no others. */
const machine = (programs: readonly string[], rest: Partial<System> = {}): System => ({
  platform: 'linux',
  env: {},
  ...rest,
  isProgram: (path) => programs.includes(path),
  list: (folder) => {
    const inside = programs.filter((path) => path.startsWith(`${folder}/`))
    return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0]!))]
  },
})

describe('the browser is', () => {
  const playwright = '/home/ada/.cache/ms-playwright/chromium_headless_shell-'
  const order = [
    '/own/browser',
    '/named/chromium',
    '/usr/lib/chromium/chromium-headless-shell',
    `${playwright}1200/chrome-headless-shell-linux64/chrome-headless-shell`,
    `${playwright}999/chrome-linux/headless_shell`,
    '/tools/chrome-headless-shell',
    '/tools/chromium',
  ]

  test.each(order.map((path, index) => ({ path, index })))('$path if no earlier candidate exists', (row) => {
    const env = { CHROMIUM: row.index > 1 ? '' : '/named/chromium', HOME: '/home/ada', PATH: '/bin:/tools' }
    const system = machine(order.slice(row.index), { env })
    expect(findBrowser(row.index === 0 ? row.path : undefined, system)).toBe(row.path)
  })

  test.each<[System['platform'], string]>([
    ['darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ['win32', String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`],
  ])('on %s %s', (platform, path) => {
    const env = { 'PROGRAMFILES(X86)': String.raw`C:\Program Files (x86)` }
    expect(findBrowser(undefined, machine([path], { platform, env }))).toBe(path)
  })
})

test('without a browser, the error says how to install one', () => {
  expect(() => findBrowser(undefined, machine([]))).toThrow(
    expect.objectContaining({
      code: 'NO_BROWSER',
      exitCode: 69,
      message: expect.stringContaining('install one: npx playwright install') as string,
    }) as Error,
  )
})

test('a browser that is asked for is never replaced; an error names the path and its source', async () => {
  const file = join(await temporaryFolder('browser'), 'chromium')
  await writeFile(file, '')
  const find = (asked: string | undefined, env: NodeJS.ProcessEnv = {}): string =>
    findBrowser(asked, { ...thisSystem, env })
  for (const path of [`${file}-2`, join(file, '..'), file, '']) {
    expect(() => find(path)).toThrow(`--browser must be the path of a program that this user may run; got "${path}".`)
  }
  expect(() => find(undefined, { CHROMIUM: file })).toThrow(/^CHROMIUM must be/)
  await chmod(file, 0o755)
  expect(find(file)).toBe(file)
})
