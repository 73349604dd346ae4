import type { JSX } from 'preact'
import type { SidecarSnapshot } from '../../sidecar/index.js'
import { clockTime, countedTime } from '../common/format.js'
import { stateLook } from '../common/look.js'
import type { Store } from '../store/store.js'
import { askFirst, ends } from '../ui/actions.js'
import type { Ui } from '../ui/ui.js'
import { sends } from './fields.js'
import { Panel } from './panel.js'

const path = ['Scheduled', 'RequestReady', 'Ready', 'Reserved', 'Allocated', 'Shutdown', 'Unhealthy']

export function Lifecycle({ store, ui }: { store: Store; ui: Ui }): JSX.Element | null {
  const snapshot = store.snapshot.value
  if (!snapshot) return null
  const { state } = snapshot.gameServer.status
  const states = path.includes(state) || state === '' ? path : [state, ...path]
  const go = (wanted: string): void => {
    const end = ends.find(({ label }) => label === wanted)
    if (end !== undefined && wanted !== state) askFirst(store, ui, end)
    else void store.control({ type: 'setState', state: wanted })
  }
  const tools = (
    <span class="row wrap part-tools">
      {ends
        .filter(({ label }) => !path.includes(label))
        .map((end) => (
          <button key={end.id} class="button" title={end.what} onClick={() => askFirst(store, ui, end)}>
            {end.label}
          </button>
        ))}
    </span>
  )
  return (
    <Panel name="Lifecycle" aside={tools}>
      <ol class="row wrap life-path">
        {states.map((name) => (
          <li key={name}>
            <button
              class="button life-state"
              data-tone={stateLook(name).tone}
              aria-current={name === state ? 'step' : undefined}
              onClick={() => go(name)}
            >
              {name === state && <span aria-hidden="true">{stateLook(name).shape}</span>}
              {name}
            </button>
          </li>
        ))}
      </ol>
      <Outlook store={store} snapshot={snapshot} />
    </Panel>
  )
}

function Outlook({ store, snapshot }: { store: Store; snapshot: SidecarSnapshot }): JSX.Element | null {
  const text = outlookOf(snapshot, () => store.now.value)
  return text === undefined ? null : <p class="life-next">{text}</p>
}

/** Says what happens to the GameServer next, by itself. */
export function outlookOf(snapshot: SidecarSnapshot, now: () => number): string | undefined {
  const { gameServer, gone, pending, reservedUntil, replacesAt } = snapshot
  if (replacesAt !== undefined) return `Replaced in ${countedTime(replacesAt - now())}`
  if (gone) return 'Gone from the cluster'
  if ((gameServer.object_meta.deletion_timestamp ?? '0') !== '0') return 'Is being deleted'
  if (reservedUntil !== undefined) return `Ready again in ${countedTime(reservedUntil - now())}`
  const [write] = pending
  return write && `${write.write} is written in ${countedTime(write.due - now())}`
}

const speeds = [
  [0, 'Paused'],
  [1, '×1'],
  [10, '×10'],
] as const

export function Clock({ store }: { store: Store }): JSX.Element | null {
  const snapshot = store.snapshot.value
  if (!snapshot) return null
  const { speed } = snapshot.clock
  return (
    <Panel name="Clock" aside={<span class="muted mono">{clockTime(store.now.value)}</span>}>
      <div class="row wrap">
        {speeds.map(([value, text]) => (
          <button
            key={value}
            class="button"
            aria-pressed={speed === value}
            onClick={sends(store, { type: 'setClock', speed: value })}
          >
            {text}
          </button>
        ))}
        {[10, 30].map((seconds) => (
          <button key={seconds} class="button" onClick={sends(store, { type: 'advanceClock', ms: seconds * 1000 })}>
            {`+${seconds} s`} {seconds === 10 && <kbd>t</kbd>}
          </button>
        ))}
      </div>
    </Panel>
  )
}
