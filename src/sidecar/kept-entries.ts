import type { EntryContext, KeptEntry, LogEntry } from './log-entry.js'
import { sizeOfExchange } from './wire/exchange.js'
import type { Exchange } from './wire/exchange.js'

/** Characters of requests and answers that are kept in all. */
const maxExchanges = 8 * 1024 * 1024

/** The entries that a log still keeps, by their `seq`, which has no gaps. */
export interface KeptEntries {
  add(entry: LogEntry, context: EntryContext | undefined): void
  find(seq: number): KeptEntry | undefined
  /** Those with a greater `seq`, oldest first. */
  after(seq: number): LogEntry[]
  /** Keeps a request and its answer. One that many entries share costs nothing. */
  keepExchange(seq: number, exchange: Exchange, isShared: boolean): void
}

interface Kept {
  readonly entry: LogEntry
  readonly size: number
  readonly context: EntryContext | undefined
  exchange: Exchange | undefined
  exchangeSize: number
}

/** Keeps so many entries and about so many characters of them; the oldest are dropped first, and so are exchanges. */
export function createKeptEntries(maxEntries: number, maxSize: number): KeptEntries {
  const entries = new Map<number, Kept>()
  let oldest = 1
  let newest = 0
  let size = 0
  /** No entry before this one has an exchange that takes space. */
  let oldestExchange = 1
  let exchangeSize = 0

  /** A newest entry that is too large by itself is kept. */
  function dropOldest(): void {
    while (entries.size > maxEntries || (size > maxSize && entries.size > 1)) {
      const kept = entries.get(oldest)!
      size -= kept.size
      exchangeSize -= kept.exchangeSize
      entries.delete(oldest)
      oldest += 1
    }
  }

  function dropExchanges(latest: number): void {
    oldestExchange = Math.max(oldest, Math.min(oldestExchange, latest))
    for (; exchangeSize > maxExchanges && oldestExchange < newest; oldestExchange += 1) {
      const kept = entries.get(oldestExchange)!
      if (oldestExchange === latest || kept.exchangeSize === 0) continue
      exchangeSize -= kept.exchangeSize
      kept.exchange = undefined
      kept.exchangeSize = 0
    }
    // The one that has just come stays, and is the next to go if its entry is old.
    oldestExchange = Math.min(oldestExchange, latest)
  }

  return {
    add(entry, context) {
      newest = entry.seq
      const own = { entry, size: sizeOf(entry), context, exchange: undefined, exchangeSize: 0 }
      entries.set(newest, own)
      size += own.size
      dropOldest()
    },
    find: (seq) => entries.get(seq),
    after(seq) {
      const found: LogEntry[] = []
      for (let next = Math.max(oldest, seq + 1); next <= newest; next++) found.push(entries.get(next)!.entry)
      return found
    },
    keepExchange(seq, exchange, isShared) {
      const kept = entries.get(seq)
      if (kept === undefined) return
      exchangeSize -= kept.exchangeSize
      kept.exchange = exchange
      kept.exchangeSize = isShared ? 0 : sizeOfExchange(exchange)
      exchangeSize += kept.exchangeSize
      if (exchangeSize > maxExchanges) dropExchanges(seq)
    },
  }
}

/** About how many characters a value holds. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 8
  if (typeof value !== 'object' || value === null) return 8
  let size = 16
  if (Array.isArray(value)) {
    for (const item of value) size += sizeOf(item)
    return size
  }
  for (const key of Object.keys(value)) size += key.length + sizeOf((value as Readonly<Record<string, unknown>>)[key])
  return size
}
