import type { GameServer } from '../../../protocol/game-server.js'
import type { SidecarMode } from '../state/config.js'
import type { FaultState } from '../state/faults.js'
import { paddingOf } from '../state/step.js'
import { healthSpecOf, type HealthState, type SidecarState, type WriteKind } from '../state/sidecar-state.js'

export interface WatcherInfo {
  readonly id: number
  readonly transport: 'stream' | 'websocket'
  readonly openedAt: number
  /** Who watches, in a word. */
  readonly client: string | undefined
  readonly sent: number
  readonly queued: number
  /** Objects that were dropped because the reader was too slow. */
  readonly dropped: number
}

export interface HealthInfo extends Pick<HealthState, 'beats' | 'failures' | 'nextCheck'> {
  readonly disabled: boolean
  readonly periodSeconds: number
  readonly failureThreshold: number
  readonly initialDelaySeconds: number
  readonly lastBeat: number | undefined
}

export interface FaultInfo extends Pick<FaultState, 'delays' | 'failures' | 'writesToLose'> {
  /** True until released, or the time when the stall ends by itself. */
  readonly watchersStalled: boolean | number
  /** True if all beats are ignored, or how many still are. */
  readonly ignoreBeats: boolean | number
  /** True while the API server is unreachable, or the time when it comes back by itself. */
  readonly apiServerAway: boolean | number
  readonly padding: number
}

/** Everything that can be seen from outside at one moment. */
export interface SidecarSnapshot {
  readonly mode: SidecarMode
  readonly platform: string
  readonly now: number
  readonly startedAt: number
  /** As `GET /gameserver` gives it, whatever faults are set. */
  readonly gameServer: GameServer
  /** The object is gone from the cluster: reads fail, writes are still accepted. */
  readonly gone: boolean
  /** Writes that were answered but are not applied yet, by kind, with the time they are due. */
  readonly pending: readonly { readonly write: string; readonly due: number }[]
  /** When a fresh GameServer takes the place of this one, which has ended; undefined if none does. */
  readonly replacesAt: number | undefined
  /** When the present reservation ends. */
  readonly reservedUntil: number | undefined
  readonly health: HealthInfo
  readonly watchers: readonly WatcherInfo[]
  readonly faults: FaultInfo
  readonly lastSeq: number
  /** The sidecar's clock: how many times as fast as the machine's it runs; 0 while it stands still. */
  readonly clock: { readonly speed: number }
}

/** The part of a snapshot that isn't in the state. */
type Moment = Pick<SidecarSnapshot, 'now' | 'lastSeq'> & { readonly speed: number }

/** The verdict of a conformance run so far. */
export interface ConformanceResult {
  readonly ok: boolean
  readonly expected: readonly string[]
  readonly received: readonly string[]
  /** Expected, never used. */
  readonly missing: readonly string[]
  /** Used, never expected. */
  readonly unexpected: readonly string[]
  /** Expected values of setlabel or setannotation. */
  readonly problems: readonly string[]
}

/** A time or a number in a snapshot, which JSON can hold: true for Infinity, false for none. */
const shown = (value: number | undefined): number | boolean => (value === Infinity ? true : (value ?? false))

export function takeSnapshot(
  state: SidecarState,
  watchers: readonly WatcherInfo[],
  { now, lastSeq, speed }: Moment,
): SidecarSnapshot {
  const { config, process, faults } = state
  const { lastBeat, beats, failures, nextCheck } = process.health
  const due = Object.entries(process.due) as [WriteKind, number][]
  return {
    ...{ mode: config.mode, platform: config.platform },
    ...{ now, startedAt: state.startedAt },
    ...{ gameServer: state.object, gone: state.gone },
    pending: due.map(([kind, at]) => ({ write: kind === 'state' ? process.wantedState : kind, due: at })),
    replacesAt: state.ending?.replacesAt,
    reservedUntil: process.reserveEnds,
    health: {
      ...healthSpecOf(state.object),
      ...{ lastBeat: beats > 0 ? lastBeat : undefined, beats, failures, nextCheck },
    },
    watchers,
    faults: {
      delays: faults.delays,
      failures: faults.failures,
      watchersStalled: shown(faults.stalledUntil),
      ignoreBeats: shown(faults.beatsToIgnore || undefined),
      apiServerAway: shown(state.apiServerBackAt),
      writesToLose: faults.writesToLose,
      padding: paddingOf(state.object),
    },
    lastSeq,
    clock: { speed },
  }
}

/** Compares the operations that were used with the expected ones; number and order don't count. */
export function conformanceOf(state: SidecarState): ConformanceResult {
  const expected = state.config.conformance ?? []
  const { received, problems } = state.conformance
  const missing = expected.filter((name) => !received.includes(name))
  const unexpected = received.filter((name) => !expected.includes(name))
  return { ok: missing.length === 0 && unexpected.length === 0, expected, received, missing, unexpected, problems }
}
