import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { filesIn, nodesOf, parse, read } from '../support/source.js'

const MOST_LINES = 400

const place = (path: string, node: ts.Node): string => {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart())
  return `${path}:${line + 1}`
}

const findInSource = (wanted: (node: ts.Node) => boolean): string[] =>
  filesIn('src', ['.ts']).flatMap((path) => [...nodesOf(parse(path))].filter(wanted).map((node) => place(path, node)))

const hasDefaultModifier = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)

describe('source', () => {
  test('no type is any', () => {
    expect(findInSource((node) => node.kind === ts.SyntaxKind.AnyKeyword)).toEqual([])
  })

  test('nothing is exported as default', () => {
    expect(
      findInSource(
        (node) =>
          ts.isExportAssignment(node) ||
          hasDefaultModifier(node) ||
          (ts.isExportSpecifier(node) && node.name.text === 'default'),
      ),
    ).toEqual([])
  })

  test('no type error is silenced', () => {
    const silenced = filesIn('src', ['.ts']).filter((path) => /@ts-(ignore|nocheck|expect-error)/.test(read(path)))
    expect(silenced).toEqual([])
  })

  test(`no file is longer than ${MOST_LINES} lines`, () => {
    const long = ['src', 'test', 'bench', 'demo']
      .flatMap((folder) => filesIn(folder))
      .map((path) => ({ path, lines: read(path).trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > MOST_LINES)
    expect(long).toEqual([])
  })
})
