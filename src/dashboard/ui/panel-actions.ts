import type { ControlCommand } from '../../sidecar/index.js'
import { sendAndTell } from '../store/commands.js'
import { state } from '../store/state.js'
import type { Action } from './page.js'

/** A longer list offers its first values only. */
const MOST_VALUES = 100

/** Actions of the panels, for the present state. */
export function panelActions(): readonly Action[] {
  const { snapshot, presets, isRecorded } = state
  if (!snapshot || isRecorded) return []
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
