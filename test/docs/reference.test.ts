import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { firstCells, headingsOf, proseOf } from '../support/markdown.js'
import { nodesOf, parse, read, root } from '../support/source.js'

const TYPES = 'src/client/types.ts'

const membersOf = (name: string, path = TYPES): string[] => {
  const found = [...nodesOf(parse(path))].find(
    (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === name,
  )
  return (found?.members ?? [])
    .flatMap(({ name: member }) => (member && ts.isIdentifier(member) ? [member.text] : []))
    .sort()
}

const ERRORS = 'src/client/errors.ts'

const codes = [...nodesOf(parse(ERRORS))]
  .filter(
    (node): node is ts.TypeAliasDeclaration => ts.isTypeAliasDeclaration(node) && node.name.text === 'SidecarErrorCode',
  )
  .flatMap(({ type }) => [...nodesOf(type)].filter(ts.isStringLiteral).map(({ text }) => text))

describe('what is documented is what there is', () => {
  test('every error code has its section in docs/errors.md, and every section its code', () => {
    expect(codes).not.toEqual([])
    expect(headingsOf('docs/errors.md').slice(1).sort()).toEqual([...codes].sort())
  })

  test('every property of a SidecarError is in the table of docs/errors.md, and no other', () => {
    const properties = [...nodesOf(parse(ERRORS))].filter(ts.isPropertyDeclaration).map(({ name }) => name.getText())
    expect(properties).not.toEqual([])
    expect(firstCells('docs/errors.md', 'Errors').sort()).toEqual(properties.sort())
  })

  test.each([
    ['ClientOptions', 'Options of createClient()'],
    ['AutoHealthOptions', 'Automatic health'],
    ['ProcessSignalOptions', 'Signals of the process'],
    ['RetryPolicy', 'Retries'],
    ['Limits', 'Limits'],
  ])('every option of %s is in the table under "%s"', (name, heading) => {
    const documented = firstCells('docs/configuration.md', heading)
    const members = membersOf(name)
    expect(members).not.toEqual([])
    expect(documented.filter((option) => members.includes(option)).sort()).toEqual(members)
  })

  test('every option of createGateway() is in its table, and no other', () => {
    const options = membersOf('GatewayOptions', 'src/node/gateway/gateway-options.ts')
    expect(options).not.toEqual([])
    expect(firstCells('docs/gateway.md', 'createGateway()').sort()).toEqual(options)
  })

  test.each([
    ['createMock()', 'MockOptions', 'src/mock/types.ts'],
    ['createLocalSidecar()', 'LocalSidecarOptions', 'src/node/local/local-sidecar-options.ts'],
  ])('every option of %s is in its table, and no other', (heading, name, path) => {
    const options = membersOf(name, path)
    expect(options).not.toEqual([])
    expect(firstCells('docs/testing.md', heading).sort()).toEqual(options)
  })

  test('every member of a mock, and every field of fail(), is explained', () => {
    const named = firstCells('docs/testing.md', 'The mock').map((name) => name.replace(/\(.*/, ''))
    const members = [...membersOf('Mock', 'src/mock/types.ts'), ...membersOf('FailHow', 'src/mock/types.ts')]
    expect(members.length).toBeGreaterThan(15)
    expect([...new Set(named)].sort()).toEqual([...new Set(members)].sort())
  })

  test('every option of the plugin for Vite is in its table, and no other', () => {
    const [, ofBoth = ''] = /const ofBoth = optional\(\{\n([^]*?)\n\}\)/.exec(read('src/schema/gateway.ts')) ?? []
    const options = [...ofBoth.matchAll(/^ {2}(\w+)[:,]/gm)].map(([, name]) => name!)
    expect(options).not.toEqual([])
    expect(firstCells('docs/gateway.md', 'Vite').sort()).toEqual(options.sort())
  })

  test('every option of a call is documented', () => {
    const types = ['CallOptions', 'WriteOptions', 'ReadyOptions', 'WatchOptions']
    const members = types.flatMap((name) => membersOf(name))
    expect(firstCells('docs/configuration.md', 'Options of a call').sort()).toEqual([...new Set(members)].sort())
  })

  test('every entry of the package is in the README, and no other', () => {
    const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> }
    const entries = Object.keys(exports).filter((name) => name !== './package.json')
    expect(
      firstCells('README.md', 'Entries')
        .filter((name) => name.startsWith('gameserver-sidecar'))
        .sort(),
    ).toEqual(entries.map((name) => name.replace('.', 'gameserver-sidecar')).sort())
  })

  test('the README names only options that exist', () => {
    const members = membersOf('ClientOptions')
    expect(firstCells('README.md', 'Options').filter((option) => !members.includes(option))).toEqual([])
  })

  test.each([
    ['README.md', 'Events'],
    ['docs/events.md', 'Events'],
  ])('every event is in the table of %s', (page, heading) => {
    const events = membersOf('SidecarEvents')
    expect(
      firstCells(page, heading)
        .filter((name) => events.includes(name))
        .sort(),
    ).toEqual(events)
  })

  test.each([
    ['health', 'HealthEvent'],
    ['connection', 'ConnectionState'],
  ])('the fields of %s are all explained', (heading, type) => {
    const declared = type === 'HealthEvent' ? membersOf(type) : statesOf(type)
    expect(
      firstCells('docs/events.md', heading)
        .filter((name) => name !== 'state')
        .sort(),
    ).toEqual(declared)
  })
})

test('every property of client.status is named in docs/events.md', () => {
  const text = read('docs/events.md')
  expect(membersOf('ClientStatus').filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})

describe('docs/architecture.md', () => {
  const PAGE = 'docs/architecture.md'
  const filesIn = (folder: string): string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.ts'))

  test('every file it names exists, also where it leaves out the folder', () => {
    const named = [...proseOf(PAGE).matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, path]) => path!)
    const files = filesIn('src').map((path) => `/${path}`)
    const exists = (path: string): boolean =>
      existsSync(join(root, path)) || files.some((file) => file.endsWith(path.replace(/^(\.\.)?\/?/, '/')))
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((path) => !exists(path))).toEqual([])
  })

  test('it names every file of the client', () => {
    const text = read(PAGE)
    expect(filesIn('src/client').filter((path) => !text.includes(`\`${path}\``))).toEqual([])
  })

  test('its table of the client’s folders has every folder, and no other', () => {
    const folders = filesIn('src/client').flatMap((path) => (path.includes('/') ? [path.split('/')[0]!] : []))
    expect(firstCells(PAGE, 'Folders of the client').sort()).toEqual([...new Set(folders)].sort())
  })

  test('its table of entries has every entry of the client, and no other', () => {
    const entries = filesIn('src').filter((path) => /^index[.\w]*\.ts$/.test(path))
    expect(
      firstCells(PAGE, 'The client')
        .filter((name) => name.startsWith('index'))
        .sort(),
    ).toEqual(entries.sort())
  })
})

function statesOf(name: string): string[] {
  return [...nodesOf(parse(TYPES))]
    .filter((node): node is ts.TypeAliasDeclaration => ts.isTypeAliasDeclaration(node) && node.name.text === name)
    .flatMap(({ type }) => [...nodesOf(type)].filter(ts.isStringLiteral).map(({ text }) => text))
    .sort()
}
