import type { LogEntry } from '../sidecar/index.js'

/** Counts what has passed through a sidecar's event log. */
export interface EventTally {
  count(entry: LogEntry): void
  /** Calls, changes of the GameServer, and answers that were errors. */
  readonly totals: { readonly calls: number; readonly events: number; readonly errors: number }
}

export function createEventTally(): EventTally {
  const totals = { calls: 0, events: 0, errors: 0 }
  return {
    totals,
    count({ event, reply, changes }) {
      const status = event.type === 'refused' ? event.status : (reply?.status ?? 200)
      if (event.type === 'call' || event.type === 'refused') totals.calls += 1
      if (changes.length > 0) totals.events += 1
      if (status >= 400) totals.errors += 1
    },
  }
}

/** The totals in words, such as `12 calls, 3 events, 0 errors`. */
export function tallyText({ totals }: EventTally): string {
  const words = Object.entries(totals).map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`)
  return words.join(', ')
}
