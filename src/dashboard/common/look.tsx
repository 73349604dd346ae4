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

/** Path of each shape, in a square of ten. */
export const shapePaths: Readonly<Record<string, string>> = {
  '●': 'M5 .5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z',
  '◆': 'M5 0l5 5-5 5-5-5z',
  '◷': 'M5 .3a4.7 4.7 0 1 0 0 9.4A4.7 4.7 0 0 0 5 .3zm-.7 1.9h1.4v2.5l2 1.2-.7 1.2-2.7-1.6z',
  '■': 'M1 1h8v8H1z',
  '▲': 'M5 .5 10 9.5H0z',
  '✖': 'M2 .6 5 3.6l3-3L9.4 2l-3 3 3 3L8 9.4l-3-3-3 3L.6 8l3-3-3-3z',
  '○': 'M5 .5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM5 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
}

/** A state as word, colour and shape. */
export function StateMark({ state }: { state: string }): JSX.Element {
  const { tone, shape } = stateLook(state)
  return (
    <span class="tone state-mark" style={toneStyle(tone)}>
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <path d={shapePaths[shape]} fill="currentColor" fill-rule="evenodd" />
      </svg>
      {state}
    </span>
  )
}

/** A short word in a coloured frame. */
export const Chip = ({ tone, text, title }: { tone: Tone; text: string; title?: string }): JSX.Element => (
  <span class="pill tone chip" style={toneStyle(tone)} title={title}>
    {text}
  </span>
)

/** The logo: a pod with a sidecar. */
export const Logo = (): JSX.Element => (
  <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <path d="M8 1.6 14.4 5v7.6L8 16.2l-6.4-3.6V5z" fill="none" stroke="currentColor" stroke-width="1.6" />
    <circle cx="14.6" cy="14.4" r="4" fill="currentColor" />
  </svg>
)
