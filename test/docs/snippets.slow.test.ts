import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { pages, snippetsOf, type Snippet } from '../support/markdown.js'
import { root } from '../support/source.js'

/** The compiler's errors for snippets, each compiled as a module at the root of the project. */
function complaintsAbout(snippets: readonly Snippet[]): string[] {
  const fileOf = ({ page, line, language }: Snippet): string => `${page.replace(/\W/g, '-')}-${line}.${language}`
  const files = new Map(snippets.map((snippet) => [join(root, fileOf(snippet)), snippet]))
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    allowJs: true,
    checkJs: true,
    noImplicitAny: false, // a snippet in JavaScript can't say more
    paths: {
      'gameserver-sidecar': [join(root, 'src/index.ts')],
      'gameserver-sidecar/*': [
        join(root, 'src/*/index.ts'),
        join(root, 'src/adapters/*.ts'),
        join(root, 'src/node/*.ts'),
      ],
    },
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.readFile = (name) => files.get(name)?.code ?? readFile(name)
  host.getSourceFile = (name, ...rest) => {
    const snippet = files.get(name)
    return snippet === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, snippet.code, ts.ScriptTarget.ES2022)
  }
  const program = ts.createProgram([...files.keys()], options, host)
  return ts.getPreEmitDiagnostics(program).flatMap(({ file, start, messageText }) => {
    const snippet = file && files.get(file.fileName)
    if (snippet === undefined) return []
    const line = snippet.line + file!.getLineAndCharacterOfPosition(start ?? 0).line
    return [`${snippet.page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`]
  })
}

/** Whether a snippet imports this package and only installed modules: others are fragments, or need an engine. */
function isWhole({ language, code }: Snippet): boolean {
  const imports = [...code.matchAll(/^import .*?from '([^']+)'/gm)].map(([, name]) => name!)
  return (
    /^[tj]s$/.test(language) &&
    imports.some((name) => name.startsWith('gameserver-sidecar')) &&
    imports.every((name) => /^(gameserver-sidecar(\/|$)|node:|vitest$)/.test(name))
  )
}

const misfit: Snippet = {
  page: 'page.md',
  line: 10,
  language: 'ts',
  code: "import { createClient } from 'gameserver-sidecar'\ncreateClient({ baseURL: '' })\n",
}

test('snippets that import the package pass the type check, which reports the line of a wrong one', () => {
  // Recipes need their games: test/hosts/recipes.test.ts checks them.
  const own = pages.filter((page) => !/recipes\/(?!own-page)/.test(page))
  const snippets = own.flatMap(snippetsOf).filter(isWhole)
  expect(snippets.length).toBeGreaterThan(5)
  expect(complaintsAbout([...snippets, misfit])).toEqual([expect.stringMatching(/^page\.md:11: [^]*baseURL/)])
}, 120_000)
