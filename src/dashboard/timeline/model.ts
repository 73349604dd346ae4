import type { LogEntry } from '../../sidecar/index.js'
import { memo, set, state } from '../store/state.js'
import { describe } from './describe.js'
import { readFilter } from './filter.js'
import { entryOf, isSilent, rowsOf, type Row } from './rows.js'

const filtered = memo((entries: readonly LogEntry[], filter: string) => rowsOf(entries, readFilter(filter)).reverse())

/** The rows that pass the filter, newest first. */
export const rows = (): readonly Row[] => filtered(state.frozen ?? state.entries, state.filter)

/** How many entries there are to show without a filter. */
export const total = (): number => (state.frozen ?? state.entries).filter((entry) => !isSilent(entry)).length

/** Whether anybody has called or done anything yet. */
export const hasBegun = (): boolean => state.entries.some((entry) => describe(entry).kind !== 'event')

/** How many entries came since the timeline was paused. */
export function missed(): number {
  const last = state.frozen?.at(-1)?.seq ?? 0
  return state.entries.filter(({ seq }) => seq > last).length
}

/** Index of an entry's row, which may be one of many repeats; -1 for none. */
const indexOf = (seq: number | undefined): number =>
  rows().findIndex((row) =>
    row.type === 'repeats' ? row.repeats.some((repeat) => repeat.seq === seq) : row.seq === seq,
  )

/** Index of the row whose details are open; -1 for none. */
export const openIndex = (): number => (state.selected === undefined ? -1 : indexOf(state.selected))

const currentIndex = (): number => indexOf(state.cursor ?? state.selected)

/** The entry that keys act on. */
export function currentEntry(): LogEntry | undefined {
  const row = rows()[currentIndex()] ?? rows()[0]
  return row && entryOf(row)
}

/** Puts the cursor so many rows further down. */
export function move(by: number): void {
  const at = currentIndex()
  goTo(at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows().length - 1))
}

/** Opens the details of a row, or closes them. */
export function toggle(seq: number): void {
  const open = rows()[openIndex()]
  set({ cursor: seq, selected: open?.seq === seq ? undefined : seq })
}

/** Closes the details, or takes the cursor away. */
export function leave(): void {
  const open = openIndex()
  set(state.selected === undefined ? { cursor: undefined } : { selected: undefined })
  if (open >= 0) goTo(open)
}

/** Rows that are drawn at least. */
export const FEWEST = 300

/** Where the box of rows is scrolled to, in pixels, and how many of the newest rows are drawn. */
export const view = { top: 0, drawn: FEWEST }

/** Puts the cursor on a row, shows that and gives it the focus. */
function goTo(index: number): void {
  const row = rows()[index]
  if (row === undefined) return
  view.drawn = Math.max(view.drawn, index + 1)
  set({ cursor: row.seq })
  const show = (): void => {
    const element = document.querySelector<HTMLElement>(`[data-seq="${row.seq}"]`)
    element?.scrollIntoView({ block: 'nearest' })
    element?.focus()
  }
  // At once for a key within the same frame; later for a row that is still to be drawn.
  show()
  requestAnimationFrame(show)
}
