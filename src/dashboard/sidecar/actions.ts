import { clockTime, describeChange, type ControlCommand, type LogEntry } from '../../platform/sidecar.js'
import { escapeJson } from '../../protocol/plain-text.js'
import { plural } from '../common/look.js'
import { announce, api, messageOf, send } from '../store/api.js'
import { state, type Action } from '../store/state.js'
import { shown } from '../timeline/model.js'
import { actionsOf, allocateActions, copy, copyAsCurl, onRow, pageActions, rowActions } from '../ui/actions.js'
import { describe, readFilter, statusOf } from './describe.js'
import { failNext } from './faults.js'

const server = actionsOf('game server')
const faults = actionsOf('faults')
const row = actionsOf('row')

/** An action that ends a game server or cuts its connections, and asks first. */
const ending = (label: string, key: string | undefined, command: ControlCommand, what: string): Action =>
  server(label.toLowerCase(), label, key, send(label, command), what)

export const endings: readonly Action[] = [
  ending(
    'Shutdown',
    's',
    { type: 'setState', state: 'Shutdown' },
    'Sets the state Shutdown, as the game’s own shutdown() does. That ends the game server.',
  ),
  ending(
    'Unhealthy',
    'u',
    { type: 'makeUnhealthy' },
    'Makes it Unhealthy, as missed beats do. That ends the game server.',
  ),
  ending(
    'Terminate',
    'x',
    { type: 'terminate' },
    'Deletes the GameServer, as an eviction does: a game under the sidecar gets SIGTERM, and 30 s later it is gone.',
  ),
  ending(
    'Fresh',
    'f',
    { type: 'restart', fresh: true },
    'Puts a new GameServer in the place of this one at once, as a Fleet does after an end.',
  ),
  ending(
    'Restart',
    undefined,
    { type: 'restart' },
    'Restarts the sidecar alone: every connection is cut, and the GameServer stays.',
  ),
]

export const actions: readonly Action[] = [
  ...allocateActions('game server'),
  server('ready', 'Ready', 'r', send('Ready', { type: 'setState', state: 'Ready' })),
  server('reserve', 'Reserve 30 s', undefined, reserve),
  ...endings,
  faults('drop', 'Drop watchers', 'w', send('Watchers are dropped', { type: 'dropWatchers' })),
  faults('fail', 'Fail the next 5 calls with 503', '5', send('The next 5 calls fail with 503; 0 ends it', failNext)),
  faults('clear', 'Clear faults', '0', send('No faults', { type: 'clearFaults' })),
  faults('skip', 'Skip 10 s of the clock', 't', send('10 s later', { type: 'advanceClock', ms: 10_000 })),
  ...rowActions,
  row('curl', 'Copy as curl', 'c', onRow(copyCurl)),
  row('replay', 'Replay the call', 'R', onRow(replay)),
  actionsOf('page')('copy', 'Copy the timeline as text', 'e', copyTimeline),
  ...pageActions,
]

/** Reserves through the game's interface, since control commands have no duration. */
async function reserve(): Promise<void> {
  const { status } = await api.request('POST', '/reserve', { seconds: '30' })
  announce(status === 200 ? 'Reserved for 30 s' : 'The sidecar refused to reserve')
}

const NOTHING = 'There is no request in this row'

export function copyCurl(entry: LogEntry): void {
  const { request } = describe(entry)
  if (request === undefined) announce(NOTHING)
  else copyAsCurl(request)
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
  const entries = (shown() as readonly LogEntry[]).filter(readFilter(state.filter))
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
  return escapeJson(parts.filter((part) => part !== undefined && part !== '').join('  '))
}
