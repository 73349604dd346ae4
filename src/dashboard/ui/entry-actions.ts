import type { LogEntry } from '../../platform/sidecar.js'
import { CONTROL, announce, api, messageOf } from '../store/api.js'
import { state } from '../store/state.js'
import { describe } from '../timeline/describe.js'
import { copy, curlOf, safeJson } from './copy.js'

const NOTHING = 'There is no request in this row'

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
