import type { CST, Document, LineCounter } from 'yaml'
import { isObject } from '../../protocol/is-object.js'

type Yaml = typeof import('./yaml.js')

/** Deepest nesting that is read. A GameServer with its pod template needs about 20 levels. */
const DEEPEST = 100
/** Each alias costs as much as the node that it stands for. */
const MOST_ALIASES = 1000

/** A text isn't YAML, or breaks a limit. The message says why. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

type Path = readonly (string | number)[]

export interface FoundDocument {
  readonly value: unknown
  /** The line, from 1, of a field's name or of an item. Where the path leads to nothing, the line of its last known part. */
  lineOf(path: Path): number
}

/**
 * Finds the first wanted document of a YAML or JSON text, or the first document if none is wanted. Documents behind the
 * wanted one aren't read. The items of a `kind: List`, which `kubectl get -o yaml` prints, are documents. Integers stay
 * exact: an integer that a number can't hold becomes a decimal string.
 *
 * @throws YamlError
 */
export async function findDocument(text: string, isWanted: (value: unknown) => boolean): Promise<FoundDocument> {
  const yaml = await import('./yaml.js')
  const lines = new yaml.LineCounter()
  // The library compares each key with each: 20,000 keys take half a minute. checkNodes() does it instead.
  const composer = new yaml.Composer({
    schema: 'core',
    resolveKnownTags: false,
    merge: true,
    intAsBigInt: true,
    uniqueKeys: false,
  })
  let first: FoundDocument | undefined
  for (const document of composer.compose(tokensOf(yaml, text, lines), true, text.length)) {
    const { contents, errors } = document
    if (contents === null || (yaml.isScalar(contents) && contents.value === null && errors.length === 0)) continue
    const lineOf = lineFinder(yaml, document, lines)
    for (const { value, path } of itemsOf(valueOf(yaml, document, lines))) {
      const found = { value, lineOf: (place: Path) => lineOf([...path, ...place]) }
      if (isWanted(value)) return found
      first ??= found
    }
  }
  return first ?? { value: undefined, lineOf: () => 1 }
}

/** The items of a List, or the document itself, each with its place in the document. */
function itemsOf(value: unknown): { readonly value: unknown; readonly path: Path }[] {
  const items = isObject(value) && value['kind'] === 'List' ? value['items'] : undefined
  if (!Array.isArray(items) || items.length === 0) return [{ value, path: [] }]
  return items.map((item: unknown, index) => ({ value: item, path: ['items', index] }))
}

/** Limits the depth, since the composer of documents is recursive. */
function* tokensOf({ Lexer, Parser }: Yaml, text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > DEEPEST) throw new YamlError(`it is nested more than ${DEEPEST} levels deep`)
  }
  yield* parser.end()
}

function valueOf(yaml: Yaml, document: Document, lines: LineCounter): unknown {
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    throw new YamlError(`${error.message.split('\n')[0]!} at line ${line}, column ${col}`)
  }
  checkNodes(yaml, document)
  try {
    return document.toJS({
      maxAliasCount: MOST_ALIASES,
      reviver: (_key, value: unknown) => (typeof value === 'bigint' ? plainInteger(value) : value),
    })
  } catch (error) {
    throw new YamlError((error as Error).message)
  }
}

function checkNodes(yaml: Yaml, document: Document): void {
  yaml.visit(document, {
    Alias(_, { source }, path) {
      const isInside = path.some((holder) => 'anchor' in holder && holder.anchor === source)
      if (isInside) throw new YamlError(`the alias *${source} stands for what it is a part of`)
    },
    Map(_, { items }) {
      const names = new Set<string>()
      for (const { key } of items) {
        const name = nameOf(yaml, key)
        if (names.has(name) && name !== '<<') throw new YamlError(`${JSON.stringify(name)} is given twice`)
        names.add(name)
      }
    },
  })
}

const nameOf = (yaml: Yaml, key: unknown): string =>
  yaml.isScalar(key) ? (key.source ?? String(key.value)) : String(key)

/** Integers of up to 64 bits that a number can't hold become text. */
function plainInteger(value: bigint): number | string {
  const isSafe = Number.isSafeInteger(Number(value))
  return isSafe || BigInt.asIntN(64, value) !== value ? Number(value) : String(value)
}

function lineFinder(yaml: Yaml, document: Document, lines: LineCounter): FoundDocument['lineOf'] {
  return (path) => {
    let node: unknown = document.contents
    let offset = yaml.isNode(node) ? (node.range?.[0] ?? 0) : 0
    for (const part of path) {
      const holder = yaml.isAlias(node) ? node.resolve(document) : node
      const pair = yaml.isMap(holder) ? holder.items.find(({ key }) => nameOf(yaml, key) === String(part)) : undefined
      const place = pair?.key ?? (yaml.isSeq(holder) ? holder.items[Number(part)] : undefined)
      if (!yaml.isNode(place)) break
      offset = place.range?.[0] ?? offset
      node = pair === undefined ? place : pair.value
    }
    return lines.linePos(offset).line
  }
}
