import { memo, set, state, entryOf, type Entry, type Row } from '../store/page-state.js'
import { page } from '../ui/page.js'

/**
 * The rows of the entries that pass a filter, sorted by their newest entries.
 *
 * @param groupOf gives entries that share a row one name, while only such entries come
 */
export function rowsOf<E extends Entry>(
  entries: readonly E[],
  passes: (entry: E) => boolean,
  groupOf: (entry: E) => string | undefined,
): Row<E>[] {
  const rows: Row<E>[] = []
  let before = 0
  /** The open rows of repeats; the one that grew last is last. */
  const growing = new Map<string, { type: 'repeats'; seq: number; repeats: E[] }>()
  const addAfterThem = (...added: readonly Row<E>[]): void => {
    rows.push(...growing.values(), ...added)
    growing.clear()
  }
  for (const entry of entries) {
    const { seq } = entry
    if (seq > before + 1) addAfterThem({ type: 'skipped', seq: before + 1, count: seq - before - 1 })
    before = seq
    if (!passes(entry)) continue
    const group = groupOf(entry)
    if (group === undefined) {
      addAfterThem({ type: 'entry', seq, entry })
      continue
    }
    const row = growing.get(group) ?? { type: 'repeats', seq, repeats: [] }
    row.repeats.push(entry)
    growing.delete(group)
    growing.set(group, row)
  }
  addAfterThem()
  return rows
}

const filtered = memo((entries: readonly Entry[], filter: string) =>
  rowsOf(entries, page.filter(filter), page.groupOf).reverse(),
)

/** The rows that pass the filter, newest first. */
export const rows = (): readonly Row[] => filtered(state.frozen ?? state.entries, state.filter)

/** The number of entries without a filter. */
export const total = (): number => (state.frozen ?? state.entries).filter(page.filter('')).length

/** The number of entries since the timeline was paused. */
export function missed(): number {
  const last = state.frozen?.at(-1)?.seq ?? 0
  return state.entries.filter(({ seq }) => seq > last).length
}

/** Index of the row that holds an entry; -1 for none. */
const indexOf = (seq: number | undefined): number =>
  rows().findIndex((row) =>
    row.type === 'repeats' ? row.repeats.some((repeat) => repeat.seq === seq) : row.seq === seq,
  )

/** Index of the row whose details are open; -1 for none. */
export const openIndex = (): number => (state.selected === undefined ? -1 : indexOf(state.selected))

const currentIndex = (): number => indexOf(state.cursor ?? state.selected)

/** The entry that keys act on. */
export function currentEntry(): Entry | undefined {
  const row = rows()[currentIndex()] ?? rows()[0]
  return row && entryOf(row)
}

/** Moves the cursor down by some rows. */
export function move(by: number): void {
  const at = currentIndex()
  goTo(at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows().length - 1))
}

/** Opens the details of a row, or closes them. */
export function toggle(seq: number): void {
  const open = rows()[openIndex()]
  set({ cursor: seq, selected: open?.seq === seq ? undefined : seq })
}

/** Closes the details; without open details, removes the cursor. */
export function leave(): void {
  const open = openIndex()
  set(state.selected === undefined ? { cursor: undefined } : { selected: undefined })
  if (open >= 0) goTo(open)
}

/** The number of drawn rows until the height of the box is known. */
export const FEWEST = 20

/** The scroll position of the box, in pixels, and the number of the newest rows that are drawn. */
export const view = { top: 0, drawn: FEWEST }

/** Moves the cursor to a row, scrolls the row into view and focuses it. */
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
  // At once for the next key in the same frame, and again for a row that is not drawn yet.
  show()
  requestAnimationFrame(show)
}

/** Moves the cursor to the row of an entry. */
export const goToEntry = (seq: number): void => goTo(indexOf(seq))
