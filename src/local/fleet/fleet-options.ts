import type { AutoscalerManifest, FleetEntry, FleetManifest } from '../../platform/fleet.js'
import type { ConsoleLevel } from '../game/lines.js'
import type { StartGame } from '../game/program-game.js'
import type { PortRange } from './ports.js'

/** What happens to a Fleet on this machine. */
export type FleetRunEvent =
  | { readonly event: 'listening'; readonly url: string; readonly fleet: string }
  /** A line of the Fleet's timeline, which tells warnings too. */
  | { readonly event: 'entry'; readonly entry: FleetEntry }
  /** A line that the game of a GameServer wrote. */
  | { readonly event: 'output'; readonly server: string; readonly level: ConsoleLevel; readonly text: string }

/** What a Fleet on this machine needs beside its games. */
export interface FleetSettings {
  /** The Fleet, as in its file. Default: one with a port and nothing else. */
  readonly fleet?: FleetManifest | undefined
  /** The FleetAutoscaler, as in its file. */
  readonly autoscaler?: AutoscalerManifest | undefined
  /**
   * Paths of YAML or JSON files with the Fleet, or a GameServer to make one of, and a FleetAutoscaler. A changed file is a
   * rolling update.
   */
  readonly file?: string | readonly string[] | undefined
  /** How many GameServers to begin with. Default: the Fleet's, else 2. */
  readonly replicas?: number | undefined
  /** The most GameServers, whatever an autoscaler wants. Default 20. */
  readonly max?: number | undefined
  /** Port of the API and the dashboard. Default 0: any free one. `'usual'` takes 9350 if that is free, as the command does. */
  readonly port?: number | 'usual' | undefined
  /** Range of the players' ports. Default 7000 to 8000. */
  readonly ports?: PortRange | undefined
  /** First part of the prefix of labels and variables. Default `agones`. */
  readonly platform?: string | undefined
  /** ms from SIGTERM to SIGKILL. Default: the template's `terminationGracePeriodSeconds`, else 30,000. */
  readonly grace?: number | undefined
  /** Path of a kubeconfig to write, with which kubectl and other clients find the API. `close()` removes it. */
  readonly kubeconfig?: string | undefined
  /** Host names served beside localhost, 127.0.0.1 and [::1]. */
  readonly allowHosts?: readonly string[] | undefined
  /** Origins of pages that may use the API beside the dashboard, such as `http://localhost:5173`. */
  readonly allowOrigins?: readonly string[] | undefined
  /** Takes each event. Without it, `process.emitWarning` tells warnings. */
  readonly onEvent?: ((event: FleetRunEvent) => void) | undefined
}

/** The settings of a Fleet, and how each of its games is started. */
export interface FleetRunOptions extends FleetSettings {
  readonly startGame: StartGame
}
