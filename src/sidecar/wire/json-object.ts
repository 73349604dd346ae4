/** A request body that isn't the JSON it should be; the message says why. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody'
}

/** One field of a JSON object. */
export interface JsonField {
  readonly key: string
  /** The value as it was written: here an integer still has all its digits, which `JSON.parse` would round. */
  readonly source: string
}

export interface JsonObject {
  /** In the order of the text; a key that was given twice is there twice. */
  readonly fields: readonly JsonField[]
  /** The place behind the object. */
  readonly end: number
}

/** Deepest nesting that is read, as in the real sidecar. */
const maxDepth = 10_000

/**
 * Reads one JSON object of a text from `from` on; undefined if nothing but white space is left. Text behind the object
 * is left alone, since a body may hold several. `JSON.parse` decides what is valid; the code here only finds where the
 * object and its fields end, in one pass without recursion.
 *
 * @throws MalformedBody
 */
export function readJsonObject(text: string, from = 0): JsonObject | undefined {
  const start = skipSpace(text, from)
  if (start === text.length) return undefined
  if (text[start] !== '{') throw new MalformedBody(`a JSON object is expected, not ${excerpt(text.slice(start))}`)
  const marks = findMarks(text, start)
  const end = marks.at(-1)! + 1
  const source = text.slice(start, end)
  try {
    JSON.parse(source)
  } catch (error) {
    throw new MalformedBody(`the body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (hasLoneSurrogate(source)) throw new MalformedBody('a string holds half of a surrogate pair')
  const fields: JsonField[] = []
  for (let i = 1; i + 1 < marks.length; i += 2) {
    const key = JSON.parse(text.slice(marks[i - 1]! + 1, marks[i])) as string
    fields.push({ key, source: text.slice(marks[i]! + 1, marks[i + 1]).trim() })
  }
  return { fields, end }
}

/** The start of a text, for a message. */
export function excerpt(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

/** The places of the outermost object's braces, colons and commas: every field lies between three of them. */
function findMarks(text: string, start: number): number[] {
  const marks: number[] = []
  let depth = 0
  for (let at = start; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case '{':
      case '[':
        depth++
        if (depth > maxDepth) throw new MalformedBody(`the body is nested more than ${maxDepth} levels deep`)
        if (depth === 1) marks.push(at)
        break
      case '}':
      case ']':
        depth--
        if (depth > 0) break
        marks.push(at)
        return marks
      case ':':
      case ',':
        if (depth === 1) marks.push(at)
        break
      default:
    }
  }
  throw new MalformedBody('the body ends before its JSON object does')
}

/** The place of the quotation mark that ends the string at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** Whether valid JSON holds an escaped half of a surrogate pair, which no protobuf string can hold. */
function hasLoneSurrogate(json: string): boolean {
  /** The place of the second half that a first half needs. */
  let expected: number | undefined
  for (const { index, 1: hex } of json.matchAll(/\\(?:u([\da-f]{4})|[^u])/gi)) {
    const code = hex === undefined ? 0 : parseInt(hex, 16)
    const isSecond = code >= 0xdc00 && code <= 0xdfff
    if (isSecond ? index !== expected : expected !== undefined) return true
    expected = code >= 0xd800 && code <= 0xdbff ? index + 6 : undefined
  }
  return expected !== undefined
}

/** The first place from `at` on that isn't JSON's white space. */
function skipSpace(text: string, at: number): number {
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at++
  return at
}
