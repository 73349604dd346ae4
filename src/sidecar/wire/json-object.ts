import { quoteByte } from './quote.js'

/** Where the first JSON value of some bytes is, why there is none, or `end` when only white space is left. */
export type Scan =
  | { readonly type: 'value'; readonly start: number; readonly end: number }
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'end' }

const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d
const doubleQuote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const maxDepth = 10_000

const beginningOfValue = 'looking for beginning of value'
const beginningOfKey = 'looking for beginning of object key string'
const unexpectedEnd: Scan = { type: 'error', message: 'unexpected EOF' }

/**
 * Finds the first complete JSON value from `from` on and leaves what follows it alone, as the real sidecar
 * does:
 * a body may go on with anything. Messages are the real ones.
 */
export function scanValue(bytes: Uint8Array, from = 0): Scan {
  let at = skipSpace(bytes, from)
  if (at === bytes.length) return { type: 'end' }
  const start = at
  const open: number[] = []
  /** What may come next: a value, a value or `]`, a key, a key or `}`. */
  let expected: 'value' | 'value or end' | 'key' | 'key or end' = 'value'

  for (;;) {
    at = skipSpace(bytes, at)
    if (at >= bytes.length) return unexpectedEnd
    const byte = bytes[at]!
    let closed = false

    if (expected === 'key' || expected === 'key or end') {
      if (byte === closeObject && expected === 'key or end') {
        open.pop()
        at++
        closed = true
      } else {
        if (byte !== doubleQuote) return unexpected(byte, beginningOfKey)
        const end = scanString(bytes, at)
        if (typeof end !== 'number') return end
        at = skipSpace(bytes, end)
        if (at >= bytes.length) return unexpectedEnd
        if (bytes[at] !== colon) return unexpected(bytes[at]!, 'after object key')
        at++
        expected = 'value'
        continue
      }
    } else if (byte === closeArray && expected === 'value or end') {
      open.pop()
      at++
      closed = true
    } else if (byte === openObject || byte === openArray) {
      open.push(byte)
      if (open.length > maxDepth) return unexpected(byte, 'exceeded max depth')
      expected = byte === openObject ? 'key or end' : 'value or end'
      at++
      continue
    } else {
      const end = scanScalar(bytes, at)
      if (typeof end !== 'number') return end
      at = end
      closed = true
    }

    // A value has just ended: close whatever ends with it, or go on behind a comma.
    while (closed) {
      if (open.length === 0) return { type: 'value', start, end: at }
      at = skipSpace(bytes, at)
      if (at >= bytes.length) return unexpectedEnd
      const next = bytes[at]!
      const inObject = open[open.length - 1] === openObject
      if (next === (inObject ? closeObject : closeArray)) {
        open.pop()
        at++
      } else if (next === comma) {
        expected = inObject ? 'key' : 'value'
        at++
        closed = false
      } else {
        return unexpected(next, inObject ? 'after object key:value pair' : 'after array element')
      }
    }
  }
}

/** The end of the string, number or literal that begins at `at`. */
function scanScalar(bytes: Uint8Array, at: number): number | Scan {
  const byte = bytes[at]!
  if (byte === doubleQuote) return scanString(bytes, at)
  if (byte === 0x2d || isDigit(byte)) return scanNumber(bytes, at)
  for (const literal of ['true', 'false', 'null']) {
    if (byte !== literal.charCodeAt(0)) continue
    for (let i = 1; i < literal.length; i++) {
      if (at + i >= bytes.length) return unexpectedEnd
      if (bytes[at + i] !== literal.charCodeAt(i)) {
        return unexpected(bytes[at + i]!, `in literal ${literal} (expecting '${literal[i]!}')`)
      }
    }
    return at + literal.length
  }
  return unexpected(byte, beginningOfValue)
}

function scanString(bytes: Uint8Array, start: number): number | Scan {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === doubleQuote) return at + 1
    if (byte < 0x20) return unexpected(byte, 'in string literal')
    if (byte !== backslash) continue
    at++
    if (at >= bytes.length) break
    const escape = String.fromCharCode(bytes[at]!)
    if (escape === 'u') {
      for (let i = 1; i <= 4; i++) {
        if (at + i >= bytes.length) return unexpectedEnd
        if (!/[\da-f]/i.test(String.fromCharCode(bytes[at + i]!))) {
          return unexpected(bytes[at + i]!, 'in \\u hexadecimal character escape')
        }
      }
      at += 4
    } else if (!'bfnrt\\/"'.includes(escape)) {
      return unexpected(bytes[at]!, 'in string escape code')
    }
  }
  return unexpectedEnd
}

function scanNumber(bytes: Uint8Array, start: number): number | Scan {
  let at = start
  const digits = (why: string): Scan | undefined => {
    if (at >= bytes.length) return unexpectedEnd
    if (!isDigit(bytes[at]!)) return unexpected(bytes[at]!, why)
    while (at < bytes.length && isDigit(bytes[at]!)) at++
    return undefined
  }
  if (bytes[at] === 0x2d) at++
  // Nothing may follow a leading zero directly; what does is an error of whatever is around the number.
  if (bytes[at] === 0x30) at++
  else {
    const wrong = digits('in numeric literal')
    if (wrong) return wrong
  }
  if (bytes[at] === 0x2e) {
    at++
    const wrong = digits('after decimal point in numeric literal')
    if (wrong) return wrong
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at++
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++
    const wrong = digits('in exponent of numeric literal')
    if (wrong) return wrong
  }
  return at
}

/** The first byte from `at` on that isn't white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
    at++
  }
  return at
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function unexpected(byte: number, why: string): Scan {
  return { type: 'error', message: `invalid character ${quoteByte(byte)} ${why}` }
}
