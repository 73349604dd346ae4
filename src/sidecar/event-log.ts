import { createEntryDetails } from './entry-details.js'
import type { EntryContext } from './entry-details.js'
import { callEach, callSafely } from './listeners.js'
import type { Report } from './listeners.js'
import type { GameServer } from '../protocol/game-server.js'
import { messageOf } from './model/state/answer.js'
import { publishedBy } from './model/state/effect.js'
import type { Change, Effect, Warning } from './model/state/effect.js'
import { excerpt } from './model/state/show.js'
import type { SidecarEvent } from './model/state/sidecar-event.js'
import type { Exchange } from './wire/exchange.js'

const maxMessage = 500
/** Characters of requests and answers that are kept in all. */
const maxDetails = 8 * 1024 * 1024

/** One entry of the event log. Its `event` is enough to replay it; the rest tells the outcome. */
export interface LogEntry {
  /** 1 for the first entry since the start. */
  readonly seq: number
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly event: SidecarEvent
  /** The answer, if the event was a call. */
  readonly reply?: { readonly status: number; readonly message?: string }
  /** Why a control command changed nothing. */
  readonly problem?: string
  readonly changes: readonly Change[]
  readonly warnings: readonly Warning[]
  /** How long the call took in milliseconds of the sidecar's clock, its delays included. */
  readonly ms?: number
  /** Who called, in a word: `page#1`, `node#1`, `ws#2`. */
  readonly client?: string
  /** A fault had a part in the answer. */
  readonly fault?: true
}

/** What the entry of a call holds beside the event and its outcome. */
export interface EntryNote {
  readonly ms?: number | undefined
  readonly client?: string | undefined
  readonly fault?: boolean
}

/** An entry with all that is kept beside it. The oldest exchanges are dropped first. */
export interface KeptEntry {
  readonly entry: LogEntry
  readonly context?: EntryContext
  readonly exchange?: Exchange
}

/** Told of everything that a recording holds. */
export interface LogFollower {
  /** `published` are the versions of the GameServer that the event made, for whoever watches. */
  onEntry(entry: LogEntry, published: readonly GameServer[]): void
  /** A request of an entry, with its answer. Beats are left out. */
  onExchange(seq: number, exchange: Exchange): void
}

export interface EventLog {
  /** The entries that are still kept, oldest first; with `since`, those with a greater `seq`. */
  entries(since?: number): readonly LogEntry[]
  /** Calls `listener` for each entry from now on. A listener that throws stops no other. */
  subscribe(listener: (entry: LogEntry) => void): () => void
  follow(follower: LogFollower): () => void
  /** What is kept of an entry; undefined for one that isn't kept any more or isn't there yet. */
  find(seq: number): KeptEntry | undefined
}

export interface WritableLog extends EventLog {
  append(event: SidecarEvent, at: number, effects: readonly Effect[], note?: EntryNote): LogEntry
  keepContext(seq: number, context: EntryContext): void
  /** Keeps a request and its answer beside an entry. */
  keepExchange(seq: number, exchange: Exchange, isShared?: boolean): void
  /** Tells the listeners. Apart from `append`, so that a listener sees the sidecar after the event. */
  announce(entry: LogEntry, effects: readonly Effect[]): void
  readonly lastSeq: number
}

/** Creates a log that keeps so many entries and about so many characters; the oldest are dropped first. */
export function createLog(maxEntries: number, maxSize: number, report: Report): WritableLog {
  const listeners = new Set<(entry: LogEntry) => void>()
  const sizes = new Map<LogEntry, number>()
  const bySeq = new Map<number, LogEntry>()
  const followers = new Set<LogFollower>()
  const details = createEntryDetails(maxDetails)
  let size = 0
  let lastSeq = 0

  /** Drops the oldest entries; a newest entry that is too large by itself is kept. */
  function dropOldest(): void {
    for (const [entry, entrySize] of sizes) {
      if (sizes.size <= maxEntries && (size <= maxSize || sizes.size === 1)) return
      sizes.delete(entry)
      bySeq.delete(entry.seq)
      size -= entrySize
      details.drop(entry.seq)
    }
  }

  const isKept = (seq: number): boolean => seq > lastSeq - sizes.size && seq <= lastSeq

  return {
    get lastSeq() {
      return lastSeq
    },
    append(event, at, effects, note) {
      const entry: LogEntry = { seq: ++lastSeq, at, event, ...outcomeOf(effects), ...(note && fieldsOf(note)) }
      const entrySize = sizeOf(entry)
      sizes.set(entry, entrySize)
      bySeq.set(entry.seq, entry)
      size += entrySize
      dropOldest()
      return entry
    },
    keepContext: (seq, context) => void details.keepContext(seq, context),
    keepExchange(seq, exchange, isShared = false) {
      if (isKept(seq)) details.keepExchange(seq, exchange, isShared)
      if (isShared) return
      for (const follower of [...followers]) callSafely(() => follower.onExchange(seq, exchange), undefined, report)
    },
    find(seq) {
      if (!isKept(seq)) return undefined
      const entry = bySeq.get(seq)
      const context = details.contextOf(seq)
      const exchange = details.exchangeOf(seq)
      return entry && { entry, ...(context && { context }), ...(exchange && { exchange }) }
    },
    announce(entry, effects) {
      callEach(listeners, entry, report)
      if (followers.size === 0) return
      const published = publishedBy(effects)
      for (const follower of [...followers]) callSafely(() => follower.onEntry(entry, published), undefined, report)
    },
    entries(since = 0) {
      return [...sizes.keys()].filter(({ seq }) => seq > since)
    },
    follow(follower) {
      const own = { ...follower }
      followers.add(own)
      return () => void followers.delete(own)
    },
    subscribe(listener) {
      const own = (entry: LogEntry): void => listener(entry)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}

function fieldsOf({ ms, client, fault }: EntryNote): Pick<LogEntry, 'ms' | 'client' | 'fault'> {
  return {
    ...(ms === undefined ? {} : { ms }),
    ...(client === undefined ? {} : { client }),
    ...(fault === true ? { fault } : {}),
  }
}

/** The part of an event's effects that people want to read. */
function outcomeOf(effects: readonly Effect[]): Pick<LogEntry, 'reply' | 'problem' | 'changes' | 'warnings' | 'fault'> {
  const changes: Change[] = []
  const warnings: Warning[] = []
  let reply: LogEntry['reply']
  let problem: string | undefined
  let fault = false
  for (const effect of effects) {
    if (effect.type === 'change') changes.push(effect.change)
    else if (effect.type === 'warn') warnings.push({ code: effect.code, message: effect.message, times: effect.times })
    else if (effect.type === 'fault') fault = true
    else if (effect.type === 'control-result' && !effect.ok) problem = excerpt(effect.message, maxMessage)
    else if (effect.type === 'reply') {
      const message = messageOf(effect)
      reply = { status: effect.status, ...(message === undefined ? {} : { message: excerpt(message, maxMessage) }) }
    }
  }
  return {
    ...(reply ? { reply } : {}),
    ...(problem === undefined ? {} : { problem }),
    changes,
    warnings,
    ...(fault ? { fault } : {}),
  }
}

/** About how many characters a value holds. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 8
  if (typeof value !== 'object' || value === null) return 8
  let size = 16
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item)
  else for (const [key, item] of Object.entries(value)) size += key.length + sizeOf(item)
  return size
}
