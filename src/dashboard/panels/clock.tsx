import type { JSX } from 'preact'
import { clockTime } from '../common/format.js'
import type { Store } from '../store/store.js'
import { Panel } from './panel.js'
import { sends } from './send-all.js'

const speeds = [
  [0, 'Paused'],
  [1, '×1'],
  [10, '×10'],
] as const

export function Clock({ store }: { store: Store }): JSX.Element | null {
  const snapshot = store.snapshot.value
  if (!snapshot) return null
  const { speed } = snapshot.clock
  return (
    <Panel name="Clock" aside={<span class="muted mono">{clockTime(store.now.value)}</span>}>
      <div class="part-row">
        {speeds.map(([value, text]) => (
          <button
            key={value}
            class="button"
            aria-pressed={speed === value}
            onClick={sends(store, { type: 'setClock', speed: value })}
          >
            {text}
          </button>
        ))}
        {[10, 30].map((seconds) => (
          <button key={seconds} class="button" onClick={sends(store, { type: 'advanceClock', ms: seconds * 1000 })}>
            {`+${seconds} s`} {seconds === 10 && <kbd>t</kbd>}
          </button>
        ))}
      </div>
    </Panel>
  )
}
