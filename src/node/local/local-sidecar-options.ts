import type { GameServerManifest, SidecarMode } from '../../sidecar/index.js'

/** Options of `createLocalSidecar()`. Each has a default. */
export interface LocalSidecarOptions {
  /** The program to imitate: the real sidecar `local` or in a pod. Default `production`. */
  readonly mode?: SidecarMode | undefined
  /**
   * Port for HTTP and WebSocket; 0, the default, takes any free one, and `'usual'` takes 9358 if it is free, so that the
   * address stays over restarts.
   */
  readonly port?: number | 'usual' | undefined
  /** Address to listen on. Default 127.0.0.1; beyond loopback, the control interface requires a token. */
  readonly address?: string | undefined
  /** The GameServer to start with, as a manifest. */
  readonly gameServer?: GameServerManifest | undefined
  /** Path of a YAML or JSON GameServer to start with instead; loaded again whenever it is saved. */
  readonly file?: string | undefined
  /** First part of the prefix of labels and annotations, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform?: string | undefined
  /** For example `{ CountsAndLists: false }`. */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined
  /**
   * Puts a fresh GameServer in the place of one that has ended, as a Fleet does: a second later, or after so many
   * milliseconds. Default false: what has ended stays. Only in production.
   */
  readonly replace?: boolean | number | undefined
  /** Names of operations to record, see `sidecar.conformance()`. */
  readonly conformance?: readonly string[] | undefined
  /** Path of a file to record the session into, as NDJSON; a file that is there is added to. */
  readonly record?: string | undefined
  /** Keys of annotations whose values aren't recorded, such as `*token*`. */
  readonly redact?: readonly string[] | undefined
  /** Bytes at which a line ends its WebSocket unsent, as in the real sidecar. Default 65,536; 0 for no limit. */
  readonly wsLimit?: number | undefined
  /** Host names served beside localhost, 127.0.0.1 and [::1]. */
  readonly allowHosts?: readonly string[] | undefined
  /** Origins of pages served beside the sidecar's own, such as `http://localhost:5173`. */
  readonly allowOrigins?: readonly string[] | undefined
  /** Serves the dashboard at `/_/`. Default true. */
  readonly dashboard?: boolean | undefined
  /** Called with one sentence for each problem that a person should know of. Default: `process.emitWarning`. */
  readonly onWarning?: ((message: string) => void) | undefined
  /**
   * Called with one line for each request of a host or origin that isn't served, at most 20 in ten seconds, and with the
   * part that is used of a file that holds more than one GameServer.
   */
  readonly onLog?: ((line: string) => void) | undefined
}

/** Warns without a listener of the caller's. */
export const warnProcess = (message: string): void => process.emitWarning(message, { type: 'GameServerSidecar' })
