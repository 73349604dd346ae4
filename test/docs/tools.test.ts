import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandTable } from '../../src/cli/command-table.js'
import { checks } from '../../src/cli/doctor/examine.js'
import { EXIT } from '../../src/cli/exit-codes.js'
import { localOptions } from '../../src/cli/local-options.js'
import { firstCells, proseOf } from '../support/markdown.js'

const PAGE = 'docs/tools.md'

describe('docs/tools.md', () => {
  test.each(['call', 'watch', 'exec', 'doctor'])('has every flag of %s', async (name) => {
    const command = new Command()
    const { define } = await commandTable.find((row) => row.name === name)!.load()
    define(command)
    const ofLocal = localOptions().map(({ long }) => long)
    const flags = command.options.map(({ long }) => long!).filter((flag) => name !== 'exec' || !ofLocal.includes(flag))
    expect(
      firstCells(PAGE, name)
        .filter((cell) => cell.startsWith('--'))
        .sort(),
    ).toEqual(flags.sort())
  })

  test('has every exit code', () => {
    const documented = firstCells(PAGE, 'Exit codes').flatMap((cell) => cell.split(', '))
    expect(documented).toEqual(expect.arrayContaining(Object.values(EXIT).map(String)))
  })

  test('has every group of checks', () => {
    const groups = [...new Set(checks.map(({ group }) => group))]
    for (const group of groups) expect(proseOf(PAGE)).toContain(`| ${group} |`)
  })
})
