import { excerpt } from '../model/state/show.js'

/** A request body that isn't the JSON it should be; the message says why. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody'
}

/** Deepest nesting that is read, as in the real sidecar. */
const maxDepth = 10_000

const code = (character: string): number => character.charCodeAt(0)
const [openBrace, closeBrace, openBracket, closeBracket] = [code('{'), code('}'), code('['), code(']')]
const [quotationMark, backslash, colon, comma] = [code('"'), code('\\'), code(':'), code(',')]
const [minus, plus, point, zero, nine] = [code('-'), code('+'), code('.'), code('0'), code('9')]
const words = ['true', 'false', 'null'] as const

/**
 * Checks one JSON object of a text that begins at `start`, and returns the place behind it. Adds to `marks` the places of
 * the object's own braces, colons and commas: each of its fields lies between three of them.
 *
 * One pass that makes no values and doesn't call itself: `JSON.parse` takes most of a second for 4 MiB of small fields.
 *
 * @throws MalformedBody
 */
export function scanObject(text: string, start: number, marks?: number[]): number {
  if (text.charCodeAt(start) !== openBrace) {
    throw new MalformedBody(`a JSON object is expected, not ${excerpt(text.slice(start, start + 41), 40)}`)
  }
  const closers: number[] = []
  const mark = (at: number): void => {
    if (closers.length === 1) marks?.push(at)
  }
  /** Passes a key and its colon. */
  const passKey = (at: number): number => {
    if (text.charCodeAt(at) !== quotationMark) throw wrong(text, at)
    const behind = skipSpace(text, endOfString(text, at))
    if (text.charCodeAt(behind) !== colon) throw wrong(text, behind)
    mark(behind)
    return skipSpace(text, behind + 1)
  }
  for (let at = start; ;) {
    const here = text.charCodeAt(at)
    if (here === openBrace || here === openBracket) {
      if (closers.length === maxDepth) throw new MalformedBody(`the body is nested more than ${maxDepth} levels deep`)
      const closer = here === openBrace ? closeBrace : closeBracket
      closers.push(closer)
      mark(at)
      at = skipSpace(text, at + 1)
      if (text.charCodeAt(at) !== closer) {
        if (here === openBrace) at = passKey(at)
        continue
      }
    } else {
      at = skipSpace(text, endOfScalar(text, at))
    }
    // A value has ended, and with it may have everything around it.
    while (text.charCodeAt(at) === closers[closers.length - 1]) {
      mark(at)
      closers.pop()
      if (closers.length === 0) return at + 1
      at = skipSpace(text, at + 1)
    }
    if (text.charCodeAt(at) !== comma) throw wrong(text, at)
    mark(at)
    at = skipSpace(text, at + 1)
    if (closers[closers.length - 1] === closeBrace) at = passKey(at)
  }
}

/** Whether a valid JSON value is a list of strings. Told without making its values, of which there may be many. */
export function isListOfStrings(source: string): boolean {
  if (source.charCodeAt(0) !== openBracket) return false
  let at = skipSpace(source, 1)
  while (source.charCodeAt(at) === quotationMark) {
    const behind = skipSpace(source, endOfString(source, at))
    if (source.charCodeAt(behind) === closeBracket) return true
    at = skipSpace(source, behind + 1)
  }
  // Behind the comma there is another value.
  return source.charCodeAt(at) === closeBracket
}

/** The first place from `at` on that isn't JSON's white space. */
export function skipSpace(text: string, at: number): number {
  for (let next = at; ; next++) {
    const here = text.charCodeAt(next)
    if (here !== 0x20 && here !== 0x0a && here !== 0x0d && here !== 0x09) return next
  }
}

function wrong(text: string, at: number): MalformedBody {
  return new MalformedBody(
    at >= text.length
      ? 'the body ends before its JSON object does'
      : `the body is not valid JSON: ${JSON.stringify(text[at])} at ${at} is unexpected`,
  )
}

function endOfScalar(text: string, at: number): number {
  const here = text.charCodeAt(at)
  if (here === quotationMark) return endOfString(text, at)
  if (here === minus || isDigit(here)) return endOfNumber(text, at)
  const word = words.find((known) => text.startsWith(known, at))
  if (word === undefined) throw wrong(text, at)
  return at + word.length
}

function endOfNumber(text: string, start: number): number {
  let at = text.charCodeAt(start) === minus ? start + 1 : start
  at = text.charCodeAt(at) === zero ? at + 1 : endOfDigits(text, at)
  if (text.charCodeAt(at) === point) at = endOfDigits(text, at + 1)
  if (text[at] !== 'e' && text[at] !== 'E') return at
  const sign = text.charCodeAt(at + 1)
  return endOfDigits(text, sign === plus || sign === minus ? at + 2 : at + 1)
}

/** The place behind one digit or more. */
function endOfDigits(text: string, start: number): number {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  if (at === start) throw wrong(text, at)
  return at
}

function isDigit(unit: number): boolean {
  return unit >= zero && unit <= nine
}

/** The place behind the string at `start`. An escaped half of a surrogate pair is refused: no protobuf string can hold it. */
function endOfString(text: string, start: number): number {
  /** The place of the second half that a first half needs. */
  let expected = -1
  for (let at = start + 1; ;) {
    const here = text.charCodeAt(at)
    if (here !== backslash) {
      if (expected === at) throw halfPair()
      if (here === quotationMark) return at + 1
      // Not a number behind the end of the text.
      if (!(here >= 0x20)) throw wrong(text, at)
      at++
      continue
    }
    if (text[at + 1] !== 'u') {
      if (expected === at) throw halfPair()
      if (!'"\\/bfnrt'.includes(text[at + 1] ?? '?')) throw wrong(text, at + 1)
      at += 2
      continue
    }
    const unit = hexadecimal(text, at + 2)
    const isSecond = unit >= 0xdc00 && unit <= 0xdfff
    if (isSecond !== (expected === at)) throw halfPair()
    at += 6
    expected = unit >= 0xd800 && unit <= 0xdbff ? at : -1
  }
}

function halfPair(): MalformedBody {
  return new MalformedBody('a string holds half of a surrogate pair')
}

/** The value of the four hexadecimal digits at `start`. */
function hexadecimal(text: string, start: number): number {
  let value = 0
  for (let at = start; at < start + 4; at++) {
    const digit = parseInt(text[at] ?? '?', 16)
    if (Number.isNaN(digit)) throw wrong(text, at)
    value = value * 16 + digit
  }
  return value
}
