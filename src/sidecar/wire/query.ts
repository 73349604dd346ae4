import { quoteBytes } from './quote.js'

/** One parameter after another as Go's form parser reads a query, or the message it refuses it with. */
export function parseQuery(query: string): readonly (readonly [key: string, value: string])[] | string {
  const pairs: [string, string][] = []
  let problem: string | undefined
  for (const part of query.split('&')) {
    if (part === '') continue
    if (part.includes(';')) {
      // Named even after a malformed escape, which is only named when it is the first problem.
      problem = 'invalid semicolon separator in query'
      continue
    }
    const at = part.indexOf('=')
    const key = at < 0 ? part : part.slice(0, at)
    const value = at < 0 ? '' : part.slice(at + 1)
    const bad = badEscape(key) ?? badEscape(value)
    if (bad !== undefined) problem ??= `invalid URL escape ${bad}`
    else pairs.push([unescape(key), unescape(value)])
  }
  return problem ?? pairs
}

/**
 * The update mask after the query had its say: one parameter replaces what the body gave, or appends to it by
 * `updateMask.paths`. A string is the message of a refusal.
 */
export function maskFromQuery(query: string, fromBody: readonly string[]): readonly string[] | string {
  const pairs = parseQuery(query)
  if (typeof pairs === 'string') return pairs
  const values = new Map<string, string[]>()
  for (const [key, value] of pairs) values.set(key, [...(values.get(key) ?? []), value])
  let mask = fromBody
  for (const [rawKey, rawValues] of values) {
    const indexed = /^(.*)\[(.*)\]$/s.exec(rawKey)
    const key = indexed ? indexed[1]! : rawKey
    const given = indexed ? [indexed[2]!, ...rawValues] : rawValues
    if (key === 'updateMask' || key === 'update_mask') {
      if (given.length > 1) return `too many values for field "update_mask": ${given.join(', ')}`
      mask = given[0]!.split(',')
    } else if (key === 'updateMask.paths' || key === 'update_mask.paths') {
      mask = [...mask, ...given]
    } else if (/^update(Mask|_mask)\.paths\./.test(key)) return 'invalid path: "paths" is not a message'
  }
  return mask
}

/** The first three bytes of a malformed escape, quoted. */
function badEscape(text: string): string | undefined {
  const at = text.search(/%(?![\da-f]{2})/i)
  return at < 0 ? undefined : quoteBytes(new TextEncoder().encode(text.slice(at, at + 3)).subarray(0, 3))
}

function unescape(text: string): string {
  const bytes = new Uint8Array(text.length * 3)
  let length = 0
  const encoder = new TextEncoder()
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '%') {
      bytes[length++] = parseInt(text.slice(at + 1, at + 3), 16)
      at += 2
    } else {
      const code = text.codePointAt(at)!
      const encoded = encoder.encode(text[at] === '+' ? ' ' : String.fromCodePoint(code))
      bytes.set(encoded, length)
      length += encoded.length
      if (code > 0xffff) at++
    }
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length))
}
