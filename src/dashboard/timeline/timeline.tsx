import type { JSX } from 'preact'
import { part, set, state } from '../store/state.js'
import { pause } from '../ui/actions.js'
import { page, paneState } from '../ui/page.js'
import { List } from './list.js'
import { move, rows, total } from './model.js'
import { hasWord, toggleWord } from './words.js'

/** The timeline of either dashboard: bar, filter and rows. */
export const Timeline = part(['entries'], () => {
  const { columns, Empty } = page.timeline
  return (
    <section class="box column timeline" aria-label="Timeline" data-pane={paneState('timeline')}>
      <h2 class="hidden">Timeline</h2>
      <Toolbar />
      <div class="small timeline-head" aria-hidden="true">
        {['time', ...Object.keys(columns)].map((column) => (
          <span key={column} class={`timeline-${column}`}>
            {column}
          </span>
        ))}
      </div>
      {rows().length > 0 ? <List /> : total() > 0 && <NothingFound />}
      {Empty && <Empty />}
    </section>
  )
})

function Toolbar(): JSX.Element {
  const { filter, frozen } = state
  const { chips, example, copy } = page.timeline
  return (
    <div class="row wrap bar">
      <button aria-pressed={frozen !== undefined} aria-keyshortcuts="Space" onClick={pause}>
        Pause
      </button>
      <input
        id="filter"
        class="grow"
        type="search"
        aria-label="Filter"
        aria-keyshortcuts="/"
        placeholder={`Filter: ${example}`}
        autocomplete="off"
        spellcheck={false}
        value={filter}
        onInput={(event) => set({ filter: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
          event.preventDefault()
          set({ cursor: undefined })
          move(1)
        }}
      />
      <div class="row" role="group" aria-label="Show only">
        {chips.map(([label, prefix, value]) => (
          <button
            key={label}
            class="pill"
            aria-pressed={hasWord(filter, prefix, value)}
            onClick={() => set({ filter: toggleWord(filter, prefix, value) })}
          >
            {label}
          </button>
        ))}
      </div>
      {copy && (
        <button class="wide" onClick={copy}>
          Copy as text
        </button>
      )}
    </div>
  )
}

const NothingFound = (): JSX.Element => (
  <div class="column gap timeline-empty">
    <h3>{`0 of ${total()}`}</h3>
    <p class="muted">No event passes the filter.</p>
    <p>
      <button onClick={() => set({ filter: '' })}>Clear filter</button>
    </p>
  </div>
)
