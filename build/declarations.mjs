import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'

/**
 * Copies the declarations that entries lead to, as the compiler has written them, from `compiled` into `dist/types`, and
 * writes one line beside each entry's module that leads there. Declarations of what no entry exports or uses stay out.
 *
 * TypeScript takes declarations for CommonJS or ESM by the nearest package.json. Those in `types` count as CommonJS, since
 * a CommonJS module may import only such, and an ES module both.
 */
export function writeDeclarations(compiled, dist, entries) {
  const types = join(dist, 'types')
  const declarationsOf = (path) => resolve(compiled, `${path}.d.ts`)
  const texts = publicTypes(Object.values(entries).map(declarationsOf))
  for (const [path, text] of texts) {
    const target = join(types, relative(compiled, path))
    mkdirSync(dirname(target), { recursive: true })
    const disposables = `/// <reference path="${relative(dirname(target), join(types, 'disposables.d.ts'))}" />\n`
    const start = /\[Symbol\.(d|asyncD)ispose\]/.test(text) ? disposables : ''
    writeFileSync(target, start + text)
  }
  writeFileSync(join(types, 'package.json'), '{ "type": "commonjs" }\n')
  writeFileSync(join(types, 'disposables.d.ts'), DISPOSABLES)
  for (const [name, path] of Object.entries(entries))
    if (texts.has(declarationsOf(path))) writeFileSync(join(dist, `${name}.d.ts`), all(path))
  writeFileSync(join(dist, 'index.d.cts'), all(entries.index))
  const sdk = entries['agones-sdk']
  writeFileSync(join(dist, 'agones-sdk.d.ts'), `${all(sdk)}export { AgonesSDK as default } from './types/${sdk}.js'\n`)
  writeFileSync(join(dist, 'agones-sdk.d.cts'), classItself(sdk))
  writeFileSync(join(dist, 'agones-sdk.cjs'), "module.exports = require('./agones-sdk.js').AgonesSDK\n")
  mkdirSync(join(dist, 'cjs'), { recursive: true })
  writeFileSync(
    join(dist, 'cjs/agones-sdk.d.cts'),
    "import AgonesSDK = require('../agones-sdk.cjs')\nexport = AgonesSDK\n",
  )
  for (const name of ['mock', 'player', 'players'])
    writeFileSync(join(dist, `cjs/${name}.d.cts`), `export * from '../types/${entries[name]}.js'\n`)
}

const all = (path) => `export * from './types/${path}.js'\n`

/** Compilers before 5.2 have no library with these names. Beside that library they are the same symbols. */
const DISPOSABLES = `interface SymbolConstructor {
  readonly dispose: unique symbol
  readonly asyncDispose: unique symbol
}
`

/** `require()` of the official SDK's names gives the class itself, which carries the other exports. */
const classItself = (path) => `import * as sdk from './types/${path}.js'
declare class AgonesSDK extends sdk.AgonesSDK {}
declare namespace AgonesSDK {
  export { AgonesSDK, AgonesSDK as default }
  export type AgonesSDKError = sdk.AgonesSDKError
  export type AgonesSDKOptions = sdk.AgonesSDKOptions
  export type Beta = sdk.Beta
  export type GameServer = sdk.GameServer
}
export = AgonesSDK
`

/** In the place of a name: all that a module exports. */
const ALL = '*'

/** The public types of entries and all that they use: the text of each module that has any, by its path. */
function publicTypes(entries) {
  const modules = new Map()
  /** Links of comments, for which the compiler keeps no import. */
  const links = []
  const moduleAt = (path) => {
    if (!modules.has(path)) {
      const { statements } = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
      modules.set(path, { statements, wanted: new Set(), kept: new Set(), linked: new Map() })
    }
    return modules.get(path)
  }
  const want = (path, name) => {
    const { statements, wanted, kept } = moduleAt(path)
    if (wanted.has(name)) return
    wanted.add(name)
    for (const statement of statements) {
      if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
        const from = sourceOf(statement, path)
        for (const item of itemsOf(statement).filter((item) => isNamed(statement, item, name))) {
          kept.add(item === ALL ? statement : item)
          if (from !== undefined) want(from, item === ALL ? name : (item.propertyName ?? item.name).text)
        }
      } else if (!kept.has(statement) && isDeclared(statement, name)) {
        kept.add(statement)
        wantUsed(path, statement)
        for (const [, link] of statement.getFullText().matchAll(/\{@link ([A-Z]\w+)/g)) links.push([path, link])
      }
    }
  }
  const wantUsed = (path, node) => {
    if (ts.isIdentifier(node)) want(path, node.text)
    if (ts.isImportTypeNode(node)) want(sourceOf(node, path), node.qualifier.getText())
    ts.forEachChild(node, (child) => wantUsed(path, child))
  }
  for (const path of entries) want(path, ALL)
  for (const [path, name] of links) {
    want(path, name)
    const knows = ({ statements }) => statements.some((one) => namesOf(one).includes(name))
    if (knows(modules.get(path))) continue
    const [from] = [...modules].find(([, module]) => knows(module) && module.wanted.has(name)) ?? []
    if (from === undefined) throw new Error(`${path}: {@link ${name}} leads to no public type`)
    modules.get(path).linked.set(name, `./${relative(dirname(path), from).replace(/d\.ts$/, 'js')}`)
  }
  const texts = [...modules].map(([path, module]) => [path, textOf(module)])
  return new Map(texts.filter(([, text]) => text !== ''))
}

/** The module of this package that an import or export leads to. `export { name }` leads to its own. */
function sourceOf(node, path) {
  if (ts.isExportDeclaration(node) && node.moduleSpecifier === undefined) return path
  const specifier = ts.isImportTypeNode(node) ? node.argument.literal : node.moduleSpecifier
  return specifier?.text.startsWith('.') ? resolve(dirname(path), specifier.text.replace(/js$/, 'd.ts')) : undefined
}

/** The names in the braces of an import or export, or all. */
const itemsOf = ({ importClause, exportClause }) => (importClause?.namedBindings ?? exportClause)?.elements ?? [ALL]

const isNamed = (statement, item, name) =>
  item === ALL || item.name.text === name || (name === ALL && ts.isExportDeclaration(statement))

const namesOf = ({ name, declarationList, importClause }) =>
  (importClause?.namedBindings?.elements ?? declarationList?.declarations ?? (name ? [{ name }] : [])).map(
    ({ name }) => name.text,
  )

const isDeclared = (statement, name) =>
  name === ALL
    ? statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    : namesOf(statement).includes(name)

/** A module with the declarations, imports and exports that are kept. */
function textOf({ statements, kept, linked }) {
  const texts = statements.map((statement) => {
    if (kept.has(statement)) return statement.getFullText()
    const named = itemsOf(statement).filter((item) => kept.has(item))
    const [start, end] = statement.getFullText().split(/\{.*\}/s)
    return named.length === 0 ? '' : `${start}{ ${named.map((item) => item.getText()).join(', ')} }${end}`
  })
  const imports = [...linked].map(([name, from]) => `\nimport type { ${name} } from '${from}'`)
  const text = [...texts, ...imports].join('').trim()
  // Ends a module: otherwise the names that it doesn't export would count as exported.
  return text === '' ? text : `${text}\nexport {};\n`
}
