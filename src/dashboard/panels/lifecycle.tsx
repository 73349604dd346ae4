import type { JSX } from 'preact'
import type { SidecarSnapshot } from '../../sidecar/index.js'
import { stateLook } from '../common/state-look.js'
import type { Store } from '../store/store.js'
import { askFirst, ends, endStates } from '../ui/ends.js'
import type { Ui } from '../ui/ui.js'
import { outlookOf } from './outlook.js'
import { Panel } from './panel.js'
import { sends } from './send-all.js'

const path = ['Scheduled', 'RequestReady', 'Ready', 'Reserved', 'Allocated', 'Shutdown', 'Unhealthy']

export function Lifecycle({ store, ui }: { store: Store; ui: Ui }): JSX.Element | null {
  const snapshot = store.snapshot.value
  if (!snapshot) return null
  const { state } = snapshot.gameServer.status
  const states = path.includes(state) || state === '' ? path : [state, ...path]
  const go = (wanted: string): void => {
    const run = (): void => void store.control({ type: 'setState', state: wanted })
    const what = endStates[wanted]
    if (what === undefined || wanted === state) return run()
    askFirst(ui, { label: wanted, what }, run)
  }
  const tools = (
    <span class="part-tools">
      {ends.map((end) => (
        <button
          key={end.id}
          class="button"
          title={end.what}
          onClick={() => askFirst(ui, end, sends(store, end.command))}
        >
          {end.label}
        </button>
      ))}
    </span>
  )
  return (
    <Panel name="Lifecycle" aside={tools}>
      <ol class="life-path">
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
