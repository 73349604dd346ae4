import { parseInt64 } from '../model/state/int64.js'
import { excerpt, MalformedBody, readJsonObject } from './json-object.js'
import type { JsonField } from './json-object.js'

/** The fields of a request message, and the kind of each. */
export type MessageShape = Readonly<Record<string, 'string' | 'int64' | 'strings'>>

/** A request message. Fields that were absent or null are absent; integers are decimal text. */
export interface Message {
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** Every key of the object in order, known or not. */
  readonly keys: readonly string[]
}

const emptyMessage: Message = { texts: new Map(), lists: new Map(), keys: [] }

/** The text of a body. A byte order mark stays, and so is refused as the real sidecar refuses it. @throws MalformedBody */
export function decodeBody(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new MalformedBody('the body is not valid UTF-8')
  }
}

/**
 * Reads the first message of a body, and ignores everything behind it. An empty body is an empty message.
 *
 * @throws MalformedBody
 */
export function readMessage(text: string, shape: MessageShape): Message {
  const object = readJsonObject(text)
  return object === undefined ? emptyMessage : toMessage(object.fields, shape)
}

/** Whether a body holds anything but white space. */
export function isBlank(text: string): boolean {
  return !/[^ \n\r\t]/.test(text)
}

/** Reads fields by protobuf's rules: unknown ones are skipped, known ones may come once. */
function toMessage(fields: readonly JsonField[], shape: MessageShape): Message {
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  const seen = new Set<string>()
  for (const field of fields) {
    const { key, source } = field
    const kind = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (kind === undefined) continue
    if (seen.has(key)) throw new MalformedBody(`the field ${JSON.stringify(key)} is given twice`)
    seen.add(key)
    if (source === 'null') continue
    if (kind === 'strings') lists.set(key, readStrings(field))
    else texts.set(key, kind === 'int64' ? readInt64(field) : readString(field))
  }
  return { texts, lists, keys: fields.map(({ key }) => key) }
}

function readString(field: JsonField): string {
  return field.source.startsWith('"') ? (JSON.parse(field.source) as string) : refuse(field, 'a string')
}

function readInt64(field: JsonField): string {
  const number = field.source.startsWith('"') ? readString(field) : field.source
  return parseInt64(number) ?? refuse(field, 'a 64-bit integer')
}

function readStrings(field: JsonField): readonly string[] {
  const values: unknown = field.source.startsWith('[') ? JSON.parse(field.source) : undefined
  const isList = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return isList ? values : refuse(field, 'a list of strings')
}

function refuse({ key, source }: JsonField, expected: string): never {
  throw new MalformedBody(`the field ${JSON.stringify(key)} must be ${expected}, not ${excerpt(source)}`)
}
