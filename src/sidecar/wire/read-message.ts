import { integerFromNumber, integerFromString } from './json-integer.js'
import { skipSpace } from './json-object.js'
import { quoteBytes } from './quote.js'

/** What a field of a request message holds; `wrapped` is an integer that may be absent. */
export type MessageField = 'string' | 'int64' | 'wrapped' | 'strings'
export type MessageShape = Readonly<Record<string, MessageField>>

/** A request message: fields that were absent or null are absent. Integers are decimal text. */
export interface Message {
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** Every key of the object in order, known or not. */
  readonly keys: readonly string[]
  /** The first number of the message that is beyond a 64-bit float, as written. */
  readonly overflow: string | undefined
}

/** Why a body isn't a message; the text is the one the real sidecar answers with. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
}

const fatal = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a message from bytes that `scanValue()` has found to be one JSON value, by the rules of protobuf's
 * JSON
 * form: unknown fields are skipped, a field twice is an error, strings must be valid Unicode.
 */
export function readMessage(value: Uint8Array, shape: MessageShape): Message {
  return new Reader(value, shape).read()
}

class Reader {
  readonly #bytes: Uint8Array
  readonly #shape: MessageShape
  #at = 0
  #overflow: string | undefined

  constructor(bytes: Uint8Array, shape: MessageShape) {
    this.#bytes = bytes
    this.#shape = shape
  }

