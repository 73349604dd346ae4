import type { JSX } from 'preact'

type Tone = 'blue' | 'green' | 'orange' | 'violet' | 'red' | 'grey'

/** How a state looks: never by colour alone. */
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
  Shutdown: { tone: 'grey', shape: '■' },
}

/** States before Ready, and those that a newer platform adds, look alike. */
export const stateLook = (state: string): StateLook => looks[state] ?? { tone: 'blue', shape: '○' }

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
    <span class="state-mark" data-tone={tone}>
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <path d={shapePaths[shape]} fill="currentColor" fill-rule="evenodd" />
      </svg>
      {state}
    </span>
  )
}

const paths = {
  pause: 'M5 3h2.4v10H5zM8.6 3H11v10H8.6z',
  play: 'M4.5 2.8v10.4L13 8z',
  more: 'M8 4.6a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zm0 4.7a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM8 14a1.3 1.3 0 1 0 0-2.6A1.3 1.3 0 0 0 8 14z',
  theme: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm0 1.4a5.1 5.1 0 0 1 0 10.2z',
  light:
    'M8 4.8a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4zM7.3 1h1.4v2.2H7.3zm0 11.8h1.4V15H7.3zM1 7.3h2.2v1.4H1zm11.8 0H15v1.4h-2.2zM2.6 3.6l1-1 1.5 1.6-1 1zm8.3 8.2 1-1 1.5 1.6-1 1zm-8.3.6 1.5-1.6 1 1-1.5 1.6zm8.3-8.2 1.5-1.6 1 1-1.5 1.6z',
  dark: 'M13.8 9.9A6 6 0 0 1 6.1 2.2a6.2 6.2 0 1 0 7.7 7.7z',
  up: 'm8 3 5 5-1 1-3.3-3.3V13H7.3V5.7L4 9 3 8z',
  warning: 'M8 1.5 15 14H1zm-.7 4.6v4h1.4v-4zm0 5.1v1.5h1.4v-1.5z',
} as const

/** A small picture that says nothing by itself: the element around it has the name. */
export const Icon = ({ name }: { name: keyof typeof paths }): JSX.Element => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} fill="currentColor" fill-rule="evenodd" />
  </svg>
)

/** The page's sign: a pod with another one at its side. */
export const Logo = (): JSX.Element => (
  <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <path d="M8 1.6 14.4 5v7.6L8 16.2l-6.4-3.6V5z" fill="none" stroke="currentColor" stroke-width="1.6" />
    <circle cx="14.6" cy="14.4" r="4" fill="currentColor" />
  </svg>
)
