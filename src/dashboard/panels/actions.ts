import type { ControlCommand } from '../../sidecar/index.js'
import type { Store } from '../store/store.js'
import { presets } from './presets.js'
import { sendAll } from './send-all.js'

/** Something that a panel's button does, for those who rather type its words. */
export interface PanelAction {
  readonly id: string
  readonly label: string
  readonly group: 'game server' | 'faults'
  run(): void
}

/** A list of thousands is for its panel. */
const MOST_VALUES = 100

/** What the panels can do at this moment. */
export function panelActions(store: Store): readonly PanelAction[] {
  const snapshot = store.snapshot.value
  if (!snapshot) return []
  const actions: PanelAction[] = []
  const add = (group: PanelAction['group'], label: string, ...commands: ControlCommand[]): void => {
    const run = async (): Promise<void> => {
      if (await sendAll(store, commands)) store.announce(label)
    }
    actions.push({ id: `panel-${actions.length}`, label, group, run: () => void run() })
  }
  const { counters, lists } = snapshot.gameServer.status
  for (const [name, { count, capacity }] of Object.entries(counters ?? {})) {
    add('game server', `${name} to capacity, ${capacity}`, { type: 'setCounter', name, count: capacity })
    add('game server', `${name} to 0`, { type: 'setCounter', name, count: '0' })
    add('game server', `${name} +1`, { type: 'setCounter', name, count: String(BigInt(count) + 1n) })
  }
  for (const [name, list] of Object.entries(lists ?? {})) {
    const values = list.values ?? []
    for (const value of values.slice(0, MOST_VALUES)) {
      const rest = values.filter((other) => other !== value)
      add('game server', `Remove ${value} from ${name}`, { type: 'setList', name, values: rest })
    }
  }
  for (const { id, transport } of snapshot.watchers) {
    add('faults', `Drop watcher #${id}, ${transport}`, { type: 'dropWatchers', ids: [id] })
  }
  const isIgnoring = snapshot.health.ignoreBeats
  add('faults', isIgnoring ? 'Count beats again' : 'Ignore beats', { type: 'ignoreBeats', on: !isIgnoring })
  const isStalled = snapshot.faults.watchersStalled !== false
  add('faults', isStalled ? 'Release watchers' : 'Stall watchers', {
    type: isStalled ? 'releaseWatchers' : 'stallWatchers',
  })
  for (const preset of presets.value) add('faults', `Preset: ${preset.name}`, ...preset.commands)
  add('faults', 'Pause the clock', { type: 'setClock', speed: 0 })
  add('faults', 'Clock ×1', { type: 'setClock', speed: 1 })
  add('faults', 'Clock ×10', { type: 'setClock', speed: 10 })
  return actions
}
