/** What both timelines know of an entry. */
export interface Entry {
  /** Grows by 1. */
  readonly seq: number
  /** ms since the Unix epoch. */
  readonly at: number
}

/** One row of a timeline. */
export type Row<E extends Entry = Entry> =
  | { readonly type: 'entry'; readonly seq: number; readonly entry: E }
  /** Routine calls of one client, with only routine calls between them. `seq` is that of the first. */
  | { readonly type: 'repeats'; readonly seq: number; readonly repeats: readonly E[] }
  /** Entries that the server no longer keeps. `seq` is that of the first one. */
  | { readonly type: 'skipped'; readonly seq: number; readonly count: number }

/** The newest entry of a row, which its details show. */
export const entryOf = <E extends Entry>(row: Row<E>): E | undefined =>
  row.type === 'entry' ? row.entry : row.type === 'repeats' ? row.repeats.at(-1) : undefined
