import type { ControlCommand } from '../../platform/sidecar.js'
import { announce, api, sendAndTell } from '../store/api.js'
import { state } from '../store/state.js'
import { copyClientCode, copyCurl, copyTimeline, replay } from './entry-actions.js'
import { allocateActions, asking, onRow, pageActions, rowActions } from './page-actions.js'
import { actionsOf, type Action } from './page.js'

const send = (text: string, command: ControlCommand) => () => sendAndTell(text, command)
const server = actionsOf('game server')
const faults = actionsOf('faults')
const row = actionsOf('row')
const page = actionsOf('page')

/** The actions that end a game server or cut its connections. */
export const ends: readonly Action[] = [
  asking(
    server('shutdown', 'Shutdown…', 's'),
    'Sets the state Shutdown, as the game’s own shutdown() does. That ends the game server.',
    { type: 'setState', state: 'Shutdown' },
  ),
  asking(server('unhealthy', 'Unhealthy…', 'u'), 'Makes it Unhealthy, as missed beats do. That ends the game server.', {
    type: 'makeUnhealthy',
  }),
  asking(
    server('terminate', 'Terminate…', 'x'),
    'Deletes the GameServer, as an eviction does: a game under the sidecar gets SIGTERM, and 30 s later it is gone.',
    { type: 'terminate' },
  ),
  asking(
    server('fresh', 'Fresh…', 'f'),
    'Puts a new GameServer in the place of this one at once, as a Fleet does after an end.',
    { type: 'restart', fresh: true },
  ),
  asking(
    server('restart', 'Restart…'),
    'Restarts the sidecar alone: every connection is cut, and the GameServer stays.',
    { type: 'restart' },
  ),
]

export const actions: readonly Action[] = [
  ...allocateActions('game server'),
  server('allocate-now', 'Allocate at once', undefined, send('Allocated', { type: 'allocate' })),
  server('ready', 'Ready', 'r', send('Ready', { type: 'setState', state: 'Ready' })),
  server('reserve', 'Reserve 30 s', undefined, reserve),
  ...ends,
  faults('drop', 'Drop watchers', 'w', send('Watchers are dropped', { type: 'dropWatchers' })),
  faults(
    'fail',
    'Fail half of the calls with 503',
    '5',
    send('Half of the calls fail with 503; 0 ends it', { type: 'failCalls', status: 503, share: 0.5 }),
  ),
  faults('delay', 'Delay calls by 500 ms', undefined, send('Calls are delayed', { type: 'delayCalls', ms: 500 })),
  faults('clear', 'Clear faults', '0', send('No faults', { type: 'clearFaults' })),
  faults('skip', 'Skip 10 s of the clock', 't', send('10 s later', { type: 'advanceClock', ms: 10_000 })),
  ...rowActions,
  row('curl', 'Copy as curl', 'c', onRow(copyCurl)),
  row('code', 'Copy as client code', 'J', onRow(copyClientCode)),
  row('replay', 'Replay the call', 'R', onRow(replay)),
  page('copy', 'Copy the timeline as text', 'e', copyTimeline),
  ...pageActions,
]

/** Reserves through the game's interface, since control commands have no duration. */
async function reserve(): Promise<void> {
  const { status } = await api.request('POST', '/reserve', { seconds: '30' })
  announce(status === 200 ? 'Reserved for 30 s' : 'The sidecar refused to reserve')
}

/** A longer list offers its first values only. */
const MOST_VALUES = 100

/** Actions of the panels, for the present state. */
export function panelActions(): readonly Action[] {
  const { snapshot, presets } = state
  if (!snapshot) return []
  const actions: Action[] = []
  const by =
    (group: string) =>
    (label: string, ...commands: readonly ControlCommand[]): void => {
      const id = `panel-${actions.length}`
      actions.push({ id, label, group, run: () => void sendAndTell(label, ...commands) })
    }
  const server = by('game server')
  const faults = by('faults')
  const { counters, lists } = snapshot.gameServer.status
  for (const [name, { count, capacity }] of Object.entries(counters ?? {})) {
    server(`${name} to capacity, ${capacity}`, { type: 'setCounter', name, count: capacity })
    server(`${name} to 0`, { type: 'setCounter', name, count: '0' })
    server(`${name} +1`, { type: 'setCounter', name, count: String(BigInt(count) + 1n) })
  }
  for (const [name, list] of Object.entries(lists ?? {})) {
    const values = list.values ?? []
    for (const value of values.slice(0, MOST_VALUES)) {
      const rest = values.filter((other) => other !== value)
      server(`Remove ${value} from ${name}`, { type: 'setList', name, values: rest })
    }
  }
  for (const { id, transport } of snapshot.watchers) {
    faults(`Drop watcher #${id}, ${transport}`, { type: 'dropWatchers', ids: [id] })
  }
  const { ignoreBeats } = snapshot.health
  faults(ignoreBeats ? 'Count beats again' : 'Ignore beats', { type: 'ignoreBeats', on: !ignoreBeats })
  if (snapshot.faults.watchersStalled === false) faults('Stall watchers', { type: 'stallWatchers' })
  else faults('Release watchers', { type: 'releaseWatchers' })
  for (const { name, commands } of presets) faults(`Preset: ${name}`, ...commands)
  for (const speed of [0, 1, 10])
    faults(speed === 0 ? 'Pause the clock' : `Clock ×${speed}`, { type: 'setClock', speed })
  return actions
}
