import type { JSX } from 'preact'
import type { SidecarSnapshot } from '../../platform/sidecar.js'
import { clockTime, countedTime } from '../common/format.js'
import { stateLook, toneStyle } from '../common/look.js'
import { send } from '../store/api.js'
import { state } from '../store/state.js'
import { endings } from '../sidecar/actions.js'
import { perform } from '../ui/actions.js'
import { Panel } from './panel.js'

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
