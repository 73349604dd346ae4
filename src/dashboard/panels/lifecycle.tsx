import type { JSX } from 'preact'
import type { SidecarSnapshot } from '../../sidecar/index.js'
import { stateLook } from '../common/state-look.js'
import type { Store } from '../store/store.js'
import type { Ui } from '../ui/ui.js'
import { countedTime } from './times.js'
import { Panel } from './panel.js'

const path = ['Scheduled', 'RequestReady', 'Ready', 'Reserved', 'Allocated', 'Shutdown', 'Unhealthy']

export function Lifecycle({ store, ui }: { store: Store; ui: Ui }): JSX.Element | null {
  const snapshot = store.snapshot.value
  if (!snapshot) return null
  const { state } = snapshot.gameServer.status
  const states = path.includes(state) || state === '' ? path : [state, ...path]
  const go = (wanted: string): void => {
    const run = (): void => void store.control({ type: 'setState', state: wanted })
    if (wanted !== 'Shutdown') return run()
    ui.confirmation.value = { question: 'Shut the game server down?', action: 'Shutdown', run }
  }
  return (
    <Panel name="Lifecycle" aside={<Outlook store={store} snapshot={snapshot} />}>
      <ol class="life-path">
        {states.map((name) => (
          <li key={name}>
            <button
              class="button life-state"
              data-tone={stateLook(name).tone}
              aria-current={name === state ? 'step' : undefined}
              onClick={() => go(name)}
            >
              <span aria-hidden="true">{stateLook(name).shape}</span>
              {name}
            </button>
          </li>
        ))}
      </ol>
      <div class="part-row">
        <button
          class="button"
          title="A new GameServer at the same address, as a Fleet starts one"
          onClick={() => void store.control({ type: 'restart', fresh: true })}
        >
          Fresh
        </button>
        <button
          class="button"
          title="A deletion timestamp now, gone after 30 s; never Shutdown"
          onClick={() => void store.control({ type: 'delete' })}
        >
          Delete
        </button>
        <button
          class="button"
          title="A deletion, and SIGTERM to a game that runs under the sidecar"
          onClick={() => void store.control({ type: 'terminate' })}
        >
          Terminate
        </button>
      </div>
    </Panel>
  )
}

/** What happens next by itself. */
function Outlook({ store, snapshot }: { store: Store; snapshot: SidecarSnapshot }): JSX.Element | null {
  const text = outlookOf(snapshot, () => store.now.value)
  return text === undefined ? null : <span class="life-next">{text}</span>
}

function outlookOf(snapshot: SidecarSnapshot, now: () => number): string | undefined {
  const { gameServer, gone, pending, reservedUntil } = snapshot
  const { replacesAt } = snapshot as { replacesAt?: number }
  if (replacesAt !== undefined) return `replaced in ${countedTime(replacesAt - now())}`
  if (gone) return 'gone'
  if ((gameServer.object_meta.deletion_timestamp ?? '0') !== '0') return 'is being deleted'
  if (reservedUntil !== undefined) return `Ready again in ${countedTime(reservedUntil - now())}`
  const [write] = pending
  return write && `${write.write} is written in ${countedTime(write.due - now())}`
}
