import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { CLI } from './support.js'
import { hasTerminals, openTerminal, type Terminal } from './terminal.js'

const local = (flags: string, env?: NodeJS.ProcessEnv): Terminal =>
  openTerminal(`'${process.execPath}' '${CLI}' local --port 0 ${flags}`, env)

describe.skipIf(!hasTerminals)('in a terminal', () => {
  const colors: readonly (readonly [NodeJS.ProcessEnv, boolean])[] = [
    [{ TERM: 'xterm' }, true],
    [{ TERM: 'xterm', NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'xterm', FORCE_COLOR: '0' }, false],
  ]
  test.each(colors)('with %o it has colours: %s', async (env, expected) => {
    const { shows } = local('', { NO_COLOR: undefined, CI: undefined, ...env })
    const [banner] = await shows(/.*SIDECAR.*\n/)
    expect(banner.includes('\u001b[1mSIDECAR')).toBe(expected)
  })

  test('--open opens the dashboard in a browser, and its address is printed where that fails', async () => {
    const folder = await temporaryFolder('opener')
    const opened = join(folder, 'opened')
    const env = { PATH: `${folder}:${process.env['PATH']}`, CI: undefined, DISPLAY: ':0' }
    for (const code of [0, 1]) {
      const script = `#!/bin/sh\nprintf %s "$*" >'${opened}'; exit ${code}\n`
      await writeFile(join(folder, 'xdg-open'), script, { mode: 0o755 })
      const { shows } = local('--open', env)
      const [, url] = await shows(/Dashboard: +(http:\S+)/)
      await vi.waitFor(async () => expect(await readFile(opened, 'utf8')).toBe(url), 20_000)
      if (code !== 0) expect((await shows(/No browser could be opened; open (\S+) yourself/))[1]).toBe(url)
    }
  })

  const game = 'sh -c "echo game \\$\\$; sleep 600"'
  const closed: readonly (readonly [name: string, args: string, shown: RegExp])[] = [
    ['local', 'local --port 0', /first call/],
    ['serve', `serve '${join(root, 'demo/star-arena/page')}' --local --port 0`, /Dashboard at/],
    ['exec', `exec -- ${game}`, /game (\d+)/],
  ]
  test.each(closed)(
    `when the terminal of %s closes, its processes end, and Node doesn't abort`,
    async (_name, args, shown) => {
      const folder = await temporaryFolder('hangup')
      const [errors, code] = [join(folder, 'errors'), join(folder, 'code')]
      // The terminal's own shell dies with it, which sends SIGHUP to the others; the inner one stays to tell the exit code.
      const command = `(trap '' HUP; '${process.execPath}' '${CLI}' ${args} 2>'${errors}'; echo $? >'${code}'); :`
      const { child, shows } = openTerminal(command)
      const [, pid] = await shows(shown)
      child.kill('SIGKILL')
      await vi.waitFor(async () => expect(await readFile(code, 'utf8')).toBe('129\n'), 20_000)
      expect(await readFile(errors, 'utf8')).not.toMatch(/assert|error/i)
      if (pid !== undefined) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
    },
  )
})
