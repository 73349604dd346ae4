import type { ControlCommand } from '../sidecar/index.js'

/** Faults that often come together, by the name that a step gives them. */
export const presets: Readonly<Record<string, readonly ControlCommand[]>> = {
  'pod eviction': [{ type: 'terminate', graceMs: 30_000 }],
  'slow API server': [{ type: 'delayCalls', ms: 1_000, jitterMs: 1_000 }],
  'flaky Wi-Fi': [
    { type: 'failCalls', drop: true, share: 0.2 },
    { type: 'dropWatchers', everyMs: 10_000 },
  ],
  'silent watch': [{ type: 'stallWatchers' }],
}
