import { type FieldKind, type Operation, operations } from '../../../protocol/operations.js'
import { type Answer, fail } from '../state/answer.js'
import { excerpt, quote } from '../state/show.js'
import type { Call } from '../state/events.js'
import type { MessageShape, RouteKey } from './routes.js'
import { parseInt64 } from '../state/int64.js'

/** A request as a call. If there is a refusal as well, the call takes effect and the answer is the refusal. */
export type ReadResult =
  | { readonly call: Call; readonly unread?: string | undefined; readonly refusal?: Answer }
  | { readonly refusal: Answer }

const absent: Readonly<Record<FieldKind, string | readonly string[]>> = {
  key: '',
  label: '',
  text: '',
  texts: [],
  int64: '0',
}

/** Reads a call from its operation, the name in the path, the query and the body. */
export function readCall(operation: Call['operation'], key: RouteKey, query: string, body: Uint8Array): ReadResult {
  try {
    const result = operation === 'health' ? readBeats(decodeBody(body)) : readFields(operation, key.text, query, body)
    // The real gateway reads the body first, and only then fails to pass on the name.
    return key.isUtf8
      ? result
      : { refusal: fail(13, 'grpc: error while marshaling: string field contains invalid UTF-8') }
  } catch (error) {
    return { refusal: malformedAnswer(error) }
  }
}

/** The refusal of a body that isn't a message of this shape; undefined if it is. */
export function refusalOf(body: Uint8Array, shape: MessageShape): Answer | undefined {
  try {
    readMessage(decodeBody(body), shape)
    return undefined
  } catch (error) {
    return malformedAnswer(error)
  }
}

/** The answer to a malformed body; any other error is thrown on. */
function malformedAnswer(error: unknown): Answer {
  if (error instanceof MalformedBody) return fail(3, `invalid request: ${error.message}`)
  throw error
}

function readFields(operation: Call['operation'], key: string, query: string, body: Uint8Array): ReadResult {
  const [method, path, fields = {}]: Operation = operations[operation]
  const hasKey = path.includes('{key}')
  const call: Record<string, unknown> = hasKey ? { operation, key } : { operation }
  if (method === 'GET') return { call: call as unknown as Call }
  const text = decodeBody(body)
  // The name in the body is checked and then ignored.
  const message = readMessage(text, hasKey ? { name: 'text', ...fields } : fields)
  for (const [field, kind] of Object.entries(fields)) {
    // An absent count or capacity stays as it is.
    const isOptional = operation === 'updateCounter' && field !== 'countDiff'
    const value = message.fields.get(field) ?? (isOptional ? undefined : absent[kind])
    if (value !== undefined) call[field] = value
  }
  if (operation === 'updateList') call['mask'] = maskOf(query, isBlank(text) ? [] : maskOfMessage(message))
  return { call: call as unknown as Call, unread: message.unknown }
}

/** Health is a stream: every object of the body is a beat, up to the first text that isn't an object. */
function readBeats(text: string): ReadResult {
  const { count: beats, error } = countObjects(text)
  return { call: { operation: 'health', beats }, ...(error ? { refusal: malformedAnswer(error) } : {}) }
}

/** The update mask of a body: its keys, which must be fields of a list; without keys, one empty path. */
function maskOfMessage({ keys, unknown }: Message): readonly string[] {
  if (unknown !== undefined) throw new MalformedBody(`a list has no field ${quote(unknown)}`)
  return keys.length === 0 ? [''] : keys
}

/** The update mask of a request: from the query, or else from the body. */
function maskOf(query: string, ofBody: readonly string[]): readonly string[] {
  if (/;|%(?![\da-f]{2})/i.test(query)) throw new MalformedBody('the query holds a semicolon or a malformed escape')
  const parameters = new URLSearchParams(query)
  const [mask, ...more] = [...parameters.getAll('updateMask'), ...parameters.getAll('update_mask')]
  if (more.length > 0) throw new MalformedBody('the query gives more than one updateMask')
  return mask?.split(',') ?? ofBody
}

/** A request body that isn't the expected JSON; the message says why. */
class MalformedBody extends Error {
  override readonly name = 'MalformedBody'
}

/** A request message. Fields that were absent or null are absent; integers are decimal text. */
interface Message {
  readonly fields: ReadonlyMap<string, string | readonly string[]>
  /** The object's keys that are fields of its message, in order. */
  readonly keys: readonly string[]
  /** The first key that is no field of the message. */
  readonly unknown: string | undefined
}

