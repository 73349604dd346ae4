import { MalformedBody, scanObject, skipSpace } from './json-scanner.js'

/** One field of a JSON object. */
export interface JsonField {
  readonly key: string
  /** The value as it was written: here an integer still has all its digits, which `JSON.parse` would round. */
  readonly source: string
}

/**
 * Reads the first JSON object of a text; undefined if there is nothing but white space. Text behind the object is left
 * alone, since a body may hold several. Only the fields that `isKnown` accepts are given, in the order of the text, one that
 * came twice twice; and the first other key.
 *
 * @throws MalformedBody
 */
export function readJsonObject(
  text: string,
  isKnown: (key: string) => boolean,
): { readonly fields: readonly JsonField[]; readonly unknown: string | undefined } | undefined {
  const start = skipSpace(text, 0)
  if (start === text.length) return undefined
  const marks: number[] = []
  scanObject(text, start, marks)
  const fields: JsonField[] = []
  let unknown: string | undefined
  for (let i = 1; i + 1 < marks.length; i += 2) {
    const key = unquote(text.slice(marks[i - 1]! + 1, marks[i]).trim())
    if (isKnown(key)) fields.push({ key, source: text.slice(marks[i]! + 1, marks[i + 1]).trim() })
    else unknown ??= key
  }
  return { fields, unknown }
}

/** Counts the JSON objects of a text, up to the first part that isn't one, which gives the error. */
export function countJsonObjects(text: string): { readonly count: number; readonly error?: MalformedBody } {
  let count = 0
  try {
    for (let at = skipSpace(text, 0); at < text.length; count++) at = skipSpace(text, scanObject(text, at))
    return { count }
  } catch (error) {
    if (error instanceof MalformedBody) return { count, error }
    throw error
  }
}

/** The text of a valid JSON string. */
function unquote(source: string): string {
  return source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1)
}
