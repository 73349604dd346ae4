import type { JSX } from 'preact'

/** Names of colours in the stylesheet. */
export type Tone = 'blue' | 'green' | 'orange' | 'violet' | 'red' | 'muted'

/** A state has a shape as well as a colour. */
interface StateLook {
  readonly tone: Tone
  readonly shape: string
}

const looks: Readonly<Record<string, StateLook>> = {
  Ready: { tone: 'green', shape: '●' },
  Allocated: { tone: 'orange', shape: '◆' },
  Reserved: { tone: 'violet', shape: '◷' },
  Unhealthy: { tone: 'red', shape: '▲' },
  Error: { tone: 'red', shape: '✖' },
  Shutdown: { tone: 'muted', shape: '■' },
}

/** States before Ready and unknown states look alike. A comma separates a remark. */
export const stateLook = (state: string): StateLook => looks[state.split(',')[0]!] ?? { tone: 'blue', shape: '○' }

/** Sets the colour that the stylesheet calls `--tone`. */
export const toneStyle = (tone: Tone): string => `--tone:var(--${tone})`

/** A state as word, colour and shape. */
export function StateMark({ state }: { state: string }): JSX.Element {
  const { tone, shape } = stateLook(state)
  return (
    <b class="tone state-mark" style={toneStyle(tone)}>
      <span aria-hidden="true">{shape}</span> {state}
    </b>
  )
}

/** A short word in a coloured frame. */
export const Chip = ({ tone, text, title }: { tone: Tone; text: string; title?: string }): JSX.Element => (
  <b class="pill tone chip" style={toneStyle(tone)} title={title}>
    {text}
  </b>
)

/** The logo: a pod with a sidecar. */
export const Logo = (): JSX.Element => (
  <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <path d="M8 1.6 14.4 5v7.6L8 16.2l-6.4-3.6V5z" fill="none" stroke="currentColor" stroke-width="1.6" />
    <circle cx="14.6" cy="14.4" r="4" fill="currentColor" />
  </svg>
)

/** `4 s`, `2 m 14 s`, `53 h 5 m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`
}

/** One unit: `4 s`, `2 m`, `53 h`. */
export const age = (ms: number): string => duration(ms).split(' ', 2).join(' ')

/** `1 watcher`, `2 watchers`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A running time, with tenths while it is below 10 s. */
export const countedTime = (ms: number): string =>
  ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : duration(ms)

/** A configured duration: `500 ms`, `2.5 s`. */
export const span = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)
