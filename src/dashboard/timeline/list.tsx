import { Component, type JSX } from 'preact'
import { set, state } from '../store/state.js'
import { Details } from './details.js'
import { FEWEST, openIndex, rows, toggle, view } from './model.js'
import { RowButton } from './row.js'
import { entryOf, type Row } from './rows.js'

/** Height of a row for a mouse, in pixels; for a finger it is more. */
const LEAST_HEIGHT = 30

/** What stays where it is while rows come above it. */
interface Anchor {
  readonly item: HTMLElement
  readonly top: number
}

/** The newest rows, down to some below the box's lower edge, in a box that scrolls as if all of them were there. */
export class List extends Component {
  #box: HTMLElement | null = null
  #drawn: readonly Row[] | undefined

  override componentWillUnmount(): void {
    Object.assign(view, { top: 0, drawn: FEWEST })
  }

  override getSnapshotBeforeUpdate(): Anchor | undefined {
    const isSame = rows() === this.#drawn
    this.#drawn = rows()
    // At the upper edge the newest rows are wanted, and asking for a position would cost a layout each time.
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
