import type { GameServer } from '../../../protocol/game-server.js'
import type { EventLog, KeptEntry, LogEntry } from '../event-log.js'
import { explainEntry } from '../explain-entry.js'
import type { Explanation } from '../explain-entry.js'
import type { SidecarConfig, SidecarMode } from '../state/config.js'
import type { Exchange, RequestRecord, ResponseRecord } from '../wire/exchange.js'
import type { SidecarSnapshot } from '../wire/snapshot.js'
import type { Redact } from './redact.js'

/** The version of recordings that this package writes, and the newest that it reads. */
export const recordingVersion = 1

/** The first line of a recording, and of each recording that is appended to it. */
export interface RecordingHeader {
  readonly type: 'recording'
  readonly version: number
  /** When the recording began. */
  readonly at: number
  /** When the sidecar started. */
  readonly startedAt: number
  readonly mode: SidecarMode
  readonly platform: string
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly writeDelay: number
  readonly seed: number
}

/**
 * One line of a recording: the header, a version of the GameServer as sent to watches, an entry of the log, a request
 * with its answer, or a new state of a watch's connection (`watch --json`).
 */
export type RecordingLine =
  | RecordingHeader
  | { readonly type: 'gameserver'; readonly at: number; readonly gameServer: GameServer }
  | { readonly type: 'entry'; readonly entry: LogEntry }
  | {
      readonly type: 'exchange'
      /** Of its entry. */
      readonly seq: number
      readonly request: RequestRecord
      readonly response?: ResponseRecord
    }
  | { readonly type: 'connection'; readonly at: number; readonly state: string }

export function headerOf(config: SidecarConfig, startedAt: number, at: number): RecordingHeader {
  const { mode, platform, featureGates, writeDelay, seed } = config
  return { type: 'recording', version: recordingVersion, at, startedAt, mode, platform, featureGates, writeDelay, seed }
}

export const gameServerLine = (gameServer: GameServer, at: number): RecordingLine => ({
  type: 'gameserver',
  at,
  gameServer,
})

export const exchangeLine = (seq: number, exchange: Exchange): RecordingLine => ({ type: 'exchange', seq, ...exchange })

/** Entries of a log as the lines of a recording, after the GameServer before the first entry. */
export function* recordingLines(
  config: SidecarConfig,
  startedAt: number,
  now: number,
  kept: readonly KeptEntry[],
): Generator<RecordingLine> {
  yield headerOf(config, startedAt, now)
  for (const [index, { entry, before, exchange, published }] of kept.entries()) {
    if (index === 0) yield gameServerLine(before, entry.at)
    yield { type: 'entry', entry }
    if (exchange !== undefined) yield exchangeLine(entry.seq, exchange)
    for (const gameServer of published) yield gameServerLine(gameServer, entry.at)
  }
}

/**
 * One line of an exported session: a line of a recording, an entry with its explanation, or the final state. Readers of
 * recordings can read all but the state.
 */
export type ReportLine =
  | Exclude<RecordingLine, { readonly type: 'entry' }>
  | (Extract<RecordingLine, { readonly type: 'entry' }> & { readonly why?: Explanation })
  | { readonly type: 'state'; readonly state: SidecarSnapshot }

/** The parts of a sidecar that an export reads. */
interface Told {
  readonly log: EventLog
  readonly config: SidecarConfig
  snapshot(): SidecarSnapshot
  recording(since: number): Iterable<RecordingLine>
}

/** A session's lines after `since`, each redacted. */
export function* reportLines(sidecar: Told, since: number, redact: Redact): Generator<ReportLine, void> {
  // The path of the recording's file is private.
  const state = { ...sidecar.snapshot(), recording: undefined }
  yield redact({ type: 'state', state })
  for (const line of sidecar.recording(since)) {
    const clean = redact(line)
    if (clean.type !== 'entry') {
      yield clean
      continue
    }
    const kept = sidecar.log.find(clean.entry.seq)
    // The explanation is made of the redacted entry, so that it reveals no more.
    yield kept === undefined ? clean : { ...clean, why: explainEntry({ ...kept, entry: clean.entry }, sidecar.config) }
  }
}
