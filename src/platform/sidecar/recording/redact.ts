import { isObject } from '../../../protocol/is-object.js'
import type { LogEntry } from '../event-log.js'
import { redacted } from '../wire/exchange.js'
import type { Exchange } from '../wire/exchange.js'
import { readMessage } from '../wire/read-message.js'
import { decodePath, findRoute } from '../wire/routes.js'

/** The longest pattern, since each is compared with every annotation's key. */
const longestPattern = 200

/** Replaces the values of annotations in a line of a recording. */
export type Redact = <Line extends { readonly type: string }>(line: Line) => Line

/**
 * Creates the function that redacts the values of annotations in lines. A pattern is a key, with or without its prefix,
 * and may hold `*` for any text: `token`, `*secret*`, `agones.dev/*`. Case is ignored.
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
  const parts = patterns.map((pattern) => pattern.toLowerCase().split('*'))
  const isSecret: IsSecret = (name) => {
    const key = name.toLowerCase()
    return parts.some((one) => matches(one, key) || matches(one, bareKey(key)))
  }
  return (line) => redactLine(line, isSecret) as unknown as typeof line
}

const bareKey = (key: string): string => key.replace(/^[^/]*\/(?:sdk-)?/, '')

/** Whether a text holds these parts in order, with the first at its start and the last at its end. */
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

function redactLine(line: Fields, isSecret: IsSecret): Fields {
  const clean = walk(line, isSecret) as Fields
  if (line['type'] === 'exchange') return { ...clean, ...redactExchange(line as Fields & Exchange, isSecret) }
  if (line['type'] === 'entry') return { ...clean, entry: redactEntry(clean['entry'] as LogEntry) }
  return clean
}

/** Copies a value and redacts the secret annotations anywhere in it. */
function walk(value: unknown, isSecret: IsSecret): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, isSecret))
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Fields
  const named = isAnnotation(fields) && typeof fields['key'] === 'string' && isSecret(fields['key'])
  return Object.fromEntries(
    Object.entries(fields).map(([name, item]) => {
      if (named && (name === 'value' || name === 'previous') && typeof item === 'string') return [name, redacted]
      return [name, name === 'annotations' ? withoutSecrets(item, isSecret) : walk(item, isSecret)]
    }),
  )
}

const isAnnotation = ({ type, operation }: Fields): boolean =>
  type === 'annotation' || type === 'setAnnotation' || operation === 'setAnnotation'

function withoutSecrets(annotations: unknown, isSecret: IsSecret): unknown {
  if (!isObject(annotations)) return annotations == null ? annotations : redacted
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, isSecret(key) ? redacted : value]))
}

/** Redacts the message and path of a refused annotation call, which may quote the annotation. */
function redactEntry(entry: LogEntry): LogEntry {
  const { event, problem } = entry
  if (problem !== undefined && /annotation/i.test(problem)) return { ...entry, problem: redacted }
  if (event.type !== 'refused') return entry
  const isQuoted = event.status === 400 && targetOf(event.method, event.path) === 'annotation'
  const message = isQuoted ? redacted : event.message
  return { ...entry, event: { ...event, path: cutTarget(event.path), message } }
}

function redactExchange({ request, response }: Exchange, isSecret: IsSecret): Exchange {
  const { method, target, body } = request
  const isOther = targetOf(method, target) === 'other'
  const clean = isOther ? redactBody(body, isSecret) : redactAnnotation(body, isSecret)
  const answer = clean === redacted && response?.status === 400 ? redacted : redactBody(response?.body ?? '', isSecret)
  return {
    request: { ...request, target: cutTarget(target), body: clean },
    ...(response && { response: { ...response, body: answer } }),
  }
}

/** Whether a request sets an annotation, is another call, or is unknown: a wrong path or method may mean either. */
function targetOf(method: string, target: string): 'annotation' | 'other' | 'unknown' {
  const path = decodePath(target.replace(/\?.*$/s, ''))
  const route = path === undefined ? undefined : findRoute(method, path)
  if (route?.type === 'call') return route.operation === 'setAnnotation' ? 'annotation' : 'other'
  return route?.type === 'watch' || route?.type === 'player-tracking' ? 'other' : 'unknown'
}

const cutTarget = (target: string): string => target.replace(/(annotations?).+$/is, `$1${redacted}`)

/** Redacts the body of an annotation call, entirely if it can't be read. */
function redactAnnotation(body: string, isSecret: IsSecret): string {
  if (body === '') return body
  try {
    const { fields, unknown } = readMessage(body, { key: 'text', value: 'text' })
    if (unknown !== undefined) return redacted
    const key = String(fields.get('key') ?? '')
    if (isSecret(key)) return JSON.stringify({ key, value: redacted })
    JSON.parse(body)
    return body
  } catch {
    return redacted
  }
}

/** Redacts a body, entirely if it can't be read, such as a cut one, and may hold an annotation. */
function redactBody(body: string, isSecret: IsSecret): string {
  try {
    const value = JSON.parse(body) as unknown
    const text = JSON.stringify(walk(value, isSecret))
    return text === JSON.stringify(value) ? body : text
  } catch {
    return /annotation/i.test(body) ? redacted : body
  }
}
