import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { LogEntry } from '../../sidecar/index.js'

/** How many entries the page keeps; the sidecar itself keeps as many. */
const MAX_ENTRIES = 5000

/** Milliseconds between two renders: a single event is seen at once, and a thousand a second cost twelve renders. */
const INTERVAL = 80

export interface EntryList {
  readonly entries: ReadonlySignal<readonly LogEntry[]>
  readonly lastSeq: number
  /** `at` of the newest entry, which tells the logs of two sidecars apart. */
  readonly lastAt: number | undefined
  /** Adds entries; they are shown with the next frame. */
  add(entries: readonly LogEntry[]): void
  clear(): void
}

/** Keeps the newest entries. Those that come together are shown together. */
export function createEntryList(): EntryList {
  const entries = signal<readonly LogEntry[]>([])
  let waiting: LogEntry[] = []
  let last: LogEntry | undefined
  let isScheduled = false
  let lastFlush = 0

  const flush = (): void => {
    isScheduled = false
    lastFlush = performance.now()
    const added = waiting
    waiting = []
    if (added.length === 0) return
    const kept = entries.peek()
    const isInOrder = added.every(({ seq }, i) => seq > (added[i - 1]?.seq ?? kept.at(-1)?.seq ?? 0))
    const all = isInOrder ? [...kept, ...added] : inOrder([...kept, ...added])
    entries.value = all.slice(-MAX_ENTRIES)
  }

  return {
    entries,
    get lastSeq() {
      return last?.seq ?? 0
    },
    get lastAt() {
      return last?.at
    },
    add(added) {
      for (const entry of added) {
        waiting.push(entry)
        if (entry.seq > (last?.seq ?? 0)) last = entry
      }
      if (waiting.length > 2 * MAX_ENTRIES) waiting = waiting.slice(-MAX_ENTRIES)
      if (isScheduled || waiting.length === 0) return
      isScheduled = true
      // A hidden page has no frames.
      const rest = lastFlush + INTERVAL - performance.now()
      if (document.hidden) setTimeout(flush, 5 * INTERVAL)
      else if (rest > 0) setTimeout(() => requestAnimationFrame(flush), rest)
      else requestAnimationFrame(flush)
    },
    clear() {
      waiting = []
      last = undefined
      entries.value = []
    },
  }
}

/** By number, each once. */
function inOrder(entries: readonly LogEntry[]): LogEntry[] {
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]))
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}
