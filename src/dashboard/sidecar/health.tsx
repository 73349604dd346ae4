import type { JSX } from 'preact'
import type { HealthInfo, LogEntry, SidecarSnapshot } from '../../platform/sidecar.js'
import { countedTime, span, toneStyle, type Tone } from '../common/look.js'
import { send } from '../store/api.js'
import { memo, state } from '../store/state.js'
import { ActionButton, Panel } from '../ui/panel.js'
import { logEntries } from './describe.js'

export function Health({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  const { health, faults } = snapshot
  const isIgnored = faults.ignoreBeats !== false
  const { lastBeat, periodSeconds: period, failures, failureThreshold } = health
  const { now } = state
  const silence = now - (lastBeat ?? now)
  const beats = beatsSince(logEntries(), snapshot.now - WINDOW - 1000)
  const tools = (
    <>
      <button aria-pressed={isIgnored} onClick={send('', { type: 'ignoreBeats', on: !isIgnored })}>
        Ignore beats
      </button>
      <ActionButton id="unhealthy" label="Make Unhealthy" />
    </>
  )
  return (
    <Panel name="Health" aside={tools}>
      {beatStrip(beats, health, now)}
      <div class="apart small" aria-hidden="true">
        <span>60 s ago</span>
        {!health.disabled && <span class="orange">{`┄ period ${span(period * 1000)}`}</span>}
        <span>now</span>
      </div>
      <p class="row wrap">
        {restOf(snapshot) ?? (
          <>
            <meter aria-label="Silence since the last beat" max={period} high={period * 0.8} value={silence / 1000} />
            <span>
              {lastBeat === undefined ? 'No beat yet' : `${countedTime(silence)} of ${period} s`}
              {` · misses ${failures} of ${failureThreshold}`}
            </span>
            <span class="muted">{deadlineText(health, now)}</span>
          </>
        )}
      </p>
    </Panel>
  )
}

/** The reason why the sidecar checks no beats; undefined while it does. */
function restOf({ mode, health, gone, gameServer }: SidecarSnapshot): string | undefined {
  if (gone || gameServer.status.state === 'Shutdown') return 'The game server has ended'
  if (mode === 'local') return 'Not checked: mode local takes every beat and misses none'
  if (health.disabled) return 'Off: health.disabled in the spec'
  if (health.nextCheck === undefined) return 'Not started: waits for the game’s first call'
  if (gameServer.status.state === 'Unhealthy') return 'Unhealthy, for good'
  return undefined
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

const WIDTH = 600
const HEIGHT = 56
/** Height of a beat's mark, below the curve. */
const MARK = 10
const FLOOR = HEIGHT - MARK - 2

/**
 * The last minute as a curve of the time since the last beat. Where the curve rises above the line of the period, a
 * beat is missing. Each beat has a mark below the curve.
 */
function beatStrip(beats: Beats, health: HealthInfo, now: number): JSX.Element {
  const from = now - WINDOW
  const period = health.periodSeconds * 1000
  const limit = period * health.failureThreshold
  const x = (at: number): number => Math.round(((at - from) / WINDOW) * WIDTH * 2) / 2
  // The period takes at least a third of the height, for any failureThreshold.
  const top = Math.min(limit, period * 3) * 1.1 || 1
  const y = (silence: number): number => Math.round((FLOOR - Math.min(1, silence / top) * (FLOOR - 2)) * 2) / 2
  return (
    <svg
      class="health-strip"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label="Beats of the last 60 s"
    >
      {line('blue', curve(beats.counted, now, x, y))}
      {line('orange', `M0 ${y(period)}H${WIDTH}`, '4 3')}
      {line('red', `M0 ${y(limit)}H${WIDTH}`, '4 3')}
      {line('green', marks(beats.counted, x))}
      {line('muted', marks(beats.lost, x), '2 2')}
      {beats.misses.map((at) => (
        <path key={at} class="health-miss" style={toneStyle('red')} d={`M${x(at)} 2V${FLOOR}`} />
      ))}
    </svg>
  )
}

const line = (tone: Tone, path: string, dashes?: string): JSX.Element => (
  <path style={toneStyle(tone)} d={path} stroke-dasharray={dashes} />
)

type Scale = (value: number) => number

/** One mark for all beats of a pixel: a game may beat a hundred times a second. */
function marks(times: readonly number[], x: Scale): string {
  const seen = new Set(times.map(x).filter((left) => left >= 0))
  return [...seen].map((left) => `M${left} ${HEIGHT}v-${MARK}`).join('')
}

function curve(times: readonly number[], now: number, x: Scale, y: Scale): string {
  const [first] = times
  if (first === undefined) return ''
  let path = `M${x(first)} ${FLOOR}`
  let last = first
  for (const at of [...times.slice(1), now]) {
    // Beats within one pixel don't change the curve.
    if (at !== now && x(at) === x(last)) continue
    path += `L${x(at)} ${y(at - last)}V${FLOOR}`
    last = at
  }
  return path
}

/** The time that the strip shows, in ms. */
const WINDOW = 60_000

interface Beats {
  /** Times of the beats that count, oldest first. */
  readonly counted: readonly number[]
  /** Times of beats that were ignored, or failed on purpose. */
  readonly lost: readonly number[]
  /** Times at which a period ended without a beat. */
  readonly misses: readonly number[]
}

/** The beats in the log since a time, and the last one before, since the curve shows the time after it. */
export const beatsSince = memo((entries: readonly LogEntry[], from: number): Beats => {
  let counted: number[] = []
  const lost: number[] = []
  const misses: number[] = []
  /** The number of beats that are still to be ignored. */
  let ignored = 0
  for (const { at, event, reply, warnings } of entries) {
    if (event.type === 'control') {
      const { command } = event
      if (command.type === 'ignoreBeats') ignored = command.on ? (command.count ?? Infinity) : 0
      else if (command.type === 'clearFaults') ignored = 0
    } else if (event.type === 'call' && event.call.operation === 'health') {
      const isLost = ignored > 0 || (reply?.status ?? 200) >= 400
      if (ignored > 0) ignored--
      if (!isLost && at < from) counted = [at]
      else if (!isLost) counted.push(at)
      else if (at >= from) lost.push(at)
    }
    if (at >= from && warnings.some(({ code }) => code === 'health-failure')) misses.push(at)
  }
  return { counted, lost, misses }
})
