import type { LogEntry } from '../../sidecar/index.js'
import { copyText } from '../common/browser.js'
import { CONTROL, announce, api, messageOf } from '../store/api.js'
import { state } from '../store/state.js'
import { describe, type SentRequest } from '../timeline/describe.js'

const NOTHING = 'There is no request in this row'

/** Control characters, and characters that are invisible or change the order of text. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** JSON with those characters escaped. */
const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Quotes text as one word of a POSIX shell, without control characters. */
const quote = (text: string): string =>
  `'${text.replace(UNSAFE, encodeURIComponent).replaceAll("'", String.raw`'\''`)}'`

/** The command that sends a request again. */
function curlOf({ method, path, body }: SentRequest, origin: string): string {
  // Without --globoff, brackets in a URL are patterns; --data-raw takes a leading @ as it is.
  const parts = ['curl -sS --globoff -X', quote(method)]
  if (path.startsWith(CONTROL)) parts.push('-H', quote('X-Sidecar-Control: 1'))
  if (body !== undefined) {
    parts.push('-H', quote('Content-Type: application/json'), '--data-raw', quote(safeJson(body)))
  }
  return [...parts, quote(origin + path)].join(' ')
}

export function copyCurl(entry: LogEntry): void {
  const { request } = describe(entry)
  if (request === undefined) announce(NOTHING)
  else copy(curlOf(request, api.origin()), 'Copied as curl')
}

/** Copies the call as a line of JavaScript for the client. */
export function copyClientCode(entry: LogEntry): void {
  const { name, args } = describe(entry)
  if (args === undefined) announce('No call of the game is in this row')
  else copy(`await client.${name}(${args.map(safeJson).join(', ')})`, 'Copied as client code')
}

/** Copies text, and announces success or the error. */
export function copy(text: string, told: string): void {
  copyText(text).then(
    () => announce(told),
    (error: unknown) => announce(`Could not copy: ${String(error)}`),
  )
}

/** Sends a row's request again. */
export async function replay(entry: LogEntry): Promise<void> {
  const { request } = describe(entry)
  if (request === undefined) return announce(NOTHING)
  // A watch would never end.
  if (request.path.startsWith('/watch')) return announce('A watch is not a call to replay')
  const answer = await api.request(request.method, request.path, request.body)
  if (answer.status === 0) announce('Replayed, and the connection was cut')
  else announce(`Replayed: ${answer.status}${answer.status < 400 ? '' : `, ${messageOf(answer)}`}`)
}

/** Downloads the session: as a recording for `replay`, or as a page that opens from disk. */
export async function exportSession(format: 'ndjson' | 'html'): Promise<void> {
  const query = format === 'html' ? '?format=html' : ''
  const answer = await api.request('GET', `${CONTROL}/export${query}`)
  if (answer.status !== 200) return announce(messageOf(answer))
  const url = URL.createObjectURL(
    new Blob([answer.text], { type: format === 'html' ? 'text/html' : 'application/x-ndjson' }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = `${state.snapshot?.gameServer.object_meta.name ?? 'session'}.${format}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
  announce(`Exported as ${link.download}`)
}
