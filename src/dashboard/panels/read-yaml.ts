interface Line {
  readonly number: number
  indent: number
  text: string
}

/**
 * Reads JSON, or the YAML that people write for a GameServer: blocks, quotes, flow in one line, comments. The rest of YAML
 * is named as not understood.
 *
 * @throws Error whose message names the line
 */
export function readYaml(source: string): unknown {
  if (/^\s*[[{]/.test(source)) return JSON.parse(source)
  const lines = source.split('\n').flatMap((line, index): Line[] => {
    const text = line.trim()
    if (text === '' || text === '---' || text.startsWith('#')) return []
    if (/^ *\t/.test(line)) fail(index + 1, 'a tab indents it; use spaces')
    return [{ number: index + 1, indent: line.length - line.trimStart().length, text }]
  })
  const reader = { lines, at: 0 }
  const value = readNode(reader)
  const left = lines[reader.at]
  if (left) fail(left.number, `${show(left.text)} is indented unlike the lines before`)
  return value
}

interface Reader {
  readonly lines: readonly Line[]
  at: number
}

function readNode(reader: Reader): unknown {
  const line = reader.lines[reader.at]
  if (!line) return null
  if (isItem(line)) return readSequence(reader, line.indent)
  if (splitKey(line)) return readMapping(reader, line.indent)
  reader.at++
  return readScalar(line.text, line.number)
}

function readSequence(reader: Reader, indent: number): unknown[] {
  const items: unknown[] = []
  for (let line; (line = reader.lines[reader.at]) && line.indent === indent && isItem(line);) {
    const rest = line.text.slice(1).trimStart()
    if (rest === '') {
      reader.at++
      items.push(readNested(reader, indent))
    } else {
      // What stands behind the dash is a block of its own.
      line.indent += line.text.length - rest.length
      line.text = rest
      items.push(readNode(reader))
    }
  }
  return items
}

function readMapping(reader: Reader, indent: number): object {
  const entries = new Map<string, unknown>()
  for (let line; (line = reader.lines[reader.at]) && line.indent === indent && !isItem(line);) {
    const split = splitKey(line)
    if (!split) fail(line.number, `${show(line.text)} is no "key: value"`)
    const [key, value] = split
    if (entries.has(key)) fail(line.number, `${show(key)} is there twice`)
    reader.at++
    entries.set(key, value === '' ? readNested(reader, indent, true) : readScalar(value, line.number))
  }
  return Object.fromEntries(entries)
}

/** The block below a key or a dash. A list may stand as far left as its key. */
function readNested(reader: Reader, indent: number, isBelowKey = false): unknown {
  const next = reader.lines[reader.at]
  const belongs = next && (next.indent > indent || (isBelowKey && next.indent === indent && isItem(next)))
  return belongs ? readNode(reader) : null
}

const isItem = ({ text }: Line): boolean => text === '-' || text.startsWith('- ')

/** The key of a line, and what stands behind it without a comment. */
function splitKey({ text, number }: Line): [key: string, value: string] | undefined {
  const match = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'{[][^]*?)\s*:(?:\s+([^]*))?$/.exec(text)
  if (!match) return undefined
  const value = match[2] ?? ''
  return [String(readScalar(match[1]!, number, true)), value.startsWith('#') ? '' : value]
}

function readScalar(written: string, line: number, isKey = false): unknown {
  const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\[[^]*\]|\{[^]*\})(?:\s+#.*)?$/.exec(written)?.[1]
  try {
    if (quoted?.startsWith("'")) return quoted.slice(1, -1).replaceAll("''", "'")
    if (quoted?.startsWith('"')) return JSON.parse(quoted)
    if (quoted !== undefined) return JSON.parse(quoted.replace(FLOW_WORD, (word) => JSON.stringify(plain(word.trim()))))
  } catch {
    fail(line, `${show(written)} is not understood here; write it as a block, or all as JSON`)
  }
  const text = written.replace(/\s+#.*$/, '')
  if (/^["'[{&*!|>%@`]/.test(text))
    fail(line, `${show(text)} is not understood here; write it as a block, or all as JSON`)
  return isKey ? text : plain(text)
}

const FLOW_WORD = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,:{}[\]"'][^,:{}[\]]*/g

function plain(text: string): unknown {
  if (text.startsWith('"')) return JSON.parse(text)
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'")
  if (/^(null|~|)$/i.test(text)) return null
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  const number = Number(text)
  const isNumber = /^[-+]?(\d+|\d*\.\d+)$/.test(text) && (Number.isSafeInteger(number) || text.includes('.'))
  return isNumber ? number : text
}

const show = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

function fail(line: number, problem: string): never {
  throw new Error(`Line ${line}: ${problem}`)
}
