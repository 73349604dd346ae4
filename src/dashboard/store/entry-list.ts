import { signal } from '@preact/signals'
import type { LogEntry } from '../../sidecar/index.js'

/** How many entries the page keeps; the sidecar itself keeps as many. */
const MAX_ENTRIES = 5000

/** Milliseconds between two renders: a single event is seen at once, and a thousand a second cost twelve renders. */
const INTERVAL = 80

/** Keeps the newest entries. Those that come together are shown together, with the next frame. */
export function createEntryList() {
  const entries = signal<readonly LogEntry[]>([])
  let waiting: LogEntry[] = []
  let last: LogEntry | undefined
  let isScheduled = false
  let lastFlush = 0

  const flush = (): void => {
    isScheduled = false
    lastFlush = performance.now()
    const all = [...entries.peek(), ...waiting]
    const isInOrder = all.every(({ seq }, i) => i === 0 || seq > all[i - 1]!.seq)
    waiting = []
    entries.value = (isInOrder ? all : inOrder(all)).slice(-MAX_ENTRIES)
  }

  return {
    entries,
    /** The newest entry; its `at` tells the logs of two sidecars apart. */
    last: () => last,
    add(added: readonly LogEntry[]): void {
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
      else setTimeout(() => requestAnimationFrame(flush), Math.max(0, rest))
    },
    clear(): void {
      waiting = []
      last = undefined
      entries.value = []
    },
  }
}

/** By number, each once. */
const inOrder = (entries: readonly LogEntry[]): LogEntry[] =>
  [...new Map(entries.map((entry) => [entry.seq, entry])).values()].sort((a, b) => a.seq - b.seq)
