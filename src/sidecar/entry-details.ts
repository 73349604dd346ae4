import type { Exchange } from './wire/exchange.js'
import { sizeOfExchange } from './wire/exchange.js'

/** What an answer was decided by and its entry in the log doesn't hold. */
export interface EntryContext {
  /** The GameServer's state before the event. */
  readonly state: string
  /** The GameServer was on its way out, or gone. */
  readonly ending: boolean
  /** What each fault did, a sentence each. */
  readonly faults: readonly string[]
}

/** What is kept beside the entries of a log, by their `seq`. */
export interface EntryDetails {
  contextOf(seq: number): EntryContext | undefined
  exchangeOf(seq: number): Exchange | undefined
  keepContext(seq: number, context: EntryContext): void
  /** Keeps a request and its answer. One that many entries share costs nothing. */
  keepExchange(seq: number, exchange: Exchange, isShared: boolean): void
  /** Forgets an entry. */
  drop(seq: number): void
}

/** Keeps details of about so many characters; the oldest exchanges are dropped first. */
export function createEntryDetails(maxSize: number): EntryDetails {
  const contexts = new Map<number, EntryContext>()
  const exchanges = new Map<number, { readonly exchange: Exchange; readonly size: number }>()
  let size = 0

  const dropExchange = (seq: number): void => {
    size -= exchanges.get(seq)?.size ?? 0
    exchanges.delete(seq)
  }
  return {
    contextOf: (seq) => contexts.get(seq),
    exchangeOf: (seq) => exchanges.get(seq)?.exchange,
    keepContext: (seq, context) => void contexts.set(seq, context),
    keepExchange(seq, exchange, isShared) {
      dropExchange(seq)
      const own = { exchange, size: isShared ? 0 : sizeOfExchange(exchange) }
      exchanges.set(seq, own)
      size += own.size
      if (size <= maxSize) return
      for (const oldest of exchanges.keys()) {
        if (size <= maxSize || oldest === seq) return
        dropExchange(oldest)
      }
    },
    drop(seq) {
      contexts.delete(seq)
      dropExchange(seq)
    },
  }
}
