import { useComputed } from '@preact/signals'
import type { JSX } from 'preact'
import type { HealthInfo, SidecarSnapshot } from '../../sidecar/index.js'
import type { Store } from '../store/store.js'
import { BeatStrip } from './beat-strip.js'
import { beatsSince, WINDOW } from './beats.js'
import { countedTime, span } from './times.js'
import { Panel } from './panel.js'
import { sends } from './send-all.js'

export function Health({ store }: { store: Store }): JSX.Element | null {
  const beats = useComputed(() => beatsSince(store.entries.value, (store.snapshot.value?.now ?? 0) - WINDOW - 1000))
  const snapshot = store.snapshot.value
  if (!snapshot) return null
  const { health } = snapshot
  const now = store.now.value
  const toggle = (): void => void store.control({ type: 'ignoreBeats', on: !health.ignoreBeats })
  const rest = restOf(snapshot)
  const text = rest ?? `${silenceText(health, now)} · misses ${health.failures} of ${health.failureThreshold}`
  const tools = (
    <span class="part-tools">
      <button class="button" aria-pressed={health.ignoreBeats} onClick={toggle}>
        Ignore beats
      </button>
      <button class="button" onClick={sends(store, { type: 'makeUnhealthy' })}>
        Make Unhealthy <kbd>u</kbd>
      </button>
    </span>
  )
  return (
    <Panel name="Health" aside={tools}>
      <BeatStrip beats={beats.value} health={health} now={now} label={`Beats of the last 60 s: ${text}`} />
      <div class="health-scale muted" aria-hidden="true">
        <span>60 s ago</span>
        {!health.disabled && <span class="health-key">{`period ${span(health.periodSeconds * 1000)}`}</span>}
        <span>now</span>
      </div>
      <p class="health-text">
        {!rest && <Gauge health={health} now={now} />}
        <span>{text}</span>
        {!rest && <span class="muted">{deadlineText(health, now)}</span>}
      </p>
    </Panel>
  )
}

function Gauge({ health, now }: { health: HealthInfo; now: number }): JSX.Element {
  const period = health.periodSeconds
  const seconds = (now - (health.lastBeat ?? now)) / 1000
  return <meter class="part-meter" aria-label="Silence" min={0} max={period} high={period * 0.8} value={seconds} />
}

/** Why nothing is counted down; undefined while something is. */
function restOf({ mode, health, gone, gameServer }: SidecarSnapshot): string | undefined {
  if (gone || gameServer.status.state === 'Shutdown') return 'The game server has ended'
  if (mode === 'local') return 'Not checked: mode local takes every beat and misses none'
  if (health.disabled) return 'Off: health.disabled in the spec'
  if (health.nextCheck === undefined) return 'Not started: waits for the game’s first call'
  if (gameServer.status.state === 'Unhealthy') return 'Unhealthy, for good'
  return undefined
}

function silenceText({ lastBeat, periodSeconds }: HealthInfo, now: number): string {
  return lastBeat === undefined ? 'No beat yet' : `${countedTime(now - lastBeat)} of ${periodSeconds} s`
}

function deadlineText(
  { lastBeat, periodSeconds, failures, failureThreshold, nextCheck }: HealthInfo,
  now: number,
): string {
  const period = periodSeconds * 1000
  const next = nextCheck ?? now
  // The first check that finds a whole period without a beat.
  const wait = Math.max(0, Math.ceil(((lastBeat ?? 0) + period - next) / period))
  const deadline = next + (wait + failureThreshold - failures - 1) * period
  return `Unhealthy in ${countedTime(deadline - now)}`
}
