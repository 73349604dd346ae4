import type { ControlCommand } from '../../sidecar/index.js'

/** Faults that come together. */
export interface FaultPreset {
  readonly name: string
  readonly commands: readonly ControlCommand[]
}

export const faultPresets: readonly FaultPreset[] = [
  { name: 'Pod eviction', commands: [{ type: 'terminate', graceMs: 30_000 }] },
  { name: 'Slow API server', commands: [{ type: 'delayCalls', ms: 2000, jitterMs: 1000, when: 'after' }] },
  {
    name: 'Flaky Wi-Fi',
    commands: [
      { type: 'delayCalls', ms: 100, jitterMs: 400 },
      { type: 'failCalls', drop: true, share: 0.1 },
      { type: 'dropWatchers', everyMs: 15_000 },
    ],
  },
]
