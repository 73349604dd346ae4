import type { CST, LineCounter } from 'yaml'
import { deepest, YamlError, yamlValue } from './yaml-value.js'

type Yaml = typeof import('../yaml.js')
type ErrorSource = number | readonly number[] | { readonly offset: number }

/**
 * Most tokens, spaces and line ends included. 10,000 labels are about 80,000; the library takes microseconds for each,
 * and the whole process waits.
 */
const MOST_TOKENS = 250_000
const MOST_DOCUMENTS = 1000
/** An alias costs as much as there are anchors. */
const MOST_ALIASES = 1000

/** A document of a text. */
export interface FoundDocument {
  readonly value: unknown
  /** Its place among the documents of the text, of which the empty ones are left out. */
  readonly index: number
  readonly count: number
}

/**
 * Reads a YAML or JSON text up to the first document that is wanted; what comes behind it is only counted. If none is
 * wanted, the first one is found. Integers stay exact: one that a number can't hold becomes a decimal string.
 *
 * @throws YamlError
 */
export async function findDocument(text: string, isWanted: (value: unknown) => boolean): Promise<FoundDocument> {
  const yaml = await import('../yaml.js')
  const lines = new yaml.LineCounter()
  const parts = documentTokens(yaml, text, lines)
  const count = parts.filter(isFilled).length
  let first: FoundDocument | undefined
  let index = 0
  for (const tokens of parts) {
    const value = read(yaml, tokens, lines)
    if (value == null) continue
    const found = { value, index, count: Math.max(count, index + 1) }
    if (isWanted(value)) return found
    first ??= found
    index += 1
  }
  return first ?? { value: undefined, index: 0, count: 0 }
}

/** The value of the document that some tokens make. It stops at the first error: making one of each takes seconds. */
function read(yaml: Yaml, tokens: readonly CST.Token[], lines: LineCounter): unknown {
  // Its own check of unique keys compares each with each.
  const composer = new yaml.Composer({ intAsBigInt: true, logLevel: 'error', uniqueKeys: false })
  let failure: YamlError | undefined
  const fail = (offset: number, message: string): never => {
    const { line, col } = lines.linePos(offset)
    // What is thrown comes back as the message of an error around it: the first one counts.
    throw (failure ??= new YamlError(`${message.split('\n')[0]!} at line ${line}, column ${col}`))
  }
  const onError = (source: ErrorSource, _code: string, message: string, isWarning?: boolean): void => {
    const offset = typeof source === 'number' ? source : 'offset' in source ? source.offset : source[0]!
    if (isWarning !== true) fail(offset, message)
  }
  composer['onError'] = onError
  const [document] = composer.compose(tokens)
  const [error] = document?.errors ?? composer.streamInfo().errors
  if (error !== undefined) fail(error.pos[0], error.message)
  return document && yamlValue(yaml, document)
}

/**
 * The tokens of each document. The parser doesn't call itself, but what makes documents of its tokens does: where that
 * overflows the stack, it may end the process. So the depth is limited here.
 */
function documentTokens({ Lexer, Parser, SCALAR, tokenType }: Yaml, text: string, lines: LineCounter): CST.Token[][] {
  const parts: CST.Token[][] = [[]]
  let [tokens, aliases] = [0, 0]
  let hasDocument = false
  const add = (token: CST.Token): void => {
    if (hasDocument && (token.type === 'document' || token.type === 'directive')) {
      parts.push([])
      hasDocument = false
    }
    parts.at(-1)!.push(token)
    hasDocument ||= token.type === 'document'
    if (parts.length > MOST_DOCUMENTS) throw new YamlError(`it holds more than ${MOST_DOCUMENTS} documents`)
  }
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let previous = ''
  for (const lexeme of new Lexer().lex(text)) {
    if (previous !== SCALAR && tokenType(lexeme) === 'alias') aliases += 1
    if (aliases > MOST_ALIASES) throw new YamlError(`it uses more than ${MOST_ALIASES} aliases`)
    if ((tokens += 1) > MOST_TOKENS) throw new YamlError(`it has more than ${MOST_TOKENS} tokens`)
    previous = lexeme
    let hasFailed = false
    for (const token of parser.next(lexeme)) {
      hasFailed ||= token.type === 'error'
      add(token)
    }
    if (hasFailed) break
    if (parser.stack.length > deepest) throw new YamlError(`it is nested more than ${deepest} levels deep`)
  }
  for (const token of parser.end()) add(token)
  return parts
}

/** Whether there is more in a document than nothing, as far as its tokens tell. */
function isFilled(tokens: readonly CST.Token[]): boolean {
  const document = tokens.find((token) => token.type === 'document')
  const value = document?.value
  return value !== undefined && !(value.type === 'scalar' && /^(|~|null|Null|NULL)$/.test(value.source))
}

/**
 * The line of the value at a path of a document that was found before; of a key that doesn't belong there, the line of the
 * key. Undefined where nothing of it is there.
 *
 * @param index the place of the document, as `FoundDocument` has it
 */
export async function lineOfPath(
  text: string,
  index: number,
  path: readonly (string | number)[],
): Promise<number | undefined> {
  const yaml = await import('../yaml.js')
  const lineCounter = new yaml.LineCounter()
  const documents = yaml.parseAllDocuments(text, { lineCounter, uniqueKeys: false, logLevel: 'error' })
  const document = [...documents].filter(
    ({ contents }) => contents !== null && !(yaml.isScalar(contents) && contents.value === null),
  )[index]
  let node: unknown = document?.contents
  let offset: number | undefined
  for (const part of path) {
    const holder = yaml.isAlias(node) ? node.resolve(document!) : node
    const pair = yaml.isMap(holder)
      ? holder.items.find(({ key }) => String(yaml.isScalar(key) ? key.value : key) === String(part))
      : undefined
    const place = pair?.key ?? (yaml.isSeq(holder) ? holder.items[Number(part)] : undefined)
    if (!yaml.isNode(place)) break
    offset = place.range?.[0] ?? offset
    node = pair === undefined ? place : pair.value
  }
  return offset === undefined ? undefined : lineCounter.linePos(offset).line
}
