import type { JSX } from 'preact'
import type { HealthInfo } from '../../sidecar/index.js'
import { WINDOW } from './beats.js'
import type { Beats } from './beats.js'

const WIDTH = 600
const HEIGHT = 56
/** Height of a beat's mark, below the curve. */
const MARK = 10
const FLOOR = HEIGHT - MARK - 2

interface StripProps {
  readonly beats: Beats
  readonly health: HealthInfo
  readonly now: number
  readonly label: string
}

/**
 * The last minute as a curve of silence: it grows from beat to beat, and what rises above the line of the period is a miss.
 * Each beat has its mark below, at the time when the sidecar got it.
 */
export function BeatStrip({ beats, health, now, label }: StripProps): JSX.Element {
  const from = now - WINDOW
  const period = health.periodSeconds * 1000
  const limit = period * health.failureThreshold
  const x = (at: number): number => Math.round(((at - from) / WINDOW) * WIDTH * 2) / 2
  // A period is at a third of the height at least, however many of them are allowed.
  const top = Math.min(limit, period * 3) * 1.1 || 1
  const y = (silence: number): number => Math.round((FLOOR - Math.min(1, silence / top) * (FLOOR - 2)) * 2) / 2
  return (
    <svg
      class="health-strip"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="health-silence" d={silence(beats.counted, now, x, y)} />
      <path class="health-period" d={`M0 ${y(period)}H${WIDTH}`} />
      <path class="health-limit" d={`M0 ${y(limit)}H${WIDTH}`} />
      <path class="health-beat" d={marks(beats.counted, x)} />
      <path class="health-lost" d={marks(beats.lost, x)} />
      {beats.misses.map((at) => (
        <path key={at} class="health-miss" d={`M${x(at)} 2V${FLOOR}`} />
      ))}
    </svg>
  )
}

type Scale = (value: number) => number

/** Marks of one pixel are one mark: a game may beat a hundred times a second. */
function marks(times: readonly number[], x: Scale): string {
  const seen = new Set(times.map(x).filter((left) => left >= 0))
  return [...seen].map((left) => `M${left} ${HEIGHT}v-${MARK}`).join('')
}

function silence(times: readonly number[], now: number, x: Scale, y: Scale): string {
  const [first] = times
  if (first === undefined) return ''
  let path = `M${x(first)} ${FLOOR}`
  let last = first
  for (const at of [...times.slice(1), now]) {
    // Beats within a pixel change nothing that is seen.
    if (at !== now && x(at) === x(last)) continue
    path += `L${x(at)} ${y(at - last)}V${FLOOR}`
    last = at
  }
  return path
}
