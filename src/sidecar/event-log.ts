import { callEach } from './listeners.js'
import type { SidecarEvent } from './model/state/sidecar-event.js'
import type { SidecarState } from './model/state/sidecar-state.js'
import type { EventLog, LogEntry } from './sidecar.js'

/** A run of entries and the state before the first: where the log is cut, replay begins with that state. */
interface Segment {
  readonly before: SidecarState
  readonly entries: LogEntry[]
  size: number
}

export interface WritableLog extends EventLog {
  append(entry: Omit<LogEntry, 'seq'>, before: SidecarState): LogEntry
  /** Tells the listeners. Apart from `append`, so that a listener sees the sidecar after the event. */
  announce(entry: LogEntry): void
  readonly lastSeq: number
}

/**
 * An event log of at most so many entries and about so many characters; the oldest make room for the
 * newest.
 */
export function createLog(initial: SidecarState, maxEntries: number, maxSize: number): WritableLog {
  const segmentLength = Math.max(1, Math.floor(maxEntries / 16))
  const segmentSize = Math.max(1, Math.floor(maxSize / 16))
  const listeners = new Set<(entry: LogEntry) => void>()
  let segments: Segment[] = []
  let count = 0
  let size = 0
  let lastSeq = 0
  let latest = initial

  return {
    get lastSeq() {
      return lastSeq
    },
    append(fields, before) {
      const entry: LogEntry = { seq: ++lastSeq, ...fields }
      let segment = segments[segments.length - 1]
      if (!segment || segment.entries.length >= segmentLength || segment.size >= segmentSize) {
        segment = { before, entries: [], size: 0 }
        segments.push(segment)
      }
      const added = sizeOf(entry.event)
      segment.entries.push(entry)
      segment.size += added
      size += added
      count++
      while (count > maxEntries || (size > maxSize && segments.length > 1)) {
        const oldest = segments[0]!
        segments = segments.slice(1)
        count -= oldest.entries.length
        size -= oldest.size
      }
      latest = before
      return entry
    },
    announce(entry) {
      callEach(listeners, entry)
    },
    entries(since = 0) {
      return segments.flatMap(({ entries }) => entries.filter(({ seq }) => seq > since))
    },
    subscribe(listener) {
      const own = (entry: LogEntry): void => listener(entry)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    checkpoint() {
      const first = segments[0]
      return first ? { state: first.before, seq: first.entries[0]!.seq - 1 } : { state: latest, seq: lastSeq }
    },
  }
}

/** About how many characters an event holds. */
function sizeOf(value: SidecarEvent | unknown): number {
  if (typeof value === 'string') return value.length + 8
  if (typeof value !== 'object' || value === null) return 8
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + sizeOf(item), 16)
}
