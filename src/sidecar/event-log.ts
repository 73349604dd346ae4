import type { GameServer } from '../protocol/game-server.js'
import { callSafely } from './listeners.js'
import type { Report } from './listeners.js'
import { messageOf } from './model/state/answer.js'
import type { Change, Effect, Warning } from './model/state/effect.js'
import { excerpt } from './model/state/show.js'
import type { SidecarEvent } from './model/state/sidecar-event.js'
import type { SidecarState } from './model/state/sidecar-state.js'
import type { Exchange } from './wire/exchange.js'

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

/** An entry with all that is kept beside it. */
export interface KeptEntry {
  readonly entry: LogEntry
  /** The GameServer before the event. */
  readonly before: GameServer
  /** It was gone from the cluster. */
  readonly wasGone: boolean
  /** The versions of the GameServer that the event made, for whoever watches. */
  readonly published: readonly GameServer[]
  /** What each fault did, a sentence each. */
  readonly faults: readonly string[]
  /** Of a request; undefined until it is answered. */
  readonly exchange: Exchange | undefined
}

const maxMessage = 500

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

/** What has happened, as the log is told. */
export interface Happening {
  readonly at: number
  readonly event: SidecarEvent
  readonly before: SidecarState
  readonly effects: readonly Effect[]
  /** Of a call: who made it, how long it took, and whether it was held up on purpose. */
  readonly ms?: number | undefined
  readonly client?: string | undefined
  readonly delayed?: boolean | undefined
}

export interface WritableLog extends EventLog {
  readonly lastSeq: number
  append(happening: Happening): KeptEntry
  /** Tells the listeners. Apart from `append`, so that a listener sees the sidecar after the event. */
  announce(kept: KeptEntry): void
  /** Keeps a request and its answer beside an entry. */
  keepExchange(seq: number, exchange: Exchange, at: number): void
  /** The same as `entries()`, with all that is kept beside them. */
  kept(since: number): readonly KeptEntry[]
}

/** Creates a log that keeps so many entries and about so many characters; the oldest are dropped first. */
export function createLog(maxEntries: number, maxSize: number, report: Report): WritableLog {
  const followers = new Set<LogFollower>()
  /** In the order of their numbers, which have no gaps. */
  const entries = new Map<number, { kept: KeptEntry; size: number }>()
  const sum = { lastSeq: 0, size: 0 }

  /** A newest entry that is too large by itself is kept. */
  function keep(kept: KeptEntry, size: number): void {
    const { seq } = kept.entry
    sum.size += size - (entries.get(seq)?.size ?? 0)
    entries.set(seq, { kept, size })
    for (const [oldest, { size }] of entries) {
      if (entries.size <= maxEntries && (sum.size <= maxSize || entries.size === 1)) return
      entries.delete(oldest)
      sum.size -= size
    }
  }

  const keptAfter = (since: number): KeptEntry[] =>
    [...entries.values()].flatMap(({ kept }) => (kept.entry.seq > since ? [kept] : []))

  function follow(follower: LogFollower): () => void {
    const own = { ...follower }
    followers.add(own)
    return () => void followers.delete(own)
  }

  return {
    get lastSeq() {
      return sum.lastSeq
    },
    append(happening) {
      const { before, effects } = happening
      const faults = effects.flatMap((effect) => (effect.type === 'fault' ? [effect.rule] : []))
      if (happening.delayed === true) faults.push('delayCalls held it up')
      const kept = {
        entry: entryOf(++sum.lastSeq, happening, faults.length > 0),
        before: before.object,
        wasGone: before.gone,
        published: effects.flatMap((effect) => (effect.type === 'publish' ? [effect.gameServer] : [])),
        faults,
        exchange: undefined,
      }
      keep(kept, sizeOf(kept.entry))
      return kept
    },
    announce({ entry, published }) {
      for (const follower of [...followers]) callSafely(() => follower.onEntry(entry, published), undefined, report)
    },
    keepExchange(seq, exchange, at) {
      const found = entries.get(seq)
      if (found !== undefined) keep({ ...found.kept, exchange }, found.size + sizeOf(exchange))
      if (found !== undefined && isBeat(found.kept.entry)) return
      for (const follower of [...followers]) callSafely(() => follower.onExchange(seq, exchange, at), undefined, report)
    },
    kept: keptAfter,
    find: (seq) => entries.get(seq)?.kept,
    entries: (since = 0) => keptAfter(since).map(({ entry }) => entry),
    follow,
    subscribe: (listener) => follow({ onEntry: (entry) => listener(entry), onExchange: () => undefined }),
  }
}

const sizeOf = (value: LogEntry | Exchange): number => JSON.stringify(value).length

/** A beat comes by the thousand, and its request tells nothing. */
const isBeat = ({ event, reply }: LogEntry): boolean =>
  event.type === 'call' && event.call.operation === 'health' && reply?.status === 200

/** The entry of an event, with the part of its effects that people want to read. */
function entryOf(seq: number, { at, event, effects, ms, client }: Happening, isFault: boolean): LogEntry {
  const reply = effects.find((effect) => effect.type === 'reply')
  const message = reply && messageOf(reply)
  const result = effects.find((effect) => effect.type === 'control-result')
  return {
    seq,
    at,
    event,
    ...(reply && {
      reply: { status: reply.status, ...(message === undefined ? {} : { message: excerpt(message, maxMessage) }) },
    }),
    ...(result?.ok === false && { problem: excerpt(result.message, maxMessage) }),
    changes: effects.flatMap((effect) => (effect.type === 'change' ? [effect.change] : [])),
    warnings: effects.flatMap((effect) => {
      if (effect.type !== 'warn') return []
      const { code, message, times } = effect
      return [{ code, message, times }]
    }),
    ...(ms === undefined ? {} : { ms }),
    ...(client === undefined ? {} : { client }),
    ...(isFault ? { fault: true } : {}),
  }
}
