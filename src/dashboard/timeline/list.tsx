import { Component, type JSX } from 'preact'
import { onResize } from '../common/browser.js'
import { set, state } from '../store/state.js'
import { Details } from './details.js'
import { firstVisible, offsetOf, openIndex, rows, toggle, view, windowOf } from './model.js'
import { RowButton } from './row.js'
import { entryOf, type Row } from './rows.js'

/** The row at the upper edge, which stays where it is while rows come above it. */
interface Anchor {
  readonly seq: number
  readonly offset: number
}

const followSize = onResize((element) => {
  view.height = element.clientHeight
  // Taller for a finger than for a mouse.
  view.row = parseFloat(getComputedStyle(element).getPropertyValue('--row'))
  set({})
})

/** The rows in view and some beyond, in a box that scrolls as if all of them were there. */
export class List extends Component {
  #box: HTMLElement | null = null
  #anchor: Anchor | undefined
  #drawn: readonly Row[] | undefined

  override componentDidMount(): void {
    view.top = 0
    this.#keepPlace()
  }

  override componentDidUpdate(): void {
    this.#keepPlace()
  }

  readonly #attach = (element: HTMLElement | null): void => {
    this.#box = element
    followSize(element)
  }

  readonly #readScroll = (): void => {
    const [all, open] = [rows(), openIndex()]
    view.top = this.#box!.scrollTop
    const first = firstVisible(all.length, open)
    this.#anchor = all[first] && { seq: all[first].seq, offset: view.top - offsetOf(first, open) }
    set({})
  }

  #keepPlace(): void {
    const [all, open] = [rows(), openIndex()]
    if (all === this.#drawn) return
    this.#drawn = all
    // At the upper edge the newest rows are wanted, and asking for the position would cost a layout each time.
    if (view.top === 0 && state.cursor === undefined && open < 0) {
      this.#anchor = undefined
      return
    }
    const index = all.findIndex(({ seq }) => seq === this.#anchor?.seq)
    if (index >= 0) this.#box!.scrollTop = offsetOf(index, open) + this.#anchor!.offset
    this.#readScroll()
  }

  override render(): JSX.Element {
    const all = rows()
    const open = openIndex()
    const { start, end, before, after } = windowOf(all.length, open)
    const target = all.some(({ seq }) => seq === state.cursor) ? state.cursor : all[start]?.seq
    return (
      <div class="timeline-box" ref={this.#attach} onScroll={this.#readScroll}>
        <ol class="timeline-list" style={`padding-block:${before}px ${after}px`}>
          {all.slice(start, end).map((row, i) => (
            <li key={row.seq} aria-setsize={all.length} aria-posinset={start + i + 1}>
              <RowButton row={row} isOpen={start + i === open} isTarget={row.seq === target} onToggle={toggle} />
              {start + i === open && row.type !== 'skipped' && <Details entry={entryOf(row)!} />}
            </li>
          ))}
        </ol>
        {view.top > view.row && (
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
