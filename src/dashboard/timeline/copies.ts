import type { Call, LogEntry } from '../../sidecar/index.js'
import { bodyOf } from './request-of.js'
import type { SentRequest } from './request-of.js'

/** Characters that a terminal would act on, or that are shown as something else. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** JSON in which such characters are escaped. */
const safeJson = (value: unknown): string => JSON.stringify(value).replace(UNSAFE, escapeOf)

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Text as one word of a POSIX shell. It is data for the shell whatever it holds, and has no control characters. */
const quote = (text: string): string =>
  `'${text.replace(UNSAFE, (character) => encodeURIComponent(character)).replaceAll("'", String.raw`'\''`)}'`

/** The command that sends a request again. */
export function curlOf({ method, path, body }: SentRequest, origin: string): string {
  // Without --globoff, brackets in a URL are patterns; --data-raw takes a leading @ as it is.
  const parts = ['curl', '-sS', '--globoff', '-X', quote(method)]
  if (path.startsWith('/_/api')) parts.push('-H', quote('X-Sidecar-Control: 1'))
  if (body !== undefined) {
    parts.push('-H', quote('Content-Type: application/json'), '--data-raw', quote(safeJson(body)))
  }
  return [...parts, quote(origin + path)].join(' ')
}

/** The line of JavaScript that does the same with the client; undefined for what no client does. */
export function clientCodeOf({ event }: LogEntry): string | undefined {
  if (event.type !== 'call') return undefined
  return `await client.${event.call.operation}(${clientArguments(event.call).map(safeJson).join(', ')})`
}

function clientArguments(call: Call): unknown[] {
  switch (call.operation) {
    case 'reserve':
      return [Number(call.seconds)]
    case 'setLabel':
    case 'setAnnotation':
    case 'addListValue':
    case 'removeListValue':
      return [call.key, call.value]
    case 'getCounter':
    case 'getList':
      return [call.key]
    case 'updateCounter':
    case 'updateList':
      return [call.key, bodyOf(call)]
    default:
      return []
  }
}
