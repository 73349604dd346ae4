import { operations, type OperationName } from '../../../protocol/operations.js'
import type { ControlCommand } from '../state/sidecar-event.js'

/** Faults that occur together. */
export interface FaultPreset {
  readonly name: string
  /** What happens, in one sentence. */
  readonly description: string
  /** Sent one after the other. */
  readonly commands: readonly ControlCommand[]
}

const callsButBeats = (Object.keys(operations) as OperationName[]).filter(
  (name) => name !== 'health' && name !== 'watchGameServer',
)

/** The presets that the dashboard offers and `GET /_/api/presets` lists. */
export const faultPresets: readonly FaultPreset[] = [
  {
    name: 'pod eviction',
    description:
      'The GameServer is deleted from outside: the game gets SIGTERM and 10 s, and its state never becomes Shutdown.',
    commands: [{ type: 'terminate', graceMs: 10_000 }],
  },
  {
    name: 'slow API server',
    description: 'Every call except health takes 2 to 5 s more, as while a write to a busy API server is in flight.',
    commands: [{ type: 'delayCalls', ms: 2_000, jitterMs: 3_000, operations: callsButBeats }],
  },
  {
    name: 'flaky Wi-Fi',
    description:
      'One call in five loses its connection, the others take up to 300 ms more, and watches end every 10 s.',
    commands: [
      { type: 'delayCalls', ms: 0, jitterMs: 300 },
      { type: 'failCalls', drop: true, share: 0.2 },
      { type: 'dropWatchers', everyMs: 10_000 },
    ],
  },
]