/** Tokens that give a JSON text its structure: strings, an unclosed quotation mark, brackets and separators. */
const structure = /"[^"\\]*(?:\\.[^"\\]*)*"|["{}[\],:]/gs
/** The escapes of a valid text; a pair of surrogates counts as one. */
const escapes = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\./g

/** Decodes a body. A byte order mark is kept, so that it is refused as in the real sidecar. @throws MalformedBody */
function decodeBody(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new MalformedBody('the body is not valid UTF-8')
  }
}

/** The first place from `at` on that isn't JSON's white space. */
function skipSpace(text: string, at: number): number {
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at++
  return at
}

/** Whether a body holds nothing but white space. */
const isBlank = (text: string): boolean => skipSpace(text, 0) === text.length

/**
 * Reads the first message of a body, and ignores everything after it. An empty body is an empty message. As in
 * protobuf, each field may come once.
 *
 * @throws MalformedBody
 */
function readMessage(text: string, shape: MessageShape): Message {
  const fields = new Map<string, string | readonly string[]>()
  const keys = new Set<string>()
  let unknown: string | undefined
  if (isBlank(text)) return { fields, keys: [], unknown }
  const { marks } = scanObject(text, skipSpace(text, 0))
  for (let i = 1; i + 1 < marks.length; i += 2) {
    const key = JSON.parse(text.slice(marks[i - 1]! + 1, marks[i])) as string
    if (!Object.hasOwn(shape, key)) {
      unknown ??= key
      continue
    }
    if (keys.has(key)) throw new MalformedBody(`the field ${JSON.stringify(key)} is given twice`)
    keys.add(key)
    const value = readField(key, shape[key]!, text.slice(marks[i]! + 1, marks[i + 1]).trim())
    if (value !== undefined) fields.set(key, value)
  }
  return { fields, keys: [...keys], unknown }
}

/** Counts the JSON objects of a text, up to the first part that isn't one, which gives the error. */
function countObjects(text: string): { readonly count: number; readonly error?: MalformedBody } {
  let count = 0
  try {
    for (let at = skipSpace(text, 0); at < text.length; count++) at = skipSpace(text, scanObject(text, at).end)
    return { count }
  } catch (error) {
    if (error instanceof MalformedBody) return { count, error }
    throw error
  }
}

/**
 * Checks the JSON object that begins at `start`. Returns where it ends, and the places of its own braces, colons and
 * commas, to find the fields' source: `JSON.parse` alone rounds large integers and drops repeated keys.
 *
 * @throws MalformedBody
 */
function scanObject(text: string, start: number): { readonly end: number; readonly marks: readonly number[] } {
  if (text[start] !== '{') {
    throw new MalformedBody(`a JSON object is expected, not ${excerpt(text.slice(start, start + 41), 40)}`)
  }
  const marks: number[] = []
  let depth = 0
  structure.lastIndex = start
  for (let found = structure.exec(text); found !== null && found[0] !== '"'; found = structure.exec(text)) {
    const [mark] = found
    if (mark === '{' || mark === '[') depth++
    if (depth === 1 && mark.length === 1 && (found.index === start || !'{['.includes(mark))) marks.push(found.index)
    if ((mark !== '}' && mark !== ']') || --depth > 0) continue
    const end = structure.lastIndex
    checkSource(text.slice(start, end))
    return { end, marks }
  }
  throw new MalformedBody('the body ends before its JSON object does')
}

function checkSource(source: string): void {
  try {
    JSON.parse(source)
  } catch (error) {
    throw new MalformedBody(`the body is not valid JSON: ${excerpt((error as Error).message, 200)}`)
  }
  // No protobuf string can hold half of a surrogate pair.
  if (source.match(escapes)?.some((escape) => /^\\u[dD][89a-fA-F]..$/.test(escape))) {
    throw new MalformedBody('a string holds half of a surrogate pair')
  }
}

/** Reads a field from its source, in which an integer still has all its digits; undefined for null. */
function readField(key: string, kind: FieldKind, source: string): string | readonly string[] | undefined {
  const refuse = (expected: string): never => {
    throw new MalformedBody(`the field ${JSON.stringify(key)} must be ${expected}, not ${excerpt(source, 40)}`)
  }
  const value: unknown = JSON.parse(source)
  if (value === null) return undefined
  switch (kind) {
    case 'int64':
      return parseInt64(typeof value === 'string' ? value : source) ?? refuse('a 64-bit integer')
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? value
        : refuse('a list of strings')
    default:
      return typeof value === 'string' ? value : refuse('a string')
  }
}
