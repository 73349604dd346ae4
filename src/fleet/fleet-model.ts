import type { ControlResult } from '../sidecar/index.js'
import type { AutoscalerManifest, FleetAction, FleetEvent, FleetManifest } from './fleet-state.js'
import type { RunningFleet } from './types.js'

export interface FleetModelOptions {
  readonly fleet: FleetManifest
  readonly autoscaler?: AutoscalerManifest
  /** The most GameServers that the Fleet may be scaled to. Default 20. */
  readonly max?: number
  /** Default: the Fleet's, else `default`. */
  readonly namespace?: string
  /** Default `agones`. */
  readonly platform?: string
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Names derive from it. Default 1. */
  readonly seed?: number
  /** Carries out an effect. May dispatch events at once. Only the result of an `allocate` command is read. */
  run(action: FleetAction): ControlResult | undefined
}

/** A Fleet without processes: its owner runs the actions and dispatches what happens. */
export interface FleetModel extends RunningFleet {
  /** Creates the GameServers. Call it once. */
  start(): void
  dispatch(event: FleetEvent): void
}
