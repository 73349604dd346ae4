import { copyText } from '../common/browser.js'
import { CONTROL, announce, api } from '../store/api.js'

/** A request that can be sent again. The body is sent as JSON; undefined stands for none. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** Control characters, and characters that are invisible or change the order of text. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Text with those characters escaped, as in JSON. */
export const safeText = (text: string): string =>
  text.replace(UNSAFE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const safeJson = (value: unknown): string => safeText(JSON.stringify(value))

/** Quotes text as one word of a POSIX shell, without control characters. */
const quote = (text: string): string =>
  `'${text.replace(UNSAFE, encodeURIComponent).replaceAll("'", String.raw`'\''`)}'`

/** Copies the command that sends a request again. */
export function copyAsCurl({ method, path, body }: SentRequest): void {
  // Without --globoff, brackets in a URL are patterns; --data-raw takes a leading @ as it is.
  const parts = ['curl -sS --globoff -X', quote(method)]
  if (path.startsWith(CONTROL)) parts.push('-H', quote('X-Sidecar-Control: 1'))
  if (body !== undefined) {
    parts.push('-H', quote('Content-Type: application/json'), '--data-raw', quote(safeJson(body)))
  }
  copy([...parts, quote(api.origin() + path)].join(' '), 'Copied as curl')
}

/** Copies text, and announces success or the error. */
export function copy(text: string, told: string): void {
  copyText(text).then(
    () => announce(told),
    (error: unknown) => announce(`Could not copy: ${String(error)}`),
  )
}
