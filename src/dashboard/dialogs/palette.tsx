import type { JSX } from 'preact'
import type { ControlCommand } from '../../sidecar/index.js'
import { arrowStep } from '../common/browser.js'
import { sendAndTell } from '../store/api.js'
import { set, state } from '../store/state.js'
import { actions, keyName, type Action } from '../ui/actions.js'
import { Modal } from './modal.js'

const typed = { text: '', at: 0 }

/** Finds actions by parts of their words. */
export function Palette({ onClose }: { onClose(): void }): JSX.Element {
  const { text, at } = typed
  const change = (value: Partial<typeof typed>): void => {
    Object.assign(typed, value)
    set({})
  }
  const close = (): void => {
    Object.assign(typed, { text: '', at: 0 })
    onClose()
  }
  const words = text.toLowerCase().split(/\s+/)
  const found = [...actions(), ...panelActions()].filter(({ label, group }) =>
    words.every((word) => `${label} ${group}`.toLowerCase().includes(word)),
  )
  const run = (index: number): void => {
    const action = found[index]
    if (action === undefined) return
    close()
    // The closing dialog restores the focus first.
    setTimeout(() => action.run())
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = arrowStep(event)
    if (by !== 0 && found.length > 0) {
      const next = (at + by + found.length) % found.length
      change({ at: next })
      document.querySelector(`#palette-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(at)
    }
  }
  return (
    <Modal title="All actions" class="palette" bare onClose={close}>
      <input
        class="field palette-field"
        role="combobox"
        aria-label="Action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
        placeholder="What do you want to do?"
        autofocus
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => change({ text: event.currentTarget.value, at: 0 })}
        onKeyDown={onKeyDown}
      />
      <ul class="palette-list" id="palette-list" role="listbox" aria-label="Actions">
        {found.map(({ id, label, key, group }, i) => (
          <li
            key={id}
            id={`palette-${i}`}
            class="row palette-item"
            role="option"
            aria-selected={i === at}
            onClick={() => run(i)}
          >
            <span>{label}</span>
            <span class="muted last">{group}</span>
            {key && <kbd>{keyName(key)}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">There is no such action.</p>}
    </Modal>
  )
}

/** A longer list offers its first values only. */
const MOST_VALUES = 100

/** Actions of the panels, for the present state. */
function panelActions(): readonly Action[] {
  const { snapshot, presets, isRecorded } = state
  if (!snapshot || isRecorded) return []
  const actions: Action[] = []
  const by =
    (group: Action['group']) =>
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
