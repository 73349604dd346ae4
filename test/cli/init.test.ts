import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { CLI, cli } from './support.js'
import { hasTerminals, openTerminal, type Terminal } from './terminal.js'

/** Runs `init` in a terminal, and types each answer when its question is there. */
async function typed(
  folder: string,
  answers: readonly (readonly [shown: RegExp, answer: string])[],
): Promise<Terminal> {
  const terminal = openTerminal(`"${process.execPath}" "${CLI}" init --into "${folder}"`)
  for (const [shown, answer] of answers) {
    await terminal.shows(shown)
    terminal.child.stdin!.write(answer)
  }
  return terminal
}

describe.skipIf(!hasTerminals)('init in a terminal', () => {
  test('asks, asks again after a wrong answer, and writes what was said', async () => {
    const folder = await temporaryFolder('init')
    const { ended } = await typed(folder, [
      [/page or a node program\?.*: /, 'page\r'],
      [/port that players connect to.*: /, '70000\r'],
      [/port must be .*port that players connect to.*: /s, '7000\r'],
      [/Seats for players.*: /, 'rooms=4\r'],
      [/Seconds without a health beat.*: /, '\r'],
    ])
    expect(await ended).toBe(0)
    const fleet = await readFile(join(folder, 'fleet.yaml'), 'utf8')
    expect(fleet).toMatch(/\n +containerPort: 7000\n/)
    expect(fleet).toMatch(/\n +rooms:\n +capacity: 4\n/)
  })

  test('writes nothing after Ctrl-C, says so and exits with 130', async () => {
    const folder = await temporaryFolder('init')
    const { ended, shows } = await typed(folder, [[/page or a node program\?.*: /, '\u0003']])
    expect(await ended).toBe(130)
    await shows(/Nothing was written/)
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
