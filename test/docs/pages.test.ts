import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, describe } from 'vitest'
import { headingsOf, pages, proseOf, firstCells } from '../support/markdown.js'
import { root, nodesOf, parse } from '../support/source.js'
import { Command } from 'commander'
import { commandTable } from '../../src/cli/command-table.js'
import { checks } from '../../src/cli/doctor/examine.js'
import { EXIT } from '../../src/cli/exit-codes.js'
import { localOptions } from '../../src/cli/local-options.js'
import ts from 'typescript'
import { defineHost } from '../../src/cli/host-flags.js'
import { HOST_EXIT_CODES } from '../../src/node/host/host-error.js'

/** The anchor that a heading has on the common hosts of Markdown. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return true
  return anchor !== undefined && !headingsOf(target).map(anchorOf).includes(anchor)
}

test('every link in a page leads somewhere', () => {
  const broken = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^https?:/.test(link) && isBroken(page, link))
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

const TOOLS = 'docs/tools.md'

describe('docs/tools.md', () => {
  test.each(['call', 'watch', 'exec', 'doctor'])('has every flag of %s', async (name) => {
    const command = new Command()
    const { define } = await commandTable.find((row) => row.name === name)!.load()
    define(command)
    const ofLocal = localOptions().map(({ long }) => long)
    const flags = command.options.map(({ long }) => long!).filter((flag) => name !== 'exec' || !ofLocal.includes(flag))
    expect(
      firstCells(TOOLS, name)
        .filter((cell) => cell.startsWith('--'))
        .sort(),
    ).toEqual(flags.sort())
  })

  test('has every exit code', () => {
    const documented = firstCells(TOOLS, 'Exit codes').flatMap((cell) => cell.split(', '))
    expect(documented).toEqual(expect.arrayContaining(Object.values(EXIT).map(String)))
  })

  test('has every group of checks', () => {
    const groups = [...new Set(checks.map(({ group }) => group))]
    for (const group of groups) expect(proseOf(TOOLS)).toContain(`| ${group} |`)
  })
})

const HOST = 'docs/host.md'

const propertiesOf = (node: ts.Node): string[] =>
  [...nodesOf(node)].filter(ts.isPropertySignature).map(({ name }) => name.getText())

const interfaceNamed = (path: string, name: string): ts.InterfaceDeclaration =>
  [...nodesOf(parse(path))].find(
    (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === name,
  )!

const rowsUnder = (heading: string, page = HOST): string[][] => {
  const section = proseOf(page)
    .split(/^## /m)
    .find((text) => text.startsWith(heading))!
  return [...section.matchAll(/^\|(.+)\|$/gm)].map(([, row]) => row!.split('|').map((cell) => cell.trim()))
}

describe('docs/host.md', () => {
  test('has every flag of host, and no other', () => {
    const command = new Command()
    defineHost(command)
    const ofLocal = [...localOptions().map(({ long }) => long), '--http-port']
    const flags = command.options.map(({ long }) => long!).filter((flag) => !ofLocal.includes(flag))
    const documented = firstCells(HOST, 'Options').flatMap((cell) => /^(--[a-z-]+)/.exec(cell)?.[1] ?? [])
    expect(flags.length).toBeGreaterThan(20)
    expect([...documented].sort()).toEqual([...flags].sort())
  })

  test('has every option of createHost(), and no other', () => {
    const options = propertiesOf(interfaceNamed('src/node/host/host-options.ts', 'HostOptions'))
    expect(options).not.toEqual([])
    expect(firstCells(HOST, 'createHost()').sort()).toEqual(options.sort())
  })

  test('has every event with its fields, and no other', () => {
    const union = [...nodesOf(parse('src/node/host/host-events.ts'))].find(
      (node): node is ts.TypeAliasDeclaration => ts.isTypeAliasDeclaration(node) && node.name.text === 'HostEvent',
    )!
    const events = [...nodesOf(union)].filter(ts.isTypeLiteralNode).map((literal) => {
      const [kind, ...fields] = propertiesOf(literal)
      expect(kind).toBe('event')
      return [/event: '(\w+)'/.exec(literal.getText())![1]!, ...fields].join(' ')
    })
    const documented = rowsUnder('Events')
      .slice(2)
      .map(([event, fields]) => `${event} ${fields}`.replaceAll(/[`,]/g, ''))
    expect(events).not.toEqual([])
    expect(documented.sort()).toEqual(events.sort())
  })

  test('has every exit code', () => {
    const documented = rowsUnder('Exit codes').map(([code]) => code)
    for (const code of [0, ...Object.values(HOST_EXIT_CODES)]) expect(documented).toContain(String(code))
  })
})

test('docs/deploy.md says what each state of a GameServer means', () => {
  const states = [...nodesOf(parse('src/protocol/game-server.ts'))]
    .filter(
      (node): node is ts.TypeAliasDeclaration =>
        ts.isTypeAliasDeclaration(node) && node.name.text === 'GameServerState',
    )
    .flatMap(({ type }) => [...nodesOf(type)].filter(ts.isStringLiteral).map(({ text }) => text))
  expect(states).not.toEqual([])
  expect(firstCells('docs/deploy.md', 'What each state means').sort()).toEqual(states.sort())
})
