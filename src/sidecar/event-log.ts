import { createKeptEntries } from './kept-entries.js'
import { callEach, callSafely } from './listeners.js'
import type { Report } from './listeners.js'
import type { GameServer } from '../protocol/game-server.js'
import type { EntryContext, KeptEntry, LogEntry } from './log-entry.js'
import { messageOf } from './model/state/answer.js'
import { publishedBy } from './model/state/effect.js'
import type { Change, Effect, Warning } from './model/state/effect.js'
import { excerpt } from './model/state/show.js'
import type { SidecarEvent } from './model/state/sidecar-event.js'
import type { Exchange } from './wire/exchange.js'

const maxMessage = 500

/** What the entry of a call holds beside the event and its outcome. */
export interface EntryNote {
  readonly ms?: number | undefined
  readonly client?: string | undefined
  readonly fault?: boolean
}

/** Told of everything that a recording holds. */
export interface LogFollower {
  /** `published` are the versions of the GameServer that the event made, for whoever watches. */
  onEntry(entry: LogEntry, published: readonly GameServer[]): void
  /** A request of an entry, with its answer and the time of that. Beats are left out. */
  onExchange(seq: number, exchange: Exchange, at: number): void
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
  append(
    event: SidecarEvent,
    at: number,
    effects: readonly Effect[],
    note: EntryNote | undefined,
    context: EntryContext | undefined,
  ): LogEntry
  /** Keeps a request and its answer beside an entry. */
  keepExchange(seq: number, exchange: Exchange, at: number): void
  /** The same for one that many entries share, and that nobody is told of. */
  keepShared(seq: number, exchange: Exchange): void
  /** Tells the listeners. Apart from `append`, so that a listener sees the sidecar after the event. */
  announce(entry: LogEntry, effects: readonly Effect[]): void
  readonly lastSeq: number
}

/** Creates a log that keeps so many entries and about so many characters; the oldest are dropped first. */
export function createLog(maxEntries: number, maxSize: number, report: Report): WritableLog {
  const listeners = new Set<(entry: LogEntry) => void>()
  const followers = new Set<LogFollower>()
  const kept = createKeptEntries(maxEntries, maxSize)
  let lastSeq = 0

  return {
    get lastSeq() {
      return lastSeq
    },
    append(event, at, effects, note, context) {
      const entry = entryOf(++lastSeq, at, event, effects, note)
      kept.add(entry, context)
      return entry
    },
    keepExchange(seq, exchange, at) {
      kept.keepExchange(seq, exchange, false)
      for (const follower of [...followers]) callSafely(() => follower.onExchange(seq, exchange, at), undefined, report)
    },
    keepShared: (seq, exchange) => kept.keepExchange(seq, exchange, true),
    find: kept.find,
    announce(entry, effects) {
      callEach(listeners, entry, report)
      if (followers.size === 0) return
      const published = publishedBy(effects)
      for (const follower of [...followers]) callSafely(() => follower.onEntry(entry, published), undefined, report)
    },
    entries: (since = 0) => kept.after(since),
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

const nothing: readonly never[] = Object.freeze([])

/** The entry of an event, with the part of its effects that people want to read. */
function entryOf(
  seq: number,
  at: number,
  event: SidecarEvent,
  effects: readonly Effect[],
  note: EntryNote | undefined,
): LogEntry {
  let changes: Change[] | undefined
  let warnings: Warning[] | undefined
  let reply: LogEntry['reply']
  let problem: string | undefined
  let isFault = note?.fault === true
  for (const effect of effects) {
    if (effect.type === 'change') (changes ??= []).push(effect.change)
    else if (effect.type === 'warn') {
      warnings ??= []
      warnings.push({ code: effect.code, message: effect.message, times: effect.times })
    } else if (effect.type === 'fault') isFault = true
    else if (effect.type === 'control-result' && !effect.ok) problem = excerpt(effect.message, maxMessage)
    else if (effect.type === 'reply') {
      const message = messageOf(effect)
      reply = { status: effect.status, ...(message === undefined ? {} : { message: excerpt(message, maxMessage) }) }
    }
  }
  return {
    seq,
    at,
    event,
    ...(reply && { reply }),
    ...(problem === undefined ? {} : { problem }),
    changes: changes ?? nothing,
    warnings: warnings ?? nothing,
    ...(note?.ms === undefined ? {} : { ms: note.ms }),
    ...(note?.client === undefined ? {} : { client: note.client }),
    ...(isFault ? { fault: true } : {}),
  }
}
