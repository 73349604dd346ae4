import { set } from '../store/state.js'

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
export function reveal(seq: number, index: number, open: number): void {
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
