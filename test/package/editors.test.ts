import { join } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { root } from '../support/source.js'

/** What a user writes. The test asks the editor for completions and hints at each mark. */
const FILE = join(root, 'consumer.ts')
const CODE = `
import { createClient, type AutoHealthOptions, type ClientOptions, type SidecarClient, type SidecarEvents } from 'gameserver-sidecar'
createClient({ /*options*/ })
createClient({ /*hover*/autoHealth: true }).on('/*events*/')
export type Used = [AutoHealthOptions, ClientOptions, SidecarClient, SidecarEvents]
`
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  types: [],
  lib: ['lib.es2020.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  target: ts.ScriptTarget.ES2020,
  paths: { 'gameserver-sidecar': [join(root, 'dist/index.d.cts')] },
}

let editor: ts.LanguageService

beforeAll(() => {
  const textOf = (path: string): string | undefined => (path === FILE ? CODE : ts.sys.readFile(path))
  editor = ts.createLanguageService({
    getCompilationSettings: () => OPTIONS,
    getScriptFileNames: () => [FILE],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = textOf(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (path) => path === FILE || ts.sys.fileExists(path),
    readFile: textOf,
  })
})

const behind = (mark: string): number => CODE.indexOf(mark) + mark.length
const completions = (mark: string): string[] =>
  editor.getCompletionsAtPosition(FILE, behind(mark), undefined)!.entries.map(({ name }) => name)

/** The names of an interface's members, and what hovering each shows. */
function membersOf(name: string): [string, ts.QuickInfo][] {
  const [{ fileName, textSpan }] = editor.getDefinitionAtPosition(FILE, CODE.indexOf(name))! as [ts.DefinitionInfo]
  const source = editor.getProgram()!.getSourceFile(fileName)!
  const found = source.statements.find(
    (one): one is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(one) && one.name.pos <= textSpan.start && textSpan.start < one.name.end,
  )!
  return found.members.flatMap(({ name: member }) =>
    ts.isIdentifier(member!) ? [[member.text, editor.getQuickInfoAtPosition(fileName, member.end - 1)!]] : [],
  )
}

describe('an editor', () => {
  test.each(['ClientOptions', 'AutoHealthOptions', 'SidecarEvents', 'SidecarClient'])(
    'shows two lines with a working link for each member of %s',
    (name) => {
      const members = membersOf(name)
      expect(members.length).toBeGreaterThan(3)
      for (const [member, { documentation = [] }] of members) {
        const text = ts.displayPartsToString(documentation)
        expect(text.split('\n').length, `lines of ${member}: ${text}`).toBeGreaterThan(1)
        const links = documentation.filter(({ kind }) => kind === 'linkName' || kind === 'linkText')
        const targets = links.map((part) => (part as ts.JSDocLinkDisplayPart).target)
        expect(targets.length, `links of ${member}: ${text}`).toBeGreaterThan(0)
        expect(targets, `targets of the links of ${member}`).not.toContain(undefined)
      }
    },
  )

  test('shows the documentation of autoHealth where a user writes it', () => {
    const { documentation } = editor.getQuickInfoAtPosition(FILE, behind('/*hover*/'))!
    expect(ts.displayPartsToString(documentation)).toMatch(
      /^Sends health beats .*\n`true`, or \{@link AutoHealthOptions\}/,
    )
  })

  test('completes createClient({}) with autoHealth and baseUrl first, in the order of the alphabet', () => {
    const names = completions('/*options*/')
    expect(names.slice(0, 2)).toEqual(['autoHealth', 'baseUrl'])
    expect(names).toEqual(
      membersOf('ClientOptions')
        .map(([name]) => name)
        .sort((a, b) => a.localeCompare(b)),
    )
  })

  test('completes on() with the names of all events', () => {
    expect(completions('/*events*/').sort()).toEqual(
      membersOf('SidecarEvents')
        .map(([name]) => name)
        .sort(),
    )
  })
})
