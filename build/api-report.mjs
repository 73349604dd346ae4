/**
 * The public types of each entry without their comments, in build/api, so that a review sees when they change.
 *
 *   npm run docs:api
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { buildIfStale } from './build-if-stale.mjs'

const folder = 'build/api'

/** What package.json exports, each with the declarations that `dist` has for it. */
export function entriesOf(root) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => {
      const file = path === '.' ? 'index' : path.slice(2)
      const types = join(root, 'dist', `${file}.d.ts`)
      return { entry: path.replace(/^\./, name), name: file, types }
    })
}

/** @returns the reports, by the name of their file */
export function apiReports(root) {
  const entries = entriesOf(root)
  const printer = ts.createPrinter({ removeComments: true })
  const program = ts.createProgram(
    entries.map(({ types }) => types),
    { types: ['node'], noEmit: true },
  )
  const checker = program.getTypeChecker()
  const print = (symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return target.declarations.map((node) => {
      const declaration = ts.isVariableDeclaration(node) ? node.parent.parent : node
      return printer.printNode(ts.EmitHint.Unspecified, declaration, declaration.getSourceFile())
    })
  }
  return Object.fromEntries(
    entries.map(({ entry, name, types }) => {
      const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(types)))
      const text = exported.sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap(print)
      return [`${name}.api.md`, `# ${entry}\n\n\`\`\`ts\n${text.join('\n\n')}\n\`\`\`\n`]
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  await buildIfStale()
  rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, folder))
  for (const [file, text] of Object.entries(apiReports(root))) writeFileSync(join(root, folder, file), text)
}
