import { redacted } from '../wire/exchange.js'

/** Longest pattern: each is compared with every annotation's key. */
const longestPattern = 200

/** Replaces the values of annotations in a line. */
export type Redact = <Line extends { readonly type: string }>(line: Line) => Line

/**
 * Creates the function that takes the values of annotations out of lines. A pattern is a key or the end of one after
 * its prefix, and may hold `*` for anything: `token`, `*secret*`, `agones.dev/*`.
 *
 * @throws TypeError for a pattern that is empty or too long
 */
export function createRedaction(patterns: readonly string[]): Redact {
  for (const pattern of patterns) {
    if (pattern === '' || pattern.length > longestPattern) {
      throw new TypeError(`A pattern to redact must have 1 to ${longestPattern} characters; got ${pattern.length}`)
    }
  }
  if (patterns.length === 0) return (line) => line
  const parts = patterns.map((pattern) => pattern.split('*'))
  const isSecret = (key: string): boolean => parts.some((one) => matches(one, key) || matches(one, bareKey(key)))
  return (line) => walk(line, isSecret) as typeof line
}

const bareKey = (key: string): string => key.replace(/^[^/]*\/(?:sdk-)?/, '')

/** Whether a text has these parts in this order, the first and the last at its ends. */
function matches(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts
  if (rest.length === 0) return text === first
  const last = rest.pop()!
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

type IsSecret = (key: string) => boolean
type Fields = Readonly<Record<string, unknown>>

/** A copy of a value without the values of secret annotations, wherever they are in it. */
function walk(value: unknown, isSecret: IsSecret): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, isSecret))
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Fields
  const named = isAnnotation(fields) && typeof fields['key'] === 'string' && isSecret(fields['key'])
  return Object.fromEntries(
    Object.entries(fields).map(([name, item]) => {
      if (named && (name === 'value' || name === 'previous') && typeof item === 'string') return [name, redacted]
      if (name === 'annotations') return [name, withoutSecrets(item, isSecret)]
      if (name === 'body' && typeof item === 'string') return [name, redactBody(item, fields, isSecret)]
      return [name, walk(item, isSecret)]
    }),
  )
}

const isAnnotation = ({ type, operation }: Fields): boolean =>
  type === 'annotation' || type === 'setAnnotation' || operation === 'setAnnotation'

function withoutSecrets(annotations: unknown, isSecret: IsSecret): unknown {
  if (typeof annotations !== 'object' || annotations === null) return annotations
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key, isSecret(key) ? redacted : (value as unknown)]),
  )
}

/** A body that can't be read, because it was cut, may hold anything. */
function redactBody(body: string, record: Fields, isSecret: IsSecret): string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    const target = typeof record['target'] === 'string' ? record['target'] : ''
    return /annotation/i.test(body + target) ? redacted : body
  }
  const target = record['target']
  if (typeof target === 'string' && target.startsWith('/metadata/annotation') && typeof value === 'object') {
    value = { ...value, operation: 'setAnnotation' }
    const { operation: _, ...rest } = walk(value, isSecret) as Fields
    return JSON.stringify(rest)
  }
  const clean = walk(value, isSecret)
  const text = JSON.stringify(clean)
  return text === JSON.stringify(value) ? body : text
}
