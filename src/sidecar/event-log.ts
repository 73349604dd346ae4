import { callEach } from './listeners.js'
import type { Report } from './listeners.js'
import { messageOf } from './model/state/answer.js'
import type { Change, Effect, Warning } from './model/state/effect.js'
import { excerpt } from './model/state/show.js'
import type { SidecarEvent } from './model/state/sidecar-event.js'

const maxMessage = 500

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

export interface EventLog {
  /** The entries that are still kept, oldest first; with `since`, those with a greater `seq`. */
  entries(since?: number): readonly LogEntry[]
  /** Calls `listener` for each entry from now on. A listener that throws stops no other. */
  subscribe(listener: (entry: LogEntry) => void): () => void
}

export interface WritableLog extends EventLog {
  append(event: SidecarEvent, at: number, effects: readonly Effect[]): LogEntry
  /** Tells the listeners. Apart from `append`, so that a listener sees the sidecar after the event. */
  announce(entry: LogEntry): void
  readonly lastSeq: number
}

/** Creates a log that keeps so many entries and about so many characters; the oldest are dropped first. */
export function createLog(maxEntries: number, maxSize: number, report: Report): WritableLog {
  const listeners = new Set<(entry: LogEntry) => void>()
  const sizes = new Map<LogEntry, number>()
  let size = 0
  let lastSeq = 0

  /** Drops the oldest entries; a newest entry that is too large by itself is kept. */
  function dropOldest(): void {
    for (const [entry, entrySize] of sizes) {
      if (sizes.size <= maxEntries && (size <= maxSize || sizes.size === 1)) return
      sizes.delete(entry)
      size -= entrySize
    }
  }

  return {
    get lastSeq() {
      return lastSeq
    },
    append(event, at, effects) {
      const entry = { seq: ++lastSeq, at, event, ...outcomeOf(effects) }
      const entrySize = sizeOf(entry)
      sizes.set(entry, entrySize)
      size += entrySize
      dropOldest()
      return entry
    },
    announce(entry) {
      callEach(listeners, entry, report)
    },
    entries(since = 0) {
      return [...sizes.keys()].filter(({ seq }) => seq > since)
    },
    subscribe(listener) {
      const own = (entry: LogEntry): void => listener(entry)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}

/** The part of an event's effects that people want to read. */
function outcomeOf(effects: readonly Effect[]): Pick<LogEntry, 'reply' | 'problem' | 'changes' | 'warnings'> {
  const changes: Change[] = []
  const warnings: Warning[] = []
  let reply: LogEntry['reply']
  let problem: string | undefined
  for (const effect of effects) {
    if (effect.type === 'change') changes.push(effect.change)
    else if (effect.type === 'warn') warnings.push({ code: effect.code, message: effect.message, times: effect.times })
    else if (effect.type === 'control-result' && !effect.ok) problem = excerpt(effect.message, maxMessage)
    else if (effect.type === 'reply') {
      const message = messageOf(effect)
      reply = { status: effect.status, ...(message === undefined ? {} : { message: excerpt(message, maxMessage) }) }
    }
  }
  return { ...(reply ? { reply } : {}), ...(problem === undefined ? {} : { problem }), changes, warnings }
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
