import type { JSX } from 'preact'
import { Icon } from '../common/icons.js'
import type { PageStore } from '../store/create-store.js'
import { exportSession } from '../ui/entry-actions.js'
import type { Ui } from '../ui/ui.js'
import { hasWord, toggleWord } from './filter.js'
import type { TimelineModel } from './model.js'

const chips = [
  ['calls', 'kind:call'],
  ['events', 'kind:event'],
  ['beats', 'kind:beat'],
  ['5xx', 'status:5'],
] as const

interface ToolbarProps {
  readonly model: TimelineModel
  readonly store: PageStore
  readonly ui: Ui
}

export function Toolbar({ model, store, ui }: ToolbarProps): JSX.Element {
  const paused = ui.paused.value
  return (
    <div class="timeline-bar">
      {!store.isRecorded && (
        <button
          type="button"
          class="button"
          aria-pressed={paused}
          aria-keyshortcuts="Space"
          onClick={() => (ui.paused.value = !paused)}
        >
          <Icon name={paused ? 'play' : 'pause'} /> Pause
        </button>
      )}
      <input
        id="filter"
        class="field timeline-filter"
        type="search"
        aria-label="Filter"
        aria-keyshortcuts="/"
        placeholder="Filter: kind:call status:5 -health"
        autocomplete="off"
        spellcheck={false}
        value={ui.filter.value}
        onInput={(event) => (ui.filter.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
          event.preventDefault()
          ui.cursor.value = undefined
          model.move(1)
        }}
      />
      <div class="timeline-chips" role="group" aria-label="Show only">
        {chips.map(([label, word]) => (
          <button
            key={word}
            type="button"
            class="timeline-toggle"
            aria-pressed={hasWord(ui.filter.value, word)}
            onClick={() => (ui.filter.value = toggleWord(ui.filter.value, word))}
          >
            {label}
          </button>
        ))}
      </div>
      <button type="button" class="button timeline-export" onClick={() => void exportSession(store, 'ndjson')}>
        Export session
      </button>
      {!store.isRecorded && (
        <button type="button" class="button timeline-export" onClick={() => void exportSession(store, 'html')}>
          as HTML
        </button>
      )}
    </div>
  )
}
