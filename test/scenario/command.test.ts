import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../../src/cli/main.js'
import { plainColors } from '../../src/cli/scenario-reports.js'
import { snippetsOf } from '../support/markdown.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const example = snippetsOf('docs/scenarios.md').find(({ language }) => language === 'yaml')!.code

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder('scenario')
  for (const [name, text] of Object.entries({ 'evict.yaml': example, ...files })) {
    await writeFile(join(folder, name), text)
  }
  return folder
}

async function run(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runCli(['scenario', ...args], {
    colors: plainColors,
    print: (line) => void out.push(line),
    warn: (line) => void err.push(line),
    version: () => '',
    untilStopped: () => new Promise(() => undefined),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

describe('scenario', () => {
  test.each<[string, string[], number, RegExp]>([
    ['no file', ['run', 'none.yaml'], 66, /^Cannot read none.yaml: there is no such file$/],
    ['no command of that name', ['run', 'evict.yaml', '--', 'no-such-game'], 66, /^There is no command "no-such-game"/],
    ['another action', ['runn', 'a.yaml'], 64, /^There is no action of scenario "runn"; did you mean "run"\?$/],
    ['no file named', ['run'], 64, /^Name a scenario's file/],
    ['another reporter', ['run', 'evict.yaml', '--reporter', 'xml'], 64, /junit/],
    [
      'another time',
      ['run', 'evict.yaml', '--time', 'x0'],
      64,
      /--time must be real or a speed from x1 to x1000; got "x0"/,
    ],
    [
      'time for a mock',
      ['run', 'virtual.yaml'],
      64,
      /virtual.yaml has "time: virtual", which only a test with a mock can give/,
    ],
    ['a mistake', ['run', 'typo.yaml'], 1, /^typo.yaml:1: the scenario has no field "stps"; did you mean "steps"\?$/],
    [
      'mistakes in several files',
      ['check', 'evict.yaml', 'typo.yaml', 'none.yaml'],
      1,
      /^typo.yaml:1: .*\nCannot read none.yaml/,
    ],
  ])('%s is one line and its exit code', async (_, args, expected, message) => {
    const folder = await folderWith({ 'typo.yaml': 'stps: []', 'virtual.yaml': 'time: virtual\nsteps: [{ wait: 1s }]' })
    const given = args.map((arg) => (/^(evict|virtual|typo)\.yaml$/.test(arg) ? join(folder, arg) : arg))
    const { code, err, out } = await run(given)
    expect(err.replaceAll(`${folder}/`, '')).toMatch(message)
    expect(err).not.toMatch(/^ +at /m)
    if (args[0] === 'check') expect(out).toMatch(/✓ .*evict\.yaml {2}9 steps$/)
    expect(code).toBe(expected)
  })
})
