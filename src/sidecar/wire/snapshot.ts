import type { SidecarState, WriteKind } from '../model/state/sidecar-state.js'
import type { ConformanceResult, SidecarSnapshot, WatcherInfo } from '../sidecar.js'

/** What there is to see of a state and its watchers. */
export function takeSnapshot(
  state: SidecarState,
  watchers: readonly WatcherInfo[],
  now: number,
  lastSeq: number,
): SidecarSnapshot {
  const { config, process, faults } = state
  const { health } = process
  const due = Object.entries(process.due) as [WriteKind, number][]
  return {
    mode: config.mode,
    platform: config.platform,
    quirks: config.quirks,
    featureGates: config.featureGates,
    now,
    startedAt: state.startedAt,
    restarts: state.restarts,
    gameServer: state.object,
    gone: state.gone,
    pending: due.map(([kind, at]) => ({ write: kind === 'state' ? process.wantedState : kind, due: at })),
    reservedUntil: process.reserveEnds,
    health: {
      disabled: health.disabled,
      periodSeconds: health.period / 1000,
      failureThreshold: health.threshold,
      initialDelaySeconds: health.initialDelay / 1000,
      lastBeat: health.beats > 0 ? health.lastBeat : undefined,
      beats: health.beats,
      failures: health.failures,
      nextCheck: health.nextCheck,
      ignoreBeats: faults.ignoreBeats,
    },
    watchers,
    faults: {
      delays: faults.delays.map(({ ms, operations }) => ({ ms, operations })),
      failures: faults.failures.map(({ status, remaining, operations }) => ({
        status,
        remaining,
        operations,
      })),
      watchersStalled: faults.stalledUntil ?? faults.stalled,
      ignoreBeats: faults.ignoreBeats,
      padding: state.object.object_meta.annotations?.['gameserver-sidecar.local/padding']?.length ?? 0,
    },
    lastSeq,
  }
}

/** Compares what was used with what was expected; how often and in which order doesn't count. */
export function conformanceOf(state: SidecarState): ConformanceResult {
  const expected = state.config.conformance ?? []
  const { received, problems } = state.conformance
  const missing = expected.filter((name) => !received.includes(name))
  const unexpected = received.filter((name) => !expected.includes(name))
  return {
    ok: missing.length === 0 && unexpected.length === 0,
    expected,
    received,
    missing,
    unexpected,
    problems,
  }
}
