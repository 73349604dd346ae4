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
