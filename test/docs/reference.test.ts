import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit-codes.js'
import { flagName } from '../../src/cli/flags.js'
import { loadCommands } from '../../src/cli/main.js'
import { HOST_EXIT_CODES } from '../../src/host/host-error.js'
import { firstCells, headingsOf, pages, proseOf } from '../support/markdown.js'
import { read, root } from '../support/source.js'

const HOST = 'docs/host.md'

/** The reports of the public types, which api-report.slow.test.ts keeps true. */
const report = read('build/api/index.api.md')

/** The members of an interface. */
function membersOf(name: string): string[] {
  const [, body = ''] = new RegExp(`^export interface ${name}(?:<.*>)? \\{\n([^]*?)^\\}`, 'm').exec(report) ?? []
  return [...body.matchAll(/^ {4}(?:readonly )?(\w+)/gm)].map(([, member]) => member!)
}

type Names = () => readonly string[] | Promise<readonly string[]>
type Row = [what: string, page: string, heading: string, names: Names, pattern?: RegExp]

/** What the table under a heading lists; of each cell what the pattern finds. */
const listed = (page: string, heading: string, pattern = /.+/g): string[] =>
  firstCells(page, heading).flatMap((cell) => cell.match(pattern) ?? [])

test('every entry of the package is in docs/README.md, which lists no others', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: object }
  const entries = Object.keys(exports).filter((name) => name !== './package.json')
  const wanted = entries.map((name) => name.replace('.', 'gameserver-sidecar'))
  expect(listed('docs/README.md', 'Entries', /^gameserver-sidecar.*/g).sort()).toEqual(wanted.sort())
})

const among: Row[] = [
  ...(
    [
      ['ClientOptions', 'Options of createClient()'],
      ['AutoHealthOptions', 'Automatic health'],
      ['ProcessSignalOptions', 'Signals of the process'],
      ['RetryPolicy', 'Retries'],
    ] as const
  ).map(([name, heading]): Row => [`option of ${name}`, 'docs/configuration.md', heading, () => membersOf(name)]),
  ['event', 'docs/events.md', 'Events', () => membersOf('SidecarEvents')],
  ['exit code', 'docs/cli.md', 'Exit codes', () => Object.values(EXIT).map(String), /\d+/g],
]

test.each(among)('every %s is in %s under "%s"', async (_what, page, heading, names, pattern) => {
  const there = await names()
  expect(there).not.toEqual([])
  expect(listed(page, heading, pattern)).toEqual(expect.arrayContaining([...there]))
})

test('docs/errors.md has a section for each error code, and no others', () => {
  const [, codes] = /^export type SidecarErrorCode = (.*);$/m.exec(report)!
  expect(headingsOf('docs/errors.md').slice(1).sort()).toEqual(codes!.match(/\w+/g)!.sort())
})

describe('docs/host.md', () => {
  test('lists only flags that the command has', async () => {
    const { flags } = (await loadCommands()).find(({ name }) => name === 'host')!
    const documented = listed(HOST, 'Options', /^--[a-z-]+/g)
    expect(documented).not.toEqual([])
    expect(Object.keys(flags).map(flagName)).toEqual(expect.arrayContaining(documented))
  })

  test('lists each exit code', () => {
    const prose = proseOf(HOST)
    for (const code of Object.values(HOST_EXIT_CODES)) expect(prose).toContain(`\n| ${code} |`)
  })
})

test('each attack in docs/security.md names a test file that exists', () => {
  const rows = read('docs/security.md').split('\n')
  const attacks = ['a hostile web page tries', 'players can'].flatMap((head) => {
    const first = rows.findIndex((row) => row.startsWith(`| ${head} |`)) + 2
    return rows.slice(first, rows.indexOf('', first))
  })
  expect(attacks.length).toBeGreaterThan(12)
  for (const row of attacks) {
    const named = [
      ...row
        .split(' | ')
        .at(-1)!
        .matchAll(/`([^`]+)`/g),
    ].map(([, path]) => `test/${path!}.test.ts`)
    expect(named, row).not.toEqual([])
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  }
})

test('no link in a page is broken', () => {
  /** The anchor that a heading has on the common hosts of Markdown. */
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
  const isBroken = (page: string, link: string): boolean => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !headingsOf(target).map(anchorOf).includes(anchor)
  }
  const broken = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^https?:/.test(link) && isBroken(page, link))
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})
