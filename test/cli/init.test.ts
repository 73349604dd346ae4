import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { cli } from './support.js'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** Debian's `script` gives a program a terminal; that of other systems has other options. */
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

/** Runs `init` in a terminal, and types each answer when its question is there. */
async function typed(folder: string, answers: readonly (readonly [question: RegExp, answer: string])[]) {
  const command = `"${process.execPath}" "${CLI}" init --into "${folder}"`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const left = [...answers]
  let screen = ''
  let unread = ''
  child.stdout.on('data', (text: Buffer) => {
    screen += text.toString()
    unread += text.toString()
    const next = left[0]
    if (!next?.[0].test(unread)) return
    left.shift()
    unread = ''
    child.stdin.write(next[1])
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, screen, left }
}

describe.skipIf(!hasTerminal)('init in a terminal', () => {
  test('asks, asks again after a wrong answer, and writes what was said', async () => {
    const folder = await temporaryFolder('init')
    const { code, left } = await typed(folder, [
      [/page or a node program\?.*: /, 'page\r'],
      [/port that players connect to.*: /, '70000\r'],
      [/port must be .*port that players connect to.*: /s, '7000\r'],
      [/Seats for players.*: /, 'rooms=4\r'],
      [/Seconds without a health beat.*: /, '\r'],
    ])
    expect({ code, left }).toEqual({ code: 0, left: [] })
    const fleet = await readFile(join(folder, 'fleet.yaml'), 'utf8')
    expect(fleet).toMatch(/\n +containerPort: 7000\n/)
    expect(fleet).toMatch(/\n +rooms:\n +capacity: 4\n/)
  })

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('writes nothing after %s, says so and exits with 130', async (_name, key) => {
    const folder = await temporaryFolder('init')
    const { code, screen } = await typed(folder, [[/page or a node program\?.*: /, key]])
    expect(code).toBe(130)
    expect(screen).toContain('Nothing was written')
    expect(await readdir(folder)).toEqual([])
  })
})

test('init without a terminal asks nothing', async () => {
  const folder = await temporaryFolder('init')
  const run = cli(['init', '--into', folder, '--kind', 'page'])
  run.child.stdin!.end()
  expect((await run.finished).code).toBe(0)
  expect(await readdir(folder)).toContain('fleet.yaml')
})
