import { clockTime } from '../../platform/sidecar.js'
import { cached, memo, set, state, type Entry } from '../store/state.js'
import { page } from '../ui/page.js'

/** One row of a timeline. */
export type Row<E extends Entry = Entry> =
  /** `seq` is that of the first entry. Entries that share a row are routine, with only routine between them. */
  | { readonly type: 'entry' | 'repeats'; readonly seq: number; readonly entries: readonly E[] }
  /** Entries that the server no longer keeps. `seq` is that of the first one. */
  | { readonly type: 'skipped'; readonly seq: number; readonly count: number }

/** The newest entry of a row, which its details show. */
export const entryOf = <E extends Entry>(row: Row<E>): E | undefined =>
  row.type === 'skipped' ? undefined : row.entries.at(-1)

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
  const growing = new Map<string, { type: 'repeats'; seq: number; entries: E[] }>()
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
      addAfterThem({ type: 'entry', seq, entries: [entry] })
      continue
    }
    const row = growing.get(group) ?? { type: 'repeats', seq, entries: [] }
    row.entries.push(entry)
    growing.delete(group)
    growing.set(group, row)
  }
  addAfterThem()
  return rows
}

/** The text after the name of a row of repeats: `×12 since 09:30:57 (every 2.0 s, max gap 2.1)`. */
export function rhythmOf(repeats: readonly Entry[]): string {
  if (repeats.length < 2) return ''
  const gaps = repeats.slice(1).map(({ at }, i) => at - repeats[i]!.at)
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return `×${repeats.length} since ${clockTime(repeats[0]!.at).slice(0, 8)} (every ${seconds(mean)} s, max gap ${seconds(Math.max(...gaps))})`
}

/** The entries that the timeline shows, before its filter. */
export const shown = (): readonly Entry[] => state.frozen ?? state.entries

const filtered = memo((entries: readonly Entry[], filter: string) =>
  rowsOf(entries, page.timeline.filter(filter), page.timeline.groupOf).reverse(),
)

/** The rows that pass the filter, newest first. */
export const rows = (): readonly Row[] => filtered(shown(), state.filter)

/** The number of entries without a filter. */
export const total = (): number => shown().filter(page.timeline.filter('')).length

/** The number of entries since the timeline was paused. */
export function missed(): number {
  const last = state.frozen?.at(-1)?.seq ?? 0
  return state.entries.filter(({ seq }) => seq > last).length
}

/** Index of the row that holds an entry; -1 for none. */
const indexOf = (seq: number | undefined): number =>
  rows().findIndex((row) => (row.type === 'skipped' ? row.seq === seq : row.entries.some((entry) => entry.seq === seq)))

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

/** Tests of an entry by the prefix of a word, such as `kind`. */
type Fields<E> = Readonly<Record<string, (entry: E, value: string) => boolean>>

/**
 * Reads filters such as `kind:call status:5 -health`. Words are ANDed, `-` negates one, and a comma in a value is
 * an OR. A word without a known prefix must occur in the texts of the row.
 */
export function readerOfWords<E extends object>(
  fields: Fields<E>,
  textsOf: (entry: E) => readonly unknown[],
): (text: string) => (entry: E) => boolean {
  const textOf = cached((entry: E) => textsOf(entry).join(' ').toLowerCase())
  const readWord = (word: string): ((entry: E) => boolean) => {
    if (word.length > 1 && word.startsWith('-')) {
      const test = readWord(word.slice(1))
      return (entry) => !test(entry)
    }
    const [, prefix = '', value = ''] = /^(\w+):(.+)$/.exec(word) ?? []
    const values = value.toLowerCase().split(',').filter(Boolean)
    const name = prefix.toLowerCase()
    const matches = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (matches !== undefined && values.length > 0) return (entry) => values.some((one) => matches(entry, one))
    const wanted = word.toLowerCase()
    return (entry) => textOf(entry).includes(wanted)
  }
  return (text) => {
    const tests = text.trim().split(/\s+/).filter(Boolean).map(readWord)
    return (entry) => tests.every((test) => test(entry))
  }
}

/** Splits a filter into the values of a prefix such as `kind`, and the other words. */
function wordsOf(filter: string, prefix: string): { values: string[]; others: string[] } {
  const words = filter.split(/\s+/).filter(Boolean)
  const isOf = (word: string): boolean => word.startsWith(`${prefix}:`)
  return {
    values: words.filter(isOf).flatMap((word) => word.slice(prefix.length + 1).split(',')),
    others: words.filter((word) => !isOf(word)),
  }
}

export const hasWord = (filter: string, prefix: string, value: string): boolean =>
  wordsOf(filter, prefix).values.includes(value)

/** Adds a word such as `kind:call` to a filter, or removes it. Values of one prefix are ORed. */
export function toggleWord(filter: string, prefix: string, value: string): string {
  const { values, others } = wordsOf(filter, prefix)
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
  return [...others, ...(left.length > 0 ? [`${prefix}:${left.join(',')}`] : [])].join(' ')
}
