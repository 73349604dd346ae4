import { parseInt64 } from '../model/state/int64.js'
import { excerpt } from '../model/state/show.js'
import { readJsonObject } from './json-object.js'
import type { JsonField } from './json-object.js'
import { isListOfStrings, MalformedBody } from './json-scanner.js'

/** The fields of a request message, and the kind of each. */
export type MessageShape = Readonly<Record<string, 'string' | 'int64' | 'strings'>>

/** A request message. Fields that were absent or null are absent; integers are decimal text. */
export interface Message {
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** The keys of the object that its shape has, in order. */
  readonly keys: readonly string[]
  /** The first key that its shape hasn't. */
  readonly unknown: string | undefined
}

const emptyMessage: Message = { texts: new Map(), lists: new Map(), keys: [], unknown: undefined }

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
  const object = readJsonObject(text, (key) => Object.hasOwn(shape, key))
  return object === undefined ? emptyMessage : { ...toMessage(object.fields, shape), unknown: object.unknown }
}

/** Whether a body holds anything but white space. */
export function isBlank(text: string): boolean {
  return !/[^ \n\r\t]/.test(text)
}

/** Reads fields by protobuf's rules: each may come once. */
function toMessage(fields: readonly JsonField[], shape: MessageShape): Omit<Message, 'unknown'> {
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  const seen = new Set<string>()
  for (const field of fields) {
    const { key, source } = field
    const kind = shape[key]
    if (seen.has(key)) throw new MalformedBody(`the field ${JSON.stringify(key)} is given twice`)
    seen.add(key)
    if (source === 'null') continue
    if (kind === 'strings') lists.set(key, readStrings(field))
    else texts.set(key, kind === 'int64' ? readInt64(field) : readString(field))
  }
  return { texts, lists, keys: [...seen] }
}

function readString(field: JsonField): string {
  return field.source.startsWith('"') ? (JSON.parse(field.source) as string) : refuse(field, 'a string')
}

function readInt64(field: JsonField): string {
  const number = field.source.startsWith('"') ? readString(field) : field.source
  return parseInt64(number) ?? refuse(field, 'a 64-bit integer')
}

function readStrings(field: JsonField): readonly string[] {
  return isListOfStrings(field.source)
    ? (JSON.parse(field.source) as readonly string[])
    : refuse(field, 'a list of strings')
}

function refuse({ key, source }: JsonField, expected: string): never {
  throw new MalformedBody(`the field ${JSON.stringify(key)} must be ${expected}, not ${excerpt(source, 40)}`)
}
