import { computed, effect, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { LogEntry } from '../../sidecar/index.js'
import type { Store } from '../store/store.js'
import type { Ui } from '../ui/ui.js'
import { readFilter } from './filter.js'
import { describe } from './describe.js'
import { entryOf, isSilent, rowsOf } from './rows.js'
import type { Row } from './rows.js'

/** What the timeline shows, for its list, its bar and the keys. */
export interface TimelineModel {
  /** Newest first. */
  readonly rows: ReadonlySignal<readonly Row[]>
  /** Index of the row whose details are open; -1 for none. */
  readonly openIndex: ReadonlySignal<number>
  readonly total: ReadonlySignal<number>
  /** Whether anybody has called or done anything yet. */
  readonly hasBegun: ReadonlySignal<boolean>
  /** Entries that came since the timeline was paused. */
  readonly missed: ReadonlySignal<number>
  /** Row that shall be shown and get the focus, with a number that makes each request another one. */
  readonly wanted: ReadonlySignal<{ readonly seq: number; readonly count: number } | undefined>
  /** The entry that keys act on. */
  current(): LogEntry | undefined
  /** Puts the cursor so many rows further down. */
  move(by: number): void
  toggle(seq: number): void
  /** Closes the details, or takes the cursor away. */
  leave(): void
}

export function createTimelineModel(store: Store, ui: Ui): TimelineModel {
  const frozen = signal<readonly LogEntry[] | undefined>(undefined)
  effect(() => {
    frozen.value = ui.paused.value ? store.entries.peek() : undefined
  })
  const passes = computed(() => readFilter(ui.filter.value))
  const rows = computed(() => rowsOf(frozen.value ?? store.entries.value, passes.value).reverse())
  const wanted = signal<{ seq: number; count: number } | undefined>(undefined)
  const want = (seq: number): void => {
    ui.cursor.value = seq
    wanted.value = { seq, count: (wanted.peek()?.count ?? 0) + 1 }
  }
  /** The row of an entry, which may be one of many repeats. */
  const indexOf = (seq: number | undefined, all: readonly Row[]): number =>
    seq === undefined
      ? -1
      : all.findIndex(
          (row) => row.seq === seq || (row.type === 'repeats' && row.repeats.some((repeat) => repeat.seq === seq)),
        )
  const openIndex = computed(() => indexOf(ui.selected.value, rows.value))

  return {
    rows,
    openIndex,
    wanted,
    total: computed(() => (frozen.value ?? store.entries.value).filter((entry) => !isSilent(entry)).length),
    hasBegun: computed(() => store.entries.value.some((entry) => describe(entry).kind !== 'event')),
    missed: computed(() => {
      const last = frozen.value?.at(-1)?.seq ?? 0
      return frozen.value === undefined ? 0 : store.entries.value.filter(({ seq }) => seq > last).length
    }),
    current() {
      const all = rows.peek()
      const row = all[indexOf(ui.cursor.peek() ?? ui.selected.peek(), all)] ?? all[0]
      return row && entryOf(row)
    },
    move(by) {
      const all = rows.peek()
      const at = indexOf(ui.cursor.peek() ?? ui.selected.peek(), all)
      const next = all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]
      if (next !== undefined) want(next.seq)
    },
    toggle(seq) {
      ui.cursor.value = seq
      const open = rows.peek()[openIndex.peek()]
      ui.selected.value = open?.seq === seq ? undefined : seq
    },
    leave() {
      const row = rows.peek()[openIndex.peek()]
      if (ui.selected.peek() === undefined) ui.cursor.value = undefined
      ui.selected.value = undefined
      if (row !== undefined) want(row.seq)
    },
  }
}
