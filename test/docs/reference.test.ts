import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit-codes.js'
import { flagName } from '../../src/cli/flags.js'
import { loadCommands } from '../../src/cli/main.js'
import { HOST_EXIT_CODES } from '../../src/host/host-error.js'
import { firstCells, headingsOf, pages, proseOf } from '../support/markdown.js'
import { read, root } from '../support/source.js'

const TYPES = 'src/client/types.ts'
const OPTIONS = 'src/client/options.ts'
const ERRORS = 'src/client/errors.ts'
const HOST = 'docs/host.md'

const parse = (path: string): ts.SourceFile => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true)

/** Every node of a file, parents first. */
function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node
  for (const child of node.getChildren()) yield* nodesOf(child)
}

/** What a file declares by that name. */
function declared(name: string, path: string): ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  const found = [...nodesOf(parse(path))].find(
    (node): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
      (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && node.name.text === name,
  )
  if (found === undefined) throw new Error(`${path} declares no ${name}`)
  return found
}

/** The members of interfaces. */
const membersOf = (path: string, ...names: readonly string[]): string[] =>
  names.flatMap((name) =>
    [...nodesOf(declared(name, path))]
      .filter((node) => ts.isPropertySignature(node) || ts.isMethodSignature(node))
      .filter(({ parent }) => ts.isInterfaceDeclaration(parent))
      .flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : [])),
  )

/** The texts that a union of texts has. */
const textsOf = (name: string, path: string): string[] =>
  [...nodesOf(declared(name, path))].filter(ts.isStringLiteral).map(({ text }) => text)

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
  ).map(([name, heading]): Row => [
    `option of ${name}`,
    'docs/configuration.md',
    heading,
    () => membersOf(OPTIONS, name),
  ]),
  ['event', 'docs/events.md', 'Events', () => membersOf(TYPES, 'SidecarEvents')],
  ['exit code', 'docs/cli.md', 'Exit codes', () => Object.values(EXIT).map(String), /\d+/g],
]

test.each(among)('every %s is in %s under "%s"', async (_what, page, heading, names, pattern) => {
  const there = await names()
  expect(there).not.toEqual([])
  expect(listed(page, heading, pattern)).toEqual(expect.arrayContaining([...there]))
})

test('docs/errors.md has a section for each error code, and no others', () => {
  expect(headingsOf('docs/errors.md').slice(1).sort()).toEqual(textsOf('SidecarErrorCode', ERRORS).sort())
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
