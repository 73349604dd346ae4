import type { JSX } from 'preact'
import type { SidecarSnapshot } from '../../platform/sidecar.js'
import { clockTime, countedTime } from '../common/format.js'
import { stateLook, toneStyle } from '../common/look.js'
import { control, sends } from '../store/api.js'
import { state } from '../store/state.js'
import { ends } from '../ui/actions.js'
import { nameOf } from '../ui/page-actions.js'
import { Panel } from './panel.js'

const path = ['Scheduled', 'RequestReady', 'Ready', 'Reserved', 'Allocated', 'Shutdown', 'Unhealthy']

export function Lifecycle({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  const present = snapshot.gameServer.status.state
  const outlook = outlookOf(snapshot, state.now)
  const states = path.includes(present) || present === '' ? path : [present, ...path]
  const go = (wanted: string): void => {
    const end = ends.find((one) => nameOf(one) === wanted)
    if (end !== undefined && wanted !== present) end.run()
    else void control({ type: 'setState', state: wanted })
  }
  const tools = (
    <span class="row wrap">
      {ends
        .filter((end) => !path.includes(nameOf(end)))
        .map((end) => (
          <button key={end.id} class="button" title={end.title} onClick={end.run}>
            {nameOf(end)}
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
              style={toneStyle(stateLook(name).tone)}
              aria-current={name === present ? 'step' : undefined}
              onClick={() => go(name)}
            >
              {name === present && <span aria-hidden="true">{stateLook(name).shape}</span>}
              {name}
            </button>
          </li>
        ))}
      </ol>
      {outlook && <p class="life-next">{outlook}</p>}
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

const speeds = [
  [0, 'Paused'],
  [1, '×1'],
  [10, '×10'],
] as const

export function Clock({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  return (
    <Panel name="Clock" aside={<span class="muted mono">{clockTime(state.now)}</span>}>
      <div class="row wrap">
        {speeds.map(([value, text]) => (
          <button
            key={value}
            class="button"
            aria-pressed={snapshot.clock.speed === value}
            onClick={sends({ type: 'setClock', speed: value })}
          >
            {text}
          </button>
        ))}
        {[10, 30].map((seconds) => (
          <button key={seconds} class="button" onClick={sends({ type: 'advanceClock', ms: seconds * 1000 })}>
            {`+${seconds} s`} {seconds === 10 && <kbd>t</kbd>}
          </button>
        ))}
      </div>
    </Panel>
  )
}
