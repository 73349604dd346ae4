import { Component, type JSX } from 'preact'
import { clockTime } from '../../platform/sidecar.js'
import { plural, toneStyle } from '../common/look.js'
import { Kept, part, set, state } from '../store/state.js'
import { pause } from '../ui/actions.js'
import { page, paneState } from '../ui/page.js'
import { FEWEST, entryOf, hasWord, move, openIndex, rows, toggle, toggleWord, total, view, type Row } from './model.js'

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

/** The smallest height of a row, in pixels. Touch screens have higher rows. */
const LEAST_HEIGHT = 30

/** The row that keeps its place on the screen while rows come above it. */
interface Anchor {
  readonly item: HTMLElement
  readonly top: number
}

/** A scrolling box that draws the newest rows down to some below its lower edge, with padding for the rest. */
class List extends Component {
  #box: HTMLElement | null = null
  #drawn: readonly Row[] | undefined

  override componentDidMount(): void {
    this.#observer.observe(this.#box!)
  }

  override componentWillUnmount(): void {
    this.#observer.disconnect()
    Object.assign(view, { top: 0, drawn: FEWEST })
  }

  override getSnapshotBeforeUpdate(): Anchor | undefined {
    const isSame = rows() === this.#drawn
    this.#drawn = rows()
    // At the upper edge the newest rows may move the others, and reading a position would cost a layout each time.
    if (isSame || (view.top === 0 && state.cursor === undefined && openIndex() < 0)) return undefined
    const { top } = this.#box!.getBoundingClientRect()
    const items = [...this.#box!.querySelectorAll('li')]
    const item = items.find((one) => one.getBoundingClientRect().bottom > top)
    return item && { item, top: item.getBoundingClientRect().top }
  }

  override componentDidUpdate(_props: unknown, _state: unknown, anchor?: Anchor): void {
    if (anchor?.item.isConnected) this.#box!.scrollTop += anchor.item.getBoundingClientRect().top - anchor.top
  }

  readonly #readScroll = (): void => {
    const { scrollTop, clientHeight } = this.#box!
    Object.assign(view, { top: scrollTop, drawn: (scrollTop + 2 * clientHeight) / LEAST_HEIGHT })
    set({})
  }
  readonly #observer = new ResizeObserver(this.#readScroll)

  override render(): JSX.Element {
    const { Details } = page.timeline
    const all = rows()
    const drawn = all.slice(0, view.drawn)
    const open = openIndex()
    const target = all.some(({ seq }) => seq === state.cursor) ? state.cursor : all[0]?.seq
    // Each new row changes the numbers of all. At the upper edge the place in the page says the same.
    const isCounted = ({ seq }: Row): boolean => view.top > 0 || seq === target
    const toNewest = (): void => {
      set({ cursor: undefined })
      this.#box!.scrollTop = 0
    }
    return (
      <div
        class="timeline-box"
        data-scrolled={view.top > 0 ? '' : undefined}
        ref={(element) => void (this.#box = element)}
        onScroll={this.#readScroll}
      >
        <ol class="timeline-list" style={`padding-bottom:calc(var(--row) * ${all.length - drawn.length})`}>
          {drawn.map((row, i) => (
            <li key={row.seq} {...(isCounted(row) && { 'aria-setsize': all.length, 'aria-posinset': i + 1 })}>
              <Kept
                shown={[i === open, row.seq === target, row.type, sizeOf(row)].join()}
                draw={() => drawRow(row, i === open, row.seq === target)}
              />
              {i === open && row.type !== 'skipped' && <Details entry={entryOf(row)!} />}
            </li>
          ))}
        </ol>
        {view.top > 0 && (
          <button class="timeline-newest" onClick={toNewest}>
            ↑ Newest
          </button>
        )}
      </div>
    )
  }
}

/** @param isTarget whether it is the one row of the list that Tab reaches */
function drawRow(row: Row, isOpen: boolean, isTarget: boolean): JSX.Element {
  if (row.type === 'skipped') {
    return <div class="muted timeline-skipped">{`${plural(row.count, 'event')} skipped`}</div>
  }
  const { columns, toneOf } = page.timeline
  const entry = entryOf(row)!
  const tone = toneOf(entry)
  const time = clockTime(entry.at)
  return (
    <button
      class="timeline-row"
      data-seq={row.seq}
      style={tone && toneStyle(tone)}
      aria-expanded={isOpen}
      tabIndex={isTarget ? 0 : -1}
      onClick={() => toggle(row.seq)}
    >
      <span class="mono timeline-time">
        {time.slice(0, 8)}
        <span class="wide">{time.slice(8)}</span>
      </span>
      {Object.entries(columns).map(([name, cell]) => (
        <span key={name} class={`timeline-${name}`}>
          {cell(entry, row.type === 'repeats' ? row.entries : undefined)}
        </span>
      ))}
    </button>
  )
}

const sizeOf = (row: Row): number => (row.type === 'skipped' ? row.count : row.entries.length)
