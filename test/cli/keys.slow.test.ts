import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { CLI, call, NO_SIDECAR, readGameServer, startLocal } from './support.js'

/** util-linux's program that gives a command a terminal of its own. */
const hasTerminals = process.platform === 'linux' && spawnSync('script', ['--version']).stdout?.includes('util-linux')

interface Terminal {
  readonly child: ChildProcess
  press(keys: string): void
  /** Resolves with the text so far once it matches what comes after the last match. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** The exit code, and everything that was shown. */
  readonly finished: Promise<{ readonly code: number | null; readonly text: string }>
}

/**
 * Runs the command line in a terminal, between two lines that print the terminal's settings. Ctrl-C also reaches the
 * shell, and some shells die of it unless they have a trap. The command doesn't inherit a trap that runs code.
 */
const inTerminal = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Terminal =>
  openTerminal(
    `trap : INT; stty -g; '${process.execPath}' '${CLI}' ${args.join(' ')}; code=$?; stty -g; exit $code`,
    env,
  )

function openTerminal(command: string, env: NodeJS.ProcessEnv = {}): Terminal {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...NO_SIDECAR, FORCE_COLOR: undefined, NO_COLOR: '1', ...env },
    stdio: 'pipe',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  let from = 0
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part.replaceAll('\r\n', '\n')
    child.emit('shown')
  })
  const finished = once(child, 'close').then(([code]) => {
    child.emit('shown')
    return { code: code as number | null, text: stripVTControlCharacters(text) }
  })
  const shows = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(text.slice(from))
      if (match !== null) {
        from += match.index + match[0].length
        return match
      }
      if (child.exitCode !== null) throw new Error(`No ${String(pattern)} in:\n${text}`)
      await once(child, 'shown', { signal: AbortSignal.timeout(20_000) }).catch(() => {
        throw new Error(`No ${String(pattern)} within 20 s in:\n${text}`)
      })
    }
  }
  return { child, press: (keys) => void child.stdin.write(keys), shows, finished }
}

/** The terminal's settings before the command and after it. A terminal may echo Ctrl-C on the same line. */
const settings = (text: string): string[] =>
  Array.from(text.matchAll(/[0-9a-f]+(?::[0-9a-f]+){10,}/g), ([setting]) => setting)

async function startInTerminal(
  args: readonly string[] = [],
  env?: NodeJS.ProcessEnv,
): Promise<Terminal & { readonly url: string }> {
  const terminal = inTerminal(['local', '--port', '0', ...args], env)
  const [, url] = await terminal.shows(/SDK: +(http:\S+)[^]*press[^]*first call.*\n/)
  return { ...terminal, url: url! }
}

