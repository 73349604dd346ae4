import type { GameServer } from '../../protocol/game-server.js'
import { createListeners, type Report } from './listeners.js'
import { Newest } from './newest.js'
import { messageOf } from './state/answer.js'
import type { Change, Effect, SidecarEvent, Warning } from './state/events.js'
import { copyOf, excerpt } from './state/show.js'
import type { SidecarState } from './state/sidecar-state.js'

/** One entry of the event log: an event with its outcome. */
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

/** An entry with what is kept for its details. */
export interface KeptEntry {
  readonly entry: LogEntry
  /** The GameServer before the event. */
  readonly before: GameServer
  /** The GameServer was gone from the cluster. */
  readonly wasGone: boolean
  /** What a fault did to the answer, in a sentence without its end. */
  readonly fault: string | undefined
  /** A fault delayed the call. */
  readonly isDelayed: boolean
  /** The request and its answer; undefined until it is answered. */
  readonly exchange: Exchange | undefined
}

const maxMessage = 500

export interface EventLog {
  /** The entries that are still kept, oldest first; with `since`, those with a greater `seq`. */
  entries(since?: number): readonly LogEntry[]
  /** Calls `listener` for each entry from now on. Listeners are isolated: one that throws doesn't stop the others. */
  subscribe(listener: (entry: LogEntry) => void): () => void
  /** An entry with its details; undefined if it was dropped or doesn't exist yet. */
  find(seq: number): KeptEntry | undefined
}

/** An event with its outcome, for the log. */
export interface Happening extends Pick<LogEntry, 'at' | 'event'> {
  readonly before: SidecarState
  readonly effects: readonly Effect[]
  readonly ms?: number | undefined
  readonly client?: string | undefined
  /** A fault delayed the call. */
  readonly isDelayed?: boolean | undefined
}

export type WritableLog = ReturnType<typeof createLog>

/** Creates a log with limits for its entries and, roughly, its characters; the oldest entries are dropped first. */
export function createLog(maxEntries: number, maxSize: number, report: Report) {
  const listeners = createListeners<LogEntry>(report)
  /** In the order of their numbers, without gaps. */
  const kept = new Newest<KeptEntry>(maxEntries, maxSize)
  let lastSeq = 0

  /** The place of an entry among those that are kept. */
  const placeOf = (seq: number): number => seq - 1 - (lastSeq - kept.items.length)

  return {
    get lastSeq() {
      return lastSeq
    },
    append(happening: Happening): KeptEntry {
      const { before, effects, isDelayed = false } = happening
      const fault = effects.find((effect) => effect.type === 'fault')?.rule
      const added = {
        entry: entryOf(++lastSeq, happening, isDelayed || fault !== undefined),
        before: before.object,
        wasGone: before.gone,
        fault,
        isDelayed,
        exchange: undefined,
      }
      kept.push(added, sizeOf(added.entry))
      return added
    },
    /** Calls the listeners. Separate from `append`, so that a listener sees the sidecar after the event. */
    announce: ({ entry }: KeptEntry): void => listeners.call(entry),
    /** Keeps a request and its answer with their entry. */
    keepExchange(seq: number, exchange: Exchange): void {
      const place = placeOf(seq)
      const found = kept.items[place]
      if (found !== undefined) kept.replace(place, { ...found, exchange }, sizeOf(exchange))
    },
    find: (seq: number): KeptEntry | undefined => kept.items[placeOf(seq)],
    entries: (since = 0): readonly LogEntry[] =>
      kept.items.slice(Math.max(0, placeOf(since + 1))).map(({ entry }) => entry),
    subscribe: listeners.add,
  }
}

const sizeOf = (value: LogEntry | Exchange): number => JSON.stringify(value).length

/** The entry of an event, with the effects that people read. */
function entryOf(seq: number, { at, event, effects, ms, client }: Happening, isFault: boolean): LogEntry {
  const reply = effects.find((effect) => effect.type === 'reply')
  const message = reply && messageOf(reply)
  const problem = effects.find((effect) => effect.type === 'control-result')?.problem
  return {
    seq,
    at,
    event,
    ...(reply && {
      reply: { status: reply.status, ...(message === undefined ? {} : { message: excerpt(message, maxMessage) }) },
    }),
    ...(problem !== undefined && { problem: excerpt(problem, maxMessage) }),
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

/** The most bytes of a body that are kept. */
const excerptBytes = 16 * 1024

/** A received request. A longer body is cut, and `bodyBytes` is its full length. */
export interface RequestRecord {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bodyBytes?: number
}

/** A sent answer. */
export interface ResponseRecord {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bodyBytes?: number
}

/** A request and its answer; without an answer if the connection was cut. */
export interface Exchange {
  readonly request: RequestRecord
  readonly response?: ResponseRecord
}

/** Headers whose values aren't kept. */
const secret: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie'])
const redacted = '(redacted)'

export function recordRequest(
  { method, headers }: { readonly method: string; readonly headers: Pick<Headers, 'forEach'> },
  target: string,
  body: Uint8Array,
): RequestRecord {
  const kept: Record<string, string> = {}
  headers.forEach((value, name) => {
    kept[name] = secret.has(name) ? redacted : value
  })
  return { method, target: copyOf(target.slice(0, excerptBytes)), headers: kept, ...bodyOf(body) }
}

export function recordResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): ResponseRecord {
  if (body.length <= excerptBytes) return { status, headers, body }
  const bodyBytes = new TextEncoder().encode(body).length
  return { status, headers, body: copyOf(body.slice(0, excerptBytes)), bodyBytes }
}

function bodyOf(bytes: Uint8Array): Pick<RequestRecord, 'body' | 'bodyBytes'> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  if (bytes.length <= excerptBytes) return { body: decoder.decode(bytes) }
  return { body: decoder.decode(bytes.subarray(0, excerptBytes)), bodyBytes: bytes.length }
}
