import type { ControlCommand } from '../../platform/sidecar.js'
import { announce, api, send } from '../store/api.js'
import type { Action } from '../store/state.js'
import { actionsOf, allocateActions, onRow, pageActions, rowActions } from '../ui/actions.js'
import { copyClientCode, copyCurl, copyTimeline, replay } from './entry-actions.js'

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

const halfFails: ControlCommand = { type: 'failCalls', status: 503, share: 0.5 }

export const actions: readonly Action[] = [
  ...allocateActions('game server'),
  server('allocate-now', 'Allocate at once', undefined, send('Allocated', { type: 'allocate' })),
  server('ready', 'Ready', 'r', send('Ready', { type: 'setState', state: 'Ready' })),
  server('reserve', 'Reserve 30 s', undefined, reserve),
  ...endings,
  faults('drop', 'Drop watchers', 'w', send('Watchers are dropped', { type: 'dropWatchers' })),
  faults('fail', 'Fail half of the calls with 503', '5', send('Half of the calls fail with 503; 0 ends it', halfFails)),
  faults('delay', 'Delay calls by 500 ms', undefined, send('Calls are delayed', { type: 'delayCalls', ms: 500 })),
  faults('clear', 'Clear faults', '0', send('No faults', { type: 'clearFaults' })),
  faults('skip', 'Skip 10 s of the clock', 't', send('10 s later', { type: 'advanceClock', ms: 10_000 })),
  ...rowActions,
  row('curl', 'Copy as curl', 'c', onRow(copyCurl)),
  row('code', 'Copy as client code', 'J', onRow(copyClientCode)),
  row('replay', 'Replay the call', 'R', onRow(replay)),
  actionsOf('page')('copy', 'Copy the timeline as text', 'e', copyTimeline),
  ...pageActions,
]

/** Reserves through the game's interface, since control commands have no duration. */
async function reserve(): Promise<void> {
  const { status } = await api.request('POST', '/reserve', { seconds: '30' })
  announce(status === 200 ? 'Reserved for 30 s' : 'The sidecar refused to reserve')
}
