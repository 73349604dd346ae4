import type { LogEntry } from '../../sidecar/index.js'
import { isPlainBeat, isSilent } from './entry.js'

/** One row of the timeline. */
export type Row =
  | { readonly type: 'entry'; readonly seq: number; readonly entry: LogEntry }
  /** Beats with nothing between them. `seq` is that of the first, so that a row keeps its place while it grows. */
  | { readonly type: 'beats'; readonly seq: number; readonly beats: readonly LogEntry[] }
  /** Entries that the sidecar no longer keeps. `seq` is that of the first one. */
  | { readonly type: 'skipped'; readonly seq: number; readonly count: number }

/** The rows of the entries that pass a filter, oldest first. */
export function rowsOf(entries: readonly LogEntry[], passes: (entry: LogEntry) => boolean): Row[] {
  const rows: Row[] = []
  let before = 0
  let beats: LogEntry[] | undefined
  for (const entry of entries) {
    if (entry.seq > before + 1) {
      rows.push({ type: 'skipped', seq: before + 1, count: entry.seq - before - 1 })
      beats = undefined
    }
    before = entry.seq
    if (isSilent(entry) || !passes(entry)) continue
    if (!isPlainBeat(entry)) {
      beats = undefined
      rows.push({ type: 'entry', seq: entry.seq, entry })
    } else if (beats !== undefined && beats[0]!.client === entry.client) {
      beats.push(entry)
    } else {
      beats = [entry]
      rows.push({ type: 'beats', seq: entry.seq, beats })
    }
  }
  return rows
}

/** `health x12 (every 2.0 s, max gap 2.1)`: the parts of it after the name. */
export function rhythmOf(beats: readonly LogEntry[]): string {
  if (beats.length < 2) return ''
  const gaps = beats.slice(1).map(({ at }, i) => at - beats[i]!.at)
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return `×${beats.length} (every ${seconds(mean)} s, max gap ${seconds(Math.max(...gaps))})`
}

/** The newest entry of a row, which its details show. */
export const entryOf = (row: Row): LogEntry | undefined =>
  row.type === 'entry' ? row.entry : row.type === 'beats' ? row.beats.at(-1) : undefined
