import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { cli } from './support.js'

const FIX = 'name the folder that holds the built page, or add --yes if you mean it.'
const served = (dir: string, ...more: readonly string[]) => ['serve', dir, '--local', '--port=0', ...more]

/** A home directory with a build in it. */
async function makeHome(): Promise<string> {
  const home = await realpath(await temporaryFolder('gameserver-home'))
  for (const name of ['game', '.ssh']) {
    await mkdir(join(home, name))
    await writeFile(join(home, name, 'index.html'), '<!doctype html>')
  }
  await writeFile(join(home, 'index.html'), '<!doctype html>')
  return home
}

test.skipIf(process.platform === 'win32').each([
  ['/', 'the root of the file system'],
  ['/../.', 'the root of the file system'],
  ['/etc', 'the folder /etc of the system'],
  ['/proc/self', 'the folder /proc/'],
  ['/usr', 'the folder /usr of the system'],
  [homedir(), 'a home directory'],
])('%s is served only if somebody insists', async (dir, what) => {
  const { code, out, err } = await cli(served(dir)).finished
  expect(err.startsWith(`${dir} is ${what}`), err).toBe(true)
  expect(err.endsWith(FIX)).toBe(true)
  expect(err.split('\n')).toHaveLength(1)
  expect([code, out]).toEqual([64, ''])
})

test('it counts where a path leads', async () => {
  const home = await makeHome()
  const link = join(await temporaryFolder('gameserver-link'), 'dist')
  await symlink(home, link)
  for (const [dir, what] of [
    [link, 'a home directory'],
    [join(home, 'game', '..'), 'a home directory'],
    [join(home, '.ssh'), 'a hidden folder of a home directory'],
    [join(home, '..'), 'the folder '],
  ] as const) {
    const { code, err } = await cli(served(dir), { HOME: home, USERPROFILE: home }).finished
    expect(err.startsWith(`${dir} is ${what}`), err).toBe(true)
    expect(code).toBe(64)
  }
})

test('a folder inside is served, and with --yes any', async () => {
  const home = await makeHome()
  for (const args of [served(join(home, 'game')), served(home, '--yes')]) {
    const run = cli(args, { HOME: home, USERPROFILE: home })
    await run.line(/at http:/)
    run.child.kill('SIGTERM')
    expect((await run.finished).code).toBe(0)
  }
})
