import type { GameServerManifest, SidecarMode } from '../../platform/sidecar.js'

/** Options of `createLocalSidecar()`. Each has a default. */
export interface LocalSidecarOptions {
  /** The program to imitate: the real sidecar `local` or in a pod. Default `production`. */
  readonly mode?: SidecarMode | undefined
  /**
   * Port for HTTP and WebSocket. 0, the default, takes any free port. `'usual'` takes 9358 if that is free, so that the
   * address stays the same over restarts.
   */
  readonly port?: number | 'usual' | undefined
  /** Address to listen on. Default 127.0.0.1; beyond loopback, the control interface requires a token. */
  readonly address?: string | undefined
  /** The GameServer to start with, as a manifest. */
  readonly gameServer?: GameServerManifest | undefined
  /** Path of a YAML or JSON GameServer to start with instead. The file is loaded again whenever it is saved. */
  readonly file?: string | undefined
  /** First part of the prefix of labels and annotations, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform?: string | undefined
  /** For example `{ CountsAndLists: false }`. */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined
  /**
   * Replaces a GameServer that has ended, as a Fleet does: a second later, or after this many milliseconds. Default false:
   * the ended GameServer stays. Only in the mode `production`.
   */
  readonly replace?: boolean | number | undefined
  /** Names of operations that must be called, see `sidecar.conformance()`. */
  readonly conformance?: readonly string[] | undefined
  /** A line of this many bytes ends its WebSocket unsent, as in the real sidecar. Default 65,536; 0 for no limit. */
  readonly wsLimit?: number | undefined
  /** Host names served beside localhost, 127.0.0.1 and [::1]. */
  readonly allowHosts?: readonly string[] | undefined
  /** Origins of pages served beside the sidecar's own, such as `http://localhost:5173`. */
  readonly allowOrigins?: readonly string[] | undefined
  /** Serves the dashboard at `/_/`. Default true. */
  readonly dashboard?: boolean | undefined
  /** Called with one sentence for each problem. Default: `process.emitWarning`. */
  readonly onWarning?: ((message: string) => void) | undefined
  /** Called with one line for each request that is refused for its host or origin, at most 20 in ten seconds. */
  readonly onLog?: ((line: string) => void) | undefined
}

export const warnProcess = (message: string): void => process.emitWarning(message, { type: 'GameServerSidecar' })
