import type { LogEntry } from '../../sidecar/index.js'
import { clockTime } from '../common/format.js'
import { describe } from './describe.js'
import type { Row } from '../store/page-state.js'

/** The rows of the entries that pass a filter, sorted by their newest entries. */
export function rowsOf(entries: readonly LogEntry[], passes: (entry: LogEntry) => boolean): Row<LogEntry>[] {
  const rows: Row<LogEntry>[] = []
  let before = 0
  /** The open rows of repeats; the one that grew last is last. */
  const growing = new Map<string, { type: 'repeats'; seq: number; repeats: LogEntry[] }>()
  const addAfterThem = (row?: Row<LogEntry>): void => {
    rows.push(...growing.values(), ...(row ? [row] : []))
    growing.clear()
  }
  for (const entry of entries) {
    const skipped = entry.seq - before - 1
    if (skipped > 0) addAfterThem({ type: 'skipped', seq: before + 1, count: skipped })
    before = entry.seq
    if (isSilent(entry) || !passes(entry)) continue
    if (!isRoutine(entry)) {
      addAfterThem({ type: 'entry', seq: entry.seq, entry })
      continue
    }
    const key = `${describe(entry).kind} ${entry.client}`
    const row = growing.get(key) ?? { type: 'repeats', seq: entry.seq, repeats: [] }
    row.repeats.push(entry)
    growing.delete(key)
    growing.set(key, row)
  }
  addAfterThem()
  return rows
}

/** The text after the name of a row of repeats: `×12 since 09:30:57 (every 2.0 s, max gap 2.1)`. */
export function rhythmOf(repeats: readonly LogEntry[]): string {
  if (repeats.length < 2) return ''
  const gaps = repeats.slice(1).map(({ at }, i) => at - repeats[i]!.at)
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return `×${repeats.length} since ${clockTime(repeats[0]!.at).slice(0, 8)} (every ${seconds(mean)} s, max gap ${seconds(Math.max(...gaps))})`
}

/** A successful beat, or a successful read of the GameServer, as the client sends them while idle. They share rows. */
const isRoutine = (entry: LogEntry): boolean =>
  entry.event.type === 'call' &&
  (entry.event.call.operation === 'health' || entry.event.call.operation === 'getGameServer') &&
  entry.reply?.status === 200 &&
  entry.changes.length === 0 &&
  entry.warnings.length === 0 &&
  entry.fault !== true

/** A tick of the clock without any effect. */
export const isSilent = (entry: LogEntry): boolean =>
  entry.event.type === 'tick' && entry.changes.length === 0 && entry.warnings.length === 0
