import { describe, expect, test } from 'vitest'
import { checks } from '../../src/cli/commands/doctor.js'
import { EXIT } from '../../src/cli/exit-codes.js'
import { flagName } from '../../src/cli/flags.js'
import { localFlags } from '../../src/cli/local-flags.js'
import { loadCommands } from '../../src/cli/main.js'
import { firstCells, proseOf } from '../support/markdown.js'

const PAGE = 'docs/tools.md'

/** The long names of the flags of a command, without those of the local sidecar in it. */
async function flagsOf(name: string): Promise<string[]> {
  const { flags } = (await loadCommands()).find((command) => command.name === name)!
  const ofLocal = name === 'exec' || name === 'serve' ? Object.keys(localFlags) : []
  return Object.keys(flags)
    .filter((flag) => !ofLocal.includes(flag))
    .map(flagName)
}

test.each([
  [PAGE, 'call', 'call'],
  [PAGE, 'watch', 'watch'],
  [PAGE, 'exec', 'exec'],
  [PAGE, 'doctor', 'doctor'],
  ['docs/cli.md', 'allocate', 'allocate'],
  ['docs/gateway.md', 'Options of serve', 'serve'],
  ['docs/recording.md', 'replay', 'replay'],
])('%s has under "%s" every flag of %s, and no other', async (page, heading, name) => {
  const documented = firstCells(page, heading).flatMap((cell) => cell.match(/--[a-z][a-z0-9-]*/g) ?? [])
  // The port of a sidecar inside stands with its other flags.
  const flags = (await flagsOf(name)).filter((flag) => name !== 'serve' || flag !== '--http-port')
  expect([...new Set(documented)].sort()).toEqual(flags.sort())
})

describe('docs/tools.md', () => {
  test('has every exit code', () => {
    const documented = firstCells(PAGE, 'Exit codes').flatMap((cell) => cell.split(', '))
    expect(documented).toEqual(expect.arrayContaining(Object.values(EXIT).map(String)))
  })

  test('has every group of checks', () => {
    const groups = [...new Set(checks.map(({ group }) => group))]
    for (const group of groups) expect(proseOf(PAGE)).toContain(`| ${group} |`)
  })
})
