import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** Paths below the project's root, with `/` between, of the files in `folder` with one of these extensions. */
export function filesIn(folder: string, extensions: readonly string[] = ['.ts', '.mts', '.js', '.mjs']): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .filter((path) => extensions.some((extension) => path.endsWith(extension)) && !path.includes('node_modules/'))
    .sort()
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

export const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true)

/** Every node of a file, parents first. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node
  for (const child of node.getChildren()) yield* nodesOf(child)
}

export interface Import {
  from: string
  /** A path below the root for one of our own files, otherwise the specifier as written. */
  to: string
  typeOnly: boolean
}

/** What a file imports: statically, dynamically, by re-export or as a type. */
export function importsOf(path: string): Import[] {
  return [...nodesOf(parse(path))].flatMap((node) => {
    const found = importIn(node)
    return found === undefined ? [] : [{ from: path, to: resolve(path, found.specifier), typeOnly: found.typeOnly }]
  })
}

function importIn(node: ts.Node): { specifier: string; typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node)) return reading(node.moduleSpecifier, isTypeOnlyImport(node))
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) return reading(node.moduleSpecifier, node.isTypeOnly)
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return reading(node.arguments[0], false)
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return reading(node.argument.literal, true)
  return undefined
}

function isTypeOnlyImport({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = importClause.namedBindings
  return (
    importClause.name === undefined &&
    named !== undefined &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every(({ isTypeOnly }) => isTypeOnly)
  )
}

const reading = (specifier: ts.Node | undefined, typeOnly: boolean) =>
  specifier !== undefined && ts.isStringLiteralLike(specifier) ? { specifier: specifier.text, typeOnly } : undefined

function resolve(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier
  return relative(root, join(root, dirname(from), specifier))
    .replaceAll('\\', '/')
    .replace(/\.js$/, '.ts')
}
