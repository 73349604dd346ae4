import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test } from 'vitest'
import { firstCells, snippetsOf } from '../../support/markdown.js'
import { root } from '../../support/source.js'

const started: ChildProcess[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

const modules = snippetsOf('README.md').filter(
  ({ language, code }) => /^[jt]s$/.test(language) && code.includes('import '),
)

function run(args: readonly string[], port?: string): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...(port !== undefined && { AGONES_SDK_HTTP_PORT: port }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  return child
}

/** A snippet as a file that somebody has saved beside the installed package. */
const runModule = (code: string, port: string): ChildProcess => run(['--input-type=module', '--eval', code], port)

const lines = (child: ChildProcess): AsyncIterable<string> => createInterface({ input: child.stdout! })

/** Starts the local sidecar on a free port. */
async function startSidecar(): Promise<string> {
  for await (const line of lines(run(['dist/cli.js', 'local', '--port', '0']))) {
    const port = /AGONES_SDK_HTTP_PORT=(\d+)/.exec(line)?.[1]
    if (port !== undefined) return port
  }
  throw new Error('The local sidecar never told its port.')
}

test('every file that docs/README.md lists as an entry is built', () => {
  const named = firstCells('docs/README.md', 'Entries').filter((name) => name.startsWith('dist/'))
  expect(named).not.toEqual([])
  expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([])
})

describe('README', () => {
  test('the module on top prints the output that README shows', async () => {
    const game = runModule(modules[0]!.code, await startSidecar())
    const promised = ['now Scheduled', 'now RequestReady', 'now Ready']
    const printed: string[] = []
    for await (const line of lines(game)) {
      // A change of something else than the state repeats it.
      if (printed.at(-1) !== line) printed.push(line)
      if (line === promised[2]) break
    }
    // On a busy machine the watch may open half a second late, after the middle state has passed. The first state comes
    // by a read that is sent before ready().
    const certain = promised.filter((line) => line !== promised[1] || printed.includes(line))
    expect(printed).toEqual(certain)
  })

  test('begins with the script tag, gameserver events and ready(), in at most five lines and the end of the script', () => {
    const [first] = snippetsOf('README.md')
    expect(first).toMatchObject({ language: 'html' })
    expect(first!.code).toMatch(/umd\.js" data-auto-health[^]*\.on\('gameserver'[^]*\.ready\(\)/)
    expect(
      first!.code
        .trim()
        .split('\n')
        .filter((line) => line !== '</script>').length,
    ).toBeLessThanOrEqual(5)
  })

  test.each(modules.slice(1))('the snippet at line $line runs without an error', async ({ code }) => {
    const port = await startSidecar()
    const game = runModule(code, port)
    let complaints = ''
    game.stderr!.on('data', (data: Buffer) => (complaints += data.toString()))
    const [exitCode] = (await once(game, 'close')) as [number | null]
    expect(complaints).toBe('')
    expect(exitCode).toBe(0)
  })
})
