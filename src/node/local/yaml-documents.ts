import type { CST, Document, LineCounter } from 'yaml'

/** Deepest nesting that is read. A GameServer with its pod template needs about 20 levels. */
const DEEPEST = 100

/** A text that isn't YAML; the message says why and where. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/** One document of a text. */
export interface YamlDocument {
  /** The `kind` that it says it is. */
  readonly kind: unknown
  /** Its value, with bigints for integers. @throws YamlError if it isn't valid */
  read(): unknown
}

/** Reads the documents of a YAML or JSON text; empty ones are left out. @throws YamlError for one that is nested too deeply */
export async function readYaml(text: string): Promise<readonly YamlDocument[]> {
  const yaml = await import('yaml')
  const lines = new yaml.LineCounter()
  const tokens = parseTokens(yaml, text, lines)
  // Its own check of unique keys compares each with each.
  const composer = new yaml.Composer({ intAsBigInt: true, logLevel: 'error', uniqueKeys: false })

  const check = (document: Document): void => {
    const [error] = document.errors
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0])
      throw new YamlError(`${error.message.split('\n')[0]!} at line ${line}, column ${col}`)
    }
    yaml.visit(document, {
      Map: (_, { items }) => {
        const names = new Set<unknown>()
        for (const { key } of items) {
          const name = yaml.isScalar(key) ? key.value : key
          if (names.has(name)) throw new YamlError(`${JSON.stringify(String(name))} is given twice`)
          names.add(name)
        }
      },
    })
  }
  return [...composer.compose(tokens)]
    .filter(
      ({ contents, errors }) => errors.length > 0 || (yaml.isScalar(contents) ? contents.value : contents) != null,
    )
    .map((document) => ({
      kind: yaml.isMap(document.contents) ? document.contents.get('kind') : undefined,
      read: () => {
        check(document)
        return document.toJS() as unknown
      },
    }))
}

/**
 * The documents as tokens. The parser doesn't call itself, but what makes documents of its tokens does: where that
 * overflows the stack, it may end the process. So its depth is limited here.
 */
function parseTokens({ Lexer, Parser }: typeof import('yaml'), text: string, lines: LineCounter): CST.Token[] {
  const tokens: CST.Token[] = []
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > DEEPEST) throw new YamlError(`it is nested more than ${DEEPEST} levels deep`)
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}
