import type { GameServerManifest, SidecarMode } from '../../sidecar/index.js'
import { refuseUnknownOptions } from '../unknown-option.js'

/** What `createLocalSidecar()` can be told. Everything has a default. */
export interface LocalSidecarOptions {
  /** What is imitated: the real sidecar `local` or in a pod. Default `production`. */
  readonly mode?: SidecarMode | undefined
  /** Port for HTTP and WebSocket; 0, the default, takes any free one. */
  readonly port?: number | undefined
  /** Address to listen on. Default 127.0.0.1; beyond loopback, the control interface asks for a token. */
  readonly address?: string | undefined
  /** The GameServer to start with, as a manifest. */
  readonly gameServer?: GameServerManifest | undefined
  /** Path of a YAML or JSON GameServer to start with instead; loaded again whenever it is saved. */
  readonly file?: string | undefined
  /** First part of the prefix of labels and annotations, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform?: string | undefined
  /** Reproduces the bugs that the real sidecar has in production. Default false: reported only. */
  readonly quirks?: boolean | undefined
  /** For example `{ CountsAndLists: false }`. */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined
  /** Names of operations to record, see `sidecar.conformance()`. */
  readonly conformance?: readonly string[] | undefined
  /**
   * Bytes of a line at which a WebSocket is ended with nothing sent, as the real sidecar does. Default
   * 65,536; 0 for no limit.
   */
  readonly wsLimit?: number | undefined
  /** Host names served beside localhost, 127.0.0.1 and [::1]. */
  readonly allowHosts?: readonly string[] | undefined
  /** Origins of pages served beside the sidecar's own, such as `http://localhost:5173`. */
  readonly allowOrigins?: readonly string[] | undefined
  /** Told in one sentence what a person should know. Default: `process.emitWarning`. */
  readonly onWarning?: ((message: string) => void) | undefined
  /** Told in one line of each request that was not from a place that is served, at most 20 in ten seconds. */
  readonly onLog?: ((line: string) => void) | undefined
}

const known = {
  mode: true,
  port: true,
  address: true,
  gameServer: true,
  file: true,
  platform: true,
  quirks: true,
  featureGates: true,
  conformance: true,
  wsLimit: true,
  allowHosts: true,
  allowOrigins: true,
  onWarning: true,
  onLog: true,
} satisfies Record<keyof LocalSidecarOptions, true>

/** Checks what is about the server, not about the sidecar, and that nothing else is there. @throws TypeError */
export function resolveServerOptions(options: LocalSidecarOptions): {
  port: number
  address: string
  lineLimit: number
  onWarning: (message: string) => void
} {
  refuseUnknownOptions(options, Object.keys(known))
  const { port = 0, address = '127.0.0.1', wsLimit = 65_536, onWarning = warnProcess } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`port must be a whole number from 0 to 65535, not ${String(port)}`)
  }
  if (!Number.isInteger(wsLimit) || wsLimit < 0) {
    throw new TypeError(`wsLimit must be a whole number of bytes, 0 for no limit, not ${String(wsLimit)}`)
  }
  if (options.file !== undefined && options.gameServer !== undefined) {
    throw new TypeError('file and gameServer exclude each other: both say what to start with')
  }
  return { port, address, lineLimit: wsLimit === 0 ? Infinity : wsLimit, onWarning }
}

const warnProcess = (message: string): void => process.emitWarning(message, { type: 'GameServerSidecar' })
