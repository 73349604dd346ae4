import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startBrowserProcess } from '../../../src/node/host/browser/browser-process.js'
import { makeProfile, removeAbandonedProfiles, temporaryFor } from '../../../src/node/host/browser/profile-folder.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

test.skipIf(process.platform === 'win32')(
  'the profiles of hosts that were killed are taken away by the next host, and nothing else',
  async () => {
    const elsewhere = await temporaryFolder('elsewhere')
    const folder = await temporaryFolder('profiles')
    const before = process.env['TMPDIR']
    process.env['TMPDIR'] = folder
    onTestFinished(() => {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
    })
    const own = basename(await makeProfile())
    const dead = spawnSync(process.execPath, ['--version']).pid
    const of = (pid: number | string, end: string): string =>
      own.replace(`-${process.pid.toString(36)}-`, `-${typeof pid === 'number' ? pid.toString(36) : pid}-`) + end
    await mkdir(join(folder, of(dead, 'a'), 'Default'), { recursive: true })
    await writeFile(join(folder, of(dead, 'a'), 'Default', 'Cookies'), '')

    const kept = {
      'its own': own,
      'that of a host which runs': of(process.ppid, 'b'),
      'that of another machine or container': of(dead, 'c').replace(/host-.{4}/, 'host-zzzz'),
      'one that tells no process': of('-', 'd'),
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
  [27, 'in its profile'],
  [50, 'beside its profile'],
  [90, 'in /tmp'],
])(
  "the path of the browser's socket is short enough with temporary files at a path of %i letters: %s",
  (length, where) => {
    const before = process.env['TMPDIR']
    process.env['TMPDIR'] = '/tmp/'.padEnd(length, 'x')
    onTestFinished(() => {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
    })
    const profile = join(process.env['TMPDIR'], 'gameserver-host-1a2b-2hwcf-abcdef')
    const places = { 'in its profile': profile, 'beside its profile': process.env['TMPDIR'], 'in /tmp': '/tmp' }
    expect(temporaryFor(profile)).toBe(places[where as keyof typeof places])
  },
)
