import { effect, useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../common/look.js'
import type { Store } from '../store/store.js'
import type { Ui } from '../ui/ui.js'
import { Details } from './details.js'
import type { TimelineModel } from './model.js'
import { RowButton } from './row.js'
import { entryOf } from './rows.js'

interface ListProps {
  readonly model: TimelineModel
  readonly store: Store
  readonly ui: Ui
}

/** The rows in view and some beyond, in a box that scrolls as if all of them were there. */
export function List({ model, store, ui }: ListProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(800)
  const detailsHeight = useSignal(0)
  const rowHeight = useSignal(30)
  /** The row at the upper edge, which stays where it is while rows come above it. */
  const anchor = useRef<{ seq: number; offset: number } | undefined>(undefined)

  /** What was wanted of a list before this one, which a filter has emptied: the focus is elsewhere by now. */
  const old = useRef(model.wanted.peek()).current

  const rows = model.rows.value
  const open = model.openIndex.value
  const extra = open < 0 ? 0 : detailsHeight.value
  const px = rowHeight.value
  const view = windowOf({ row: px, count: rows.length, top: top.value, height: height.value, open, extra })
  const offsetOf = (index: number): number => {
    const opened = model.openIndex.peek()
    return index * rowHeight.peek() + (opened >= 0 && index > opened ? detailsHeight.peek() : 0)
  }
  const isHeld = ui.cursor.value !== undefined || open >= 0

  const readScroll = (): void => {
    const { scrollTop } = box.current!
    const first = rows[view.firstVisible(scrollTop)]
    anchor.current = first && { seq: first.seq, offset: scrollTop - offsetOf(view.firstVisible(scrollTop)) }
    top.value = scrollTop
  }
  useLayoutEffect(() => {
    // At the upper edge the newest rows are wanted, and asking for the position would cost a layout each time.
    if (top.peek() === 0 && !isHeld) {
      anchor.current = undefined
      return
    }
    const held = anchor.current
    const index = held === undefined ? -1 : rows.findIndex(({ seq }) => seq === held.seq)
    if (index >= 0) box.current!.scrollTop = offsetOf(index) + held!.offset
    readScroll()
  }, [rows])
  useLayoutEffect(() => followSize(box.current!, height, rowHeight), [])
  useLayoutEffect(
    () =>
      effect(() => {
        const wanted = model.wanted.value
        if (wanted === undefined || wanted === old) return
        const from = offsetOf(model.rows.peek().findIndex(({ seq }) => seq === wanted.seq))
        reveal(box.current!, wanted.seq, from, from + rowHeight.peek())
        top.value = box.current!.scrollTop
      }),
    [],
  )

  const target = rows.some(({ seq }) => seq === ui.cursor.value) ? ui.cursor.value : rows[view.start]?.seq
  return (
    <div class="timeline-box" ref={box} onScroll={readScroll}>
      <ol class="timeline-list" style={`padding-block:${view.before}px ${view.after}px`}>
        {rows.slice(view.start, view.end).map((row, i) => {
          const isOpen = view.start + i === open
          const entry = isOpen ? entryOf(row) : undefined
          return (
            <li key={row.seq} aria-setsize={rows.length} aria-posinset={view.start + i + 1}>
              <RowButton row={row} isOpen={isOpen} isTarget={row.seq === target} onToggle={model.toggle} />
              {entry && (
                <Details
                  key={row.type === 'repeats' ? row.seq : entry.seq}
                  entry={entry}
                  store={store}
                  ui={ui}
                  onHeight={(height) => (detailsHeight.value = height)}
                />
              )}
            </li>
          )
        })}
      </ol>
      {top.value > px && (
        <button
          class="button timeline-newest"
          onClick={() => {
            ui.cursor.value = undefined
            box.current!.scrollTop = 0
          }}
        >
          <Icon name="up" /> Newest
        </button>
      )}
    </div>
  )
}

function followSize(element: HTMLElement, height: Signal<number>, rowHeight: Signal<number>): () => void {
  const observer = new ResizeObserver(() => {
    height.value = element.clientHeight
    // Taller for a finger than for a mouse.
    rowHeight.value = parseFloat(getComputedStyle(element).getPropertyValue('--row'))
  })
  observer.observe(element)
  return () => observer.disconnect()
}

/** Scrolls as little as shows a row, and gives it the focus. */
function reveal(element: HTMLElement, seq: number, from: number, to: number): void {
  const least = to - element.clientHeight
  if (from < element.scrollTop) element.scrollTop = from
  else if (least > element.scrollTop) element.scrollTop = least
  const focus = (): void => element.querySelector<HTMLElement>(`[data-seq="${seq}"]`)?.focus()
  // At once for a key within the same frame; later for a row that is still to be drawn.
  focus()
  requestAnimationFrame(focus)
}

/** Rows beyond each edge, so that a flick of the wheel meets drawn ones. */
const BEYOND = 15
/** Rows that are drawn at most. */
const MAX_ROWS = 300

interface View {
  /** Pixels of a row, as the stylesheet has it. */
  readonly row: number
  readonly count: number
  readonly top: number
  readonly height: number
  /** Index of the row with details below it; -1 for none. */
  readonly open: number
  /** Pixels of those details. */
  readonly extra: number
}

/** Which of many rows to draw, and how much room the others take. */
function windowOf({ row, count, top, height, open, extra }: View) {
  const firstVisible = (at: number): number => {
    const plain = Math.floor(at / row)
    const first = open < 0 || plain <= open ? plain : Math.max(open, Math.floor((at - extra) / row))
    return Math.min(Math.max(first, 0), Math.max(count - 1, 0))
  }
  const visible = Math.ceil(height / row)
  const start = Math.max(0, firstVisible(top) - BEYOND)
  const end = Math.min(count, start + Math.min(visible + 2 * BEYOND, MAX_ROWS))
  return {
    start,
    end,
    before: start * row + (open >= 0 && open < start ? extra : 0),
    after: (count - end) * row + (open >= end ? extra : 0),
    firstVisible,
  }
}
