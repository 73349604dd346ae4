import type { GameServer } from '../../protocol/game-server.js'
import type { KeptEntry, LogEntry } from '../log-entry.js'
import type { SidecarConfig, SidecarMode } from '../model/state/config.js'
import type { Exchange, RequestRecord, ResponseRecord } from '../wire/exchange.js'

/** The form of a recording that this package writes, and the newest that it reads. */
export const recordingVersion = 1

/** The first line of a recording, and of each that was appended to it. */
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
 * One line of a recording: the header, a version of the GameServer as watches get it, an entry of the log, a request with
 * its answer, what a watch's connection came to (`watch --json`), or how many lines are missing.
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
  | { readonly type: 'gap'; readonly at: number; readonly lines: number }

export function headerOf(config: SidecarConfig, startedAt: number, at: number): RecordingHeader {
  const { mode, platform, featureGates, writeDelay, seed } = config
  return {
    type: 'recording',
    version: recordingVersion,
    at,
    startedAt,
    mode,
    platform,
    featureGates,
    writeDelay,
    seed,
  }
}

export const gameServerLine = (gameServer: GameServer, at: number): RecordingLine => ({
  type: 'gameserver',
  at,
  gameServer,
})

export const exchangeLine = (seq: number, exchange: Exchange): RecordingLine => ({ type: 'exchange', seq, ...exchange })

/** Entries of a log as the lines of a recording, from the GameServer before the first of them on. */
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
