import type { ComponentChildren, JSX } from 'preact'
import { paneState, set, state, type Entry } from '../store/page-state.js'
import { pause } from '../ui/page-actions.js'
import { List, type ListProps } from './list.js'
import { move, rows, total } from './model.js'
import { hasWord, toggleWord } from './words.js'

interface FrameProps<E extends Entry> extends ListProps<E> {
  /** Buttons that add a word such as `kind:call` to the filter. */
  readonly chips: readonly (readonly [label: string, prefix: string, value: string])[]
  /** A filter as an example. */
  readonly example: string
  /** Further buttons of the bar. */
  readonly tools?: ComponentChildren
  /** What stands below the rows. */
  readonly children?: ComponentChildren
}

/** The timeline of either dashboard: bar, filter and rows. */
export function TimelineFrame<E extends Entry>(props: FrameProps<E>): JSX.Element {
  const { columns, children, Details, toneOf } = props
  return (
    <section class="timeline" aria-label="Timeline" data-pane={paneState('timeline')}>
      <h2 class="hidden">Timeline</h2>
      <Toolbar {...props} />
      <div class="small timeline-head" aria-hidden="true">
        {['time', ...Object.keys(columns)].map((column) => (
          <span key={column}>{column}</span>
        ))}
      </div>
      {rows().length > 0 ? (
        <List columns={columns} Details={Details} toneOf={toneOf} />
      ) : (
        total() > 0 && <NothingFound />
      )}
      {children}
    </section>
  )
}

type ToolbarProps = Pick<FrameProps<Entry>, 'chips' | 'example' | 'tools'>

function Toolbar({ chips, example, tools }: ToolbarProps): JSX.Element {
  const { filter, frozen } = state
  return (
    <div class="row wrap timeline-bar">
      <button class="button" aria-pressed={frozen !== undefined} aria-keyshortcuts="Space" onClick={pause}>
        Pause
      </button>
      <input
        id="filter"
        class="field timeline-filter"
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
            class="button timeline-toggle"
            aria-pressed={hasWord(filter, prefix, value)}
            onClick={() => set({ filter: toggleWord(filter, prefix, value) })}
          >
            {label}
          </button>
        ))}
      </div>
      {tools}
    </div>
  )
}

const NothingFound = (): JSX.Element => (
  <div class="timeline-empty">
    <h3>{`0 of ${total()}`}</h3>
    <p class="muted">No event passes the filter.</p>
    <p>
      <button class="button" onClick={() => set({ filter: '' })}>
        Clear filter
      </button>
    </p>
  </div>
)