  read(): Message {
    const texts = new Map<string, string>()
    const lists = new Map<string, readonly string[]>()
    const keys: string[] = []
    const seen = new Set<string>()
    if (this.#peek() !== '{') throw this.#unexpectedToken()
    this.#skip()
    while (this.#peek() !== '}') {
      if (this.#peek() === ',') this.#skip()
      const start = this.#at
      const key = this.#string()
      const raw = this.#raw(start)
      keys.push(key)
      this.#skip() // the colon
      const kind = Object.prototype.hasOwnProperty.call(this.#shape, key) ? this.#shape[key] : undefined
      if (kind === undefined) {
        this.#skipValue()
        continue
      }
      if (seen.has(key)) throw this.#error(start, `duplicate field ${raw}`)
      seen.add(key)
      if (this.#peek() === 'n') this.#scalar()
      else if (kind === 'strings') lists.set(key, this.#strings(key))
      else texts.set(key, this.#field(key, kind))
    }
    return { texts, lists, keys, overflow: this.#overflow }
  }

  #field(key: string, kind: 'string' | 'int64' | 'wrapped'): string {
    const start = this.#at
    const first = this.#peek()
    let value: string | undefined
    if (first === '"') {
      const text = this.#string()
      value = kind === 'string' ? text : integerFromString(text)
    } else if (first !== '{' && first !== '[') {
      const token = this.#scalar()
      value = kind === 'string' ? undefined : /^[-\d]/.test(token) ? integerFromNumber(token) : undefined
    } else {
      this.#at++
    }
    if (value !== undefined) return value
    const type = kind === 'string' ? 'string' : 'int64'
    throw this.#error(
      start,
      `invalid value for ${type} field ${kind === 'wrapped' ? 'value' : key}: ${this.#raw(start)}`,
    )
  }

  #strings(key: string): string[] {
    if (this.#peek() !== '[') throw this.#unexpectedToken()
    this.#skip()
    const values: string[] = []
    while (this.#peek() !== ']') {
      if (this.#peek() === ',') this.#skip()
      values.push(this.#field(key, 'string'))
      this.#space()
    }
    this.#skip()
    return values
  }

  /** Passes over a value of any kind; its strings must be valid all the same. */
  #skipValue(): void {
    let depth = 0
    do {
      const first = this.#peek()
      if (first === '"') this.#string()
      else if (first === '{' || first === '[') {
        depth++
        this.#skip()
      } else if (first === '}' || first === ']') {
        depth--
        this.#skip()
      } else if (first === ',' || first === ':') this.#skip()
      else this.#scalar()
    } while (depth > 0)
  }

  /** A number, true, false or null: everything up to white space or punctuation. */
  #scalar(): string {
    const start = this.#at
    while (this.#at < this.#bytes.length && /[-+.\w]/.test(String.fromCharCode(this.#bytes[this.#at]!))) this.#at++
    const token = this.#raw(start)
    if (/^[-\d]/.test(token) && !Number.isFinite(Number(token))) this.#overflow ??= token
    this.#space()
    return token
  }

  #string(): string {
    this.#space()
    const bytes = this.#bytes
    const start = this.#at
    let at = start + 1
    let escaped = false
    while (bytes[at] !== 0x22) {
      if (bytes[at] === 0x5c) {
        escaped = true
        at++
      }
      at++
    }
    if (escaped) this.#checkSurrogates(start, at)
    const text = this.#decode(start, at + 1)
    this.#at = at + 1
    // Control characters can't be in it: the scan before has refused them.
    return escaped ? (JSON.parse(text) as string) : text.slice(1, -1)
  }

  #decode(start: number, end: number): string {
    try {
      return fatal.decode(this.#bytes.subarray(start, end))
    } catch {
      throw this.#syntaxError(start, 'invalid UTF-8 in string')
    }
  }

  /**
   * An escaped surrogate must be followed by its other half; the real reader looks even past the string's
   * end.
   */
  #checkSurrogates(start: number, end: number): void {
    const bytes = this.#bytes
    for (let at = start + 1; at < end; at++) {
      if (bytes[at] !== 0x5c) continue
      at++
      if (bytes[at] !== 0x75) continue
      const code = this.#hex(at + 1)
      at += 4
      if (code < 0xd800 || code > 0xdfff) continue
      const next = at + 1
      const low = bytes[next] === 0x5c && bytes[next + 1] === 0x75 ? this.#hex(next + 2) : NaN
      if (next + 6 > bytes.length || code > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) {
        // Invalid bytes before it would have been found first.
        this.#decode(start, at - 5)
        if (next + 6 > bytes.length) throw new MessageError('proto: unexpected EOF')
        const excerpt = quoteBytes(bytes.subarray(next, next + 6))
        throw this.#syntaxError(start, `invalid escape code ${excerpt} in string`)
      }
      at = next + 5
    }
  }

  #hex(at: number): number {
    return parseInt(String.fromCharCode(...this.#bytes.subarray(at, at + 4)), 16)
  }

  #space(): void {
    this.#at = skipSpace(this.#bytes, this.#at)
  }

  #peek(): string {
    this.#space()
    return String.fromCharCode(this.#bytes[this.#at]!)
  }

  #skip(): void {
    this.#space()
    this.#at++
    this.#space()
  }

  #raw(start: number): string {
    let end = this.#at
    while (end > start && ' \n\r\t'.includes(String.fromCharCode(this.#bytes[end - 1]!))) end--
    return new TextDecoder().decode(this.#bytes.subarray(start, end))
  }

  #unexpectedToken(): MessageError {
    const start = this.#at
    const first = this.#peek()
    if (first === '"') this.#string()
    else if (first === '{' || first === '[') this.#at++
    else this.#scalar()
    return this.#syntaxError(start, `unexpected token ${this.#raw(start)}`)
  }

  #error(at: number, message: string): MessageError {
    return new MessageError(`proto: (line ${this.#position(at)}): ${message}`)
  }

  #syntaxError(at: number, message: string): MessageError {
    return new MessageError(`proto: syntax error (line ${this.#position(at)}): ${message}`)
  }

  /** Line and column from 1; columns count characters. */
  #position(at: number): string {
    const before = new TextDecoder().decode(this.#bytes.subarray(0, at))
    const line = before.slice(before.lastIndexOf('\n') + 1)
    return `${before.split('\n').length}:${[...line].length + 1}`
  }
}
