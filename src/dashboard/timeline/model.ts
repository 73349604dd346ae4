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

function goTo(index: number): void {
  const row = rows()[index]
  if (row === undefined) return
  set({ cursor: row.seq })
  reveal(row.seq, index, openIndex())
}

/** The box of rows, in pixels: where it is scrolled to, its height, a row's, and that of the open details. */
export const view = { top: 0, height: 800, row: 30, details: 0 }

/** Rows beyond each edge, so that a flick of the wheel meets drawn ones. */
const BEYOND = 15
/** Rows that are drawn at most. */
const MAX_ROWS = 300

/** Where a row begins; `open` is the index of the one with details below it, -1 for none. */
export const offsetOf = (index: number, open: number): number =>
  index * view.row + (open >= 0 && index > open ? view.details : 0)

/** Which row is at the upper edge. */
export function firstVisible(count: number, open: number): number {
  const plain = Math.floor(view.top / view.row)
  const first = open < 0 || plain <= open ? plain : Math.max(open, Math.floor((view.top - view.details) / view.row))
  return Math.min(Math.max(first, 0), Math.max(count - 1, 0))
}

/** Which of many rows to draw, and how much room the others take. */
export function windowOf(count: number, open: number) {
  const start = Math.max(0, firstVisible(count, open) - BEYOND)
  const end = Math.min(count, start + Math.min(Math.ceil(view.height / view.row) + 2 * BEYOND, MAX_ROWS))
  const whole = count * view.row + (open < 0 ? 0 : view.details)
  const before = offsetOf(start, open)
  return { start, end, before, after: whole - offsetOf(end, open) }
}

/** Scrolls as little as shows a row, and gives it the focus. */
function reveal(seq: number, index: number, open: number): void {
  const box = document.querySelector('.timeline-box')
  if (box === null) return
  const from = offsetOf(index, open)
  const least = from + view.row - box.clientHeight
  if (from < box.scrollTop) box.scrollTop = from
  else if (least > box.scrollTop) box.scrollTop = least
  view.top = box.scrollTop
  set({})
  const focus = (): void => box.querySelector<HTMLElement>(`[data-seq="${seq}"]`)?.focus()
  // At once for a key within the same frame; later for a row that is still to be drawn.
  focus()
  requestAnimationFrame(focus)
}
