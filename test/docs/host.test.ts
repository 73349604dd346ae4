import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { flagName } from '../../src/cli/flags.js'
import { hostFlags } from '../../src/cli/host-flags.js'
import { localFlags } from '../../src/cli/local-flags.js'
import { HOST_EXIT_CODES } from '../../src/node/host/host-error.js'
import { firstCells, proseOf } from '../support/markdown.js'
import { nodesOf, parse } from '../support/source.js'

const PAGE = 'docs/host.md'

const propertiesOf = (node: ts.Node): string[] =>
  [...nodesOf(node)].filter(ts.isPropertySignature).map(({ name }) => name.getText())

const interfaceNamed = (path: string, name: string): ts.InterfaceDeclaration =>
  [...nodesOf(parse(path))].find(
    (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === name,
  )!

const rowsUnder = (heading: string, page = PAGE): string[][] => {
  const section = proseOf(page)
    .split(/^## /m)
    .find((text) => text.startsWith(heading))!
  return [...section.matchAll(/^\|(.+)\|$/gm)].map(([, row]) => row!.split('|').map((cell) => cell.trim()))
}

describe('docs/host.md', () => {
  test('has every flag of host, and no other', () => {
    const ofLocal = [...Object.keys(localFlags), 'httpPort']
    const flags = Object.keys(hostFlags)
      .filter((name) => !ofLocal.includes(name))
      .map(flagName)
    const documented = firstCells(PAGE, 'Options').flatMap((cell) => /^(--[a-z-]+)/.exec(cell)?.[1] ?? [])
    expect(flags.length).toBeGreaterThan(20)
    expect([...documented].sort()).toEqual([...flags].sort())
  })

  test('has every option of createHost(), and no other', () => {
    const options = propertiesOf(interfaceNamed('src/node/host/host-options.ts', 'HostOptions'))
    expect(options).not.toEqual([])
    expect(firstCells(PAGE, 'createHost()').sort()).toEqual(options.sort())
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
