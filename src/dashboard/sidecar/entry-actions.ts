import { describeChange, type LogEntry } from '../../platform/sidecar.js'
import { clockTime, plural } from '../common/format.js'
import { announce, api, messageOf } from '../store/api.js'
import { state } from '../store/state.js'
import { copy, copyAsCurl, safeJson, safeText } from '../ui/copy.js'
import { describe, readFilter, statusOf } from './describe.js'

const NOTHING = 'There is no request in this row'

export function copyCurl(entry: LogEntry): void {
  const { request } = describe(entry)
  if (request === undefined) announce(NOTHING)
  else copyAsCurl(request)
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

/** Copies the entries that pass the filter, oldest first, a line each. */
export function copyTimeline(): void {
  const entries = ((state.frozen ?? state.entries) as readonly LogEntry[]).filter(readFilter(state.filter))
  copy(entries.map(lineOf).join('\n'), `Copied ${plural(entries.length, 'line')}`)
}

function lineOf(entry: LogEntry): string {
  const { kind, name, details } = describe(entry)
  const { at, ms, reply, changes, warnings, client } = entry
  const parts = [
    ...[clockTime(at), kind.padEnd(7), name, details, statusOf(entry), reply?.message],
    ...[ms === undefined ? '' : `${Math.round(ms)} ms`, client],
    ...changes.map((change) => describeChange(change)),
    ...warnings.map(({ message }) => `! ${message}`),
  ]
  return safeText(parts.filter((part) => part !== undefined && part !== '').join('  '))
}
