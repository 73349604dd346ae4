import { Component, type JSX } from 'preact'
import { set, state } from '../store/state.js'
import { Details } from './details.js'
import { FEWEST, openIndex, rows, toggle, view } from './model.js'
import { RowButton } from './row.js'
import { entryOf, type Row } from './rows.js'

/** The smallest height of a row, in pixels. Touch screens have higher rows. */
const LEAST_HEIGHT = 30

/** The row that keeps its place on the screen while rows come above it. */
interface Anchor {
  readonly item: HTMLElement
  readonly top: number
}

/** A scrolling box that draws the newest rows down to some below its lower edge, with padding for the rest. */
export class List extends Component {
  #box: HTMLElement | null = null
  #drawn: readonly Row[] | undefined

  override componentWillUnmount(): void {
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

  override componentDidUpdate(_props: object, _state: object, anchor?: Anchor): void {
    if (anchor?.item.isConnected) this.#box!.scrollTop += anchor.item.getBoundingClientRect().top - anchor.top
  }

  readonly #readScroll = (): void => {
    const { scrollTop, clientHeight } = this.#box!
    Object.assign(view, { top: scrollTop, drawn: Math.max(FEWEST, (scrollTop + 3 * clientHeight) / LEAST_HEIGHT) })
    set({})
  }

  override render(): JSX.Element {
    const all = rows()
    const drawn = all.slice(0, view.drawn)
    const open = openIndex()
    const target = all.some(({ seq }) => seq === state.cursor) ? state.cursor : all[0]?.seq
    return (
      <div class="timeline-box" ref={(element) => void (this.#box = element)} onScroll={this.#readScroll}>
        <ol class="timeline-list" style={`padding-bottom:calc(var(--row) * ${all.length - drawn.length})`}>
          {drawn.map((row, i) => (
            <li key={row.seq} aria-setsize={all.length} aria-posinset={i + 1}>
              <RowButton row={row} isOpen={i === open} isTarget={row.seq === target} onToggle={toggle} />
              {i === open && row.type !== 'skipped' && <Details entry={entryOf(row)!} />}
            </li>
          ))}
        </ol>
        {view.top > 0 && (
          <button
            class="button timeline-newest"
            onClick={() => {
              set({ cursor: undefined })
              this.#box!.scrollTop = 0
            }}
          >
            ↑ Newest
          </button>
        )}
      </div>
    )
  }
}