describe.skipIf(!hasTerminals)('in a terminal', () => {
  test('single keys steer the sidecar, and a paste is ignored', async () => {
    const { url, press, shows, finished } = await startInTerminal()
    press('a')
    await shows(/not allocated: state is Scheduled, must be Ready/)
    await call(url, '/ready')
    await shows(/RequestReady → Ready/)
    const command = { type: 'allocate', labels: { mode: 'dm' } }
    const headers = { 'x-sidecar-control': '1' }
    await fetch(`${url}/_/api/commands`, { method: 'POST', headers, body: JSON.stringify(command) })
    await shows(/Ready → Allocated, label mode=dm/)
    await fetch(`${url}/_/api/commands`, {
      method: 'POST',
      headers,
      body: '{"type":"setLabel","key":"mode","value":"tdm"}',
    })
    press('A')
    await shows(/control allocate .*label mode=dm/)
    press('update')
    press('\u001b[A')
    // A key that is read together with the paste counts as a part of it, so it is pressed again.
    const again = setInterval(() => press('h'), 2_000)
    onTestFinished(() => clearInterval(again))
    press('h')
    await shows(/q {2}quit/)
    clearInterval(again)
    press('w')
    await shows(/control dropWatchers/)
    press('x')
    await shows(/is being deleted/)
    press('f')
    await shows(/control restart/)
    expect((await readGameServer(url)).status.state).toBe('Scheduled')
    press('u')
    await shows(/→ Unhealthy/)
    press('q')
    const { code, text } = await finished
    expect(code).toBe(0)
    expect(text).toMatch(/\n\d+ calls?, \d+ events?, 0 errors\n/)
    expect(text.match(/control terminate/g)).toHaveLength(1)
    expect(text.match(/makeUnhealthy/g)).toHaveLength(1)
    const [before, after] = settings(text)
    expect(after).toBe(before)
  })

  test('keys of a Fleet scale it to no less than none, update it, allocate and end it', async () => {
    const program = join(import.meta.dirname, '..', 'fleet', 'program.mjs')
    const flags = ['--port', '0', '--players-port', '22700-22719', '--replicas', '1', '--grace', '5']
    const { press, shows, finished } = inTerminal(['fleet', ...flags, '--', process.execPath, program])
    await shows(/→ Ready/)
    press('h')
    await shows(/q {2}quit/)
    press('+')
    await shows(/is scaled from 1 to 2[^]*→ Ready/)
    press('a')
    await shows(/Ready → Allocated/)
    press('u')
    await shows(/takes over from[^]*→ Ready/)
    press('-')
    await shows(/is scaled from 2 to 1/)
    press('-')
    await shows(/is scaled from 1 to 0/)
    press('-')
    // Keys that are read together count as a paste.
    const later = setInterval(() => press('h'), 1_000)
    onTestFinished(() => clearInterval(later))
    await shows(/q {2}quit/)
    clearInterval(later)
    press('q')
    const { code, text } = await finished
    expect(code).toBe(0)
    expect(text).not.toContain('to -1')
    expect(text).toMatch(/Ending \d+ GameServers?; once more kills them\./)
  })

  const ends: readonly (readonly [string, string, NodeJS.ProcessEnv, number])[] = [
    ['Ctrl-C', '\u0003', {}, 0],
    [
      'a crash',
      'z',
      {
        NODE_OPTIONS:
          '--import=data:text/javascript,process.stdin.on(/data/.source,(text)=>{if(/z/.test(text))throw(new(Error))})',
      },
      1,
    ],
  ]
  test.each(ends)('%s restores the terminal’s mode', async (_name, keys, env, expected) => {
    const { press, finished } = await startInTerminal([], env)
    press(keys)
    const { code, text } = await finished
    const [before, after, ...others] = settings(text)
    expect([after, others]).toEqual([before, []])
    expect(code).toBe(expected)
  })

  const colors: readonly (readonly [NodeJS.ProcessEnv, boolean])[] = [
    [{ TERM: 'xterm' }, true],
    [{ TERM: 'xterm', NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'xterm', FORCE_COLOR: '0' }, false],
  ]
  test.each(colors)('with %o it has colours: %s', async (env, expected) => {
    const { child, shows } = inTerminal(['local', '--port', '0'], { NO_COLOR: undefined, CI: undefined, ...env })
    const [banner] = await shows(/.*SIDECAR.*\n/)
    expect(banner.includes('\u001b[1mSIDECAR')).toBe(expected)
    child.kill('SIGTERM')
  })

  test('o opens the dashboard in a browser, and prints its address where that fails', async () => {
    const folder = await temporaryFolder('opener')
    const opened = join(folder, 'opened')
    const script = `#!/bin/sh\n[ ! -e '${opened}' ] && printf %s "$*" >'${opened}'\n`
    await writeFile(join(folder, 'xdg-open'), script, { mode: 0o755 })
    const { url, press, shows, finished } = await startInTerminal([], { PATH: `${folder}:${process.env['PATH']}` })
    press('o')
    await vi.waitFor(async () => expect(await readFile(opened, 'utf8')).toBe(`${url}/_/`), 20_000)
    press('o')
    const [, told] = await shows(/No browser could be opened; open (\S+) yourself/)
    expect(told).toBe(`${url}/_/`)
    press('q')
    expect((await finished).text.match(/No browser/g)).toHaveLength(1)
  })

  const game = 'sh -c "echo game \\$\\$; sleep 600"'
  const closed: readonly (readonly [name: string, args: string, shown: RegExp])[] = [
    ['local', 'local --port 0', /first call/],
    ['serve', `serve '${join(root, 'demo/star-arena/page')}' --local --port 0`, /Dashboard at/],
    ['exec', `exec -- ${game}`, /game (\d+)/],
    ['exec --keys', `exec --keys -- ${game}`, /game (\d+)/],
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

  test('with --log-format json, keys are neither shown nor read', async () => {
    const { press, shows, finished } = inTerminal(['local', '--port', '0', '--log-format', 'json'])
    await shows(/"event":"listening"/)
    press('u')
    press('\u0003')
    const { code, text } = await finished
    expect(text).not.toMatch(/press|Unhealthy/)
    expect(code).toBe(0)
  })

  test('a port that is taken: u prints the address of the other sidecar, n takes the next port, and Ctrl-C quits', async () => {
    const { url } = await startLocal()
    const { port } = new URL(url)
    const use = inTerminal(['local', '--port', port])
    await use.shows(/is used by another local sidecar.*\[U\]se that one \/ \[N\]ext free port \/ \[Q\]uit/)
    use.press('u')
    expect((await use.finished).text).toContain(`AGONES_SDK_HTTP_PORT=${port}`)

    const next = inTerminal(['local', '--port', port])
    await next.shows(/\[N\]ext/)
    next.press('N')
    const [, found] = await next.shows(/SDK: +(http:\S+)/)
    expect((await readGameServer(found!)).status.state).toBe('Scheduled')
    next.press('q')
    expect((await next.finished).code).toBe(0)

    const quit = inTerminal(['local', '--port', port])
    await quit.shows(/\[Q\]uit/)
    quit.press('\u0003')
    const { code, text } = await quit.finished
    expect(code).toBe(69)
    const [before, after] = settings(text)
    expect(after).toBe(before)
  })
})
