import type { JSX } from 'preact'
import { clockTime, type SidecarSnapshot } from '../../platform/sidecar.js'
import { countedTime, stateLook, toneStyle } from '../common/look.js'
import { send } from '../store/api.js'
import { part, state } from '../store/state.js'
import { copy, perform } from '../ui/actions.js'
import { Panel } from '../ui/panel.js'
import { endings } from './actions.js'

const path = ['Scheduled', 'RequestReady', 'Ready', 'Reserved', 'Allocated', 'Shutdown', 'Unhealthy']

export function Lifecycle({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  const present = snapshot.gameServer.status.state
  const outlook = outlookOf(snapshot, state.now)
  const states = path.includes(present) || present === '' ? path : [present, ...path]
  const go = (wanted: string): unknown => {
    const ending = endings.find(({ label }) => label === wanted)
    return ending && wanted !== present ? perform(ending) : send('', { type: 'setState', state: wanted })()
  }
  const tools = endings
    .filter(({ label }) => !path.includes(label))
    .map((ending) => (
      <button key={ending.id} title={ending.what} onClick={() => perform(ending)}>
        {ending.label}
      </button>
    ))
  return (
    <Panel name="Lifecycle" aside={tools}>
      <ol class="row wrap life-path">
        {states.map((name) => (
          <li key={name}>
            <button
              style={toneStyle(stateLook(name).tone)}
              aria-current={name === present ? 'step' : undefined}
              onClick={() => go(name)}
            >
              {name === present && (
                <span class="tone" aria-hidden="true">
                  {stateLook(name).shape}
                </span>
              )}
              {name}
            </button>
          </li>
        ))}
      </ol>
      {outlook && <p class="orange">{outlook}</p>}
    </Panel>
  )
}

/** The next change of the GameServer that comes by itself. */
export function outlookOf(snapshot: SidecarSnapshot, now: number): string | undefined {
  const { gameServer, gone, pending, reservedUntil, replacesAt } = snapshot
  if (replacesAt !== undefined) return `Replaced in ${countedTime(replacesAt - now)}`
  if (gone) return 'Gone from the cluster'
  if ((gameServer.object_meta.deletion_timestamp ?? '0') !== '0') return 'Is being deleted'
  if (reservedUntil !== undefined) return `Ready again in ${countedTime(reservedUntil - now)}`
  const [write] = pending
  return write && `${write.write} is written in ${countedTime(write.due - now)}`
}

export const Clock = ({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element => (
  <Panel name="Clock" aside={<span class="muted mono">{clockTime(state.now)}</span>}>
    <div class="row wrap">
      {[0, 1, 10].map((speed) => (
        <button
          key={speed}
          aria-pressed={snapshot.clock.speed === speed}
          onClick={send('', { type: 'setClock', speed })}
        >
          {speed === 0 ? 'Paused' : `×${speed}`}
        </button>
      ))}
      {[10, 30].map((seconds) => (
        <button key={seconds} onClick={send('', { type: 'advanceClock', ms: seconds * 1000 })}>
          {`+${seconds} s`}
        </button>
      ))}
    </div>
  </Panel>
)

/** Limits for what the panel shows of a value, which may have megabytes. */
const MOST_ITEMS = 200
const MOST_CHARACTERS = 300

function shorten(_key: string, value: unknown): unknown {
  if (typeof value === 'string' && value.length > MOST_CHARACTERS) return `${value.slice(0, MOST_CHARACTERS)}…`
  if (!Array.isArray(value) || value.length <= MOST_ITEMS) return value
  return [...(value as readonly unknown[]).slice(0, MOST_ITEMS), `… ${value.length - MOST_ITEMS} more`]
}

/** The GameServer as the sidecar answers it. */
export const GameServer = part(['snapshot'], () => {
  if (!state.snapshot) return null
  const { gameServer } = state.snapshot
  const copyAll = (): void => copy(JSON.stringify(gameServer, null, 2), 'The GameServer is copied')
  return (
    <Panel
      name="GameServer"
      pane="json"
      aside={
        <button aria-label="Copy the GameServer" onClick={copyAll}>
          Copy
        </button>
      }
    >
      <pre>{JSON.stringify(gameServer, shorten, 2)}</pre>
    </Panel>
  )
})
