import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
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

/** The rows in view and some beyond, in a box that scrolls as if all of them were there. */
export function List(): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor | undefined>(undefined)
  const all = rows()
  const open = openIndex()
  const { start, end, before, after } = windowOf(all.length, open)

  const readScroll = (): void => {
    view.top = box.current!.scrollTop
    const first = firstVisible(all.length, open)
    anchor.current = all[first] && { seq: all[first].seq, offset: view.top - offsetOf(first, open) }
    set({})
  }
  useLayoutEffect(() => followSize(box.current!), [])
  useLayoutEffect(() => {
    // At the upper edge the newest rows are wanted, and asking for the position would cost a layout each time.
    if (view.top === 0 && state.cursor === undefined && open < 0) {
      anchor.current = undefined
      return
    }
    const index = all.findIndex(({ seq }) => seq === anchor.current?.seq)
    if (index >= 0) box.current!.scrollTop = offsetOf(index, open) + anchor.current!.offset
    readScroll()
  }, [all])

  const target = all.some(({ seq }) => seq === state.cursor) ? state.cursor : all[start]?.seq
  return (
    <div class="timeline-box" ref={box} onScroll={readScroll}>
      <ol class="timeline-list" style={`padding-block:${before}px ${after}px`}>
        {all.slice(start, end).map((row, i) => (
          <li key={row.seq} aria-setsize={all.length} aria-posinset={start + i + 1}>
            <RowButton row={row} isOpen={start + i === open} isTarget={row.seq === target} onToggle={toggle} />
            {start + i === open && <OpenDetails row={row} />}
          </li>
        ))}
      </ol>
      {view.top > view.row && (
        <button
          class="button timeline-newest"
          onClick={() => {
            set({ cursor: undefined })
            box.current!.scrollTop = 0
          }}
        >
          ↑ Newest
        </button>
      )}
    </div>
  )
}

/** The details of a row's newest entry. Repeats that go on keep theirs open. */
function OpenDetails({ row }: { row: Row }): JSX.Element | null {
  const entry = entryOf(row)
  const onHeight = (height: number): void => {
    view.details = height
    set({})
  }
  return entry ? <Details entry={entry} onHeight={onHeight} /> : null
}

function followSize(element: HTMLElement): () => void {
  view.top = 0
  const observer = new ResizeObserver(() => {
    view.height = element.clientHeight
    // Taller for a finger than for a mouse.
    view.row = parseFloat(getComputedStyle(element).getPropertyValue('--row'))
    set({})
  })
  observer.observe(element)
  return () => observer.disconnect()
}
