import type { JSX } from 'preact'
import { shapePaths, stateLook } from './state-look.js'

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
