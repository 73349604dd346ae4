import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadScenario, ScenarioFileError } from '../../src/node/scenario/load-scenario.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { run } from '../tools/support.js'

async function messageOf(text: string): Promise<string> {
  const file = join(await temporaryFolder('scenario'), 'a.yaml')
  await writeFile(file, text)
  const error: unknown = await loadScenario(file).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ScenarioFileError)
  return (error as Error).message.replace(/^.*(?=a\.yaml)/, '')
}

describe('a scenario with a mistake is refused with its line, what is expected and the nearest name', () => {
  test.each([
    ['a field', 'name: a\nstep:\n  - wait: 1s\n', 'a.yaml:2: the scenario has no field "step"; did you mean "steps"?'],
    [
      'the GameServer',
      'gameServer:\n  spec:\n    health:\n      periodSecond: 5\nsteps: [{ wait: 1s }]\n',
      'a.yaml:4: gameServer.spec.health has no field "periodSecond"; did you mean "periodSeconds"?',
    ],
    [
      'the file of the GameServer',
      'name: a\ngameServer: ./none.yaml\nsteps: [{ wait: 1s }]\n',
      'a.yaml:2: Cannot read ',
    ],
    [
      'a step with two actions',
      'steps:\n  - wait: 1s\n    advance: 1s\n',
      'a.yaml:2: steps[0] needs one of expect, control, allocate, fault, advance, wait, terminate; got advance and wait',
    ],
    [
      'refused, where nothing can be',
      'steps:\n  - wait: 1s\n    refused: true\n',
      'a.yaml:3: steps[0].refused is only for control and allocate',
    ],
    ['the YAML itself', 'steps:\n  - wait: 1s\n  - {\n', 'a.yaml:4: this is neither YAML nor JSON: '],
    ['an alias to a mistake', 'steps:\n  - &a\n    wait: 5\n  - *a\n', 'a.yaml:3: steps[0].wait must be'],
  ])('%s', async (_, text, message) => {
    expect(await messageOf(text)).toContain(message)
  })

  test('the lines of steps are those of their first fields', async () => {
    const folder = await temporaryFolder('scenario')
    await writeFile(join(folder, 'gs.yaml'), 'metadata: { name: mine }\n')
    await writeFile(
      join(folder, 'a.yaml'),
      '# a comment\ngameServer: gs.yaml\nsteps:\n  - wait: 1s\n\n  - # two\n    wait: 1s\n',
    )
    const { lines, gameServer } = await loadScenario(join(folder, 'a.yaml'))
    expect({ lines, gameServer }).toEqual({ lines: [4, 7], gameServer: { metadata: { name: 'mine' } } })
  })
})

test.each<[args: string[], code: number, message: RegExp]>([
  [['run', 'good.yaml', '--', 'no-such-game'], 66, /^There is no command "no-such-game"/],
  [['run', 'good.yaml', '--time', 'x0'], 64, /^--time must be real or a speed from x1 to x1000; got "x0"/],
  [['run', 'virtual.yaml'], 64, /virtual.yaml has "time: virtual", which works only in a test with a mock/],
  [['run', 'typo.yaml'], 1, /^\S+typo.yaml:1: the scenario has no field "stps"; did you mean "steps"\?$/],
  [['check', 'good.yaml', 'typo.yaml', 'none.yaml'], 1, /^\S+typo.yaml:1: .*\nCannot read \S+none.yaml/],
])(
  'scenario with %j ends with %i and tells the first mistake of each file in one line',
  async (args, code, message) => {
    const folder = await temporaryFolder('scenario')
    await writeFile(join(folder, 'good.yaml'), 'steps: [{ wait: 1ms }]')
    await writeFile(join(folder, 'typo.yaml'), 'stps: []')
    await writeFile(join(folder, 'virtual.yaml'), 'time: virtual\nsteps: [{ wait: 1s }]')
    const given = args.map((arg) => (arg.endsWith('.yaml') ? join(folder, arg) : arg))
    const result = await run('scenario', ...given).finished
    expect(result.err).toMatch(message)
    expect(result.err).not.toMatch(/^ +at /m)
    if (args[0] === 'check') expect(result.out).toMatch(/✓ .*good\.yaml {2}1 step$/)
    expect(result.code).toBe(code)
  },
)
