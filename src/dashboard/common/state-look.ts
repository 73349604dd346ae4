export type Tone = 'blue' | 'green' | 'orange' | 'violet' | 'red' | 'grey'

/** How a state looks: never by colour alone. */
export interface StateLook {
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
