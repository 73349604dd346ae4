import { totalmem } from 'node:os'
import type { OperationName } from '../../protocol/operations.js'
import type { LocalSidecarOptions } from '../local/local-sidecar-options.js'
import { checkCertificate } from '../http/certificate.js'
import type { Certificate } from '../http/certificate.js'
import { refuseUnknownOptions } from '../unknown-option.js'
import type { HostEvent } from './host-events.js'

/** Options of `createHost()`. Only `dir` has no default. */
export interface HostOptions {
  /** The folder with the built page. */
  readonly dir: string
  /** Path and query of the page in it. Default `/`. */
  readonly path?: string | undefined
  /** URL of the sidecar. Default: from `<PLATFORM>_SDK_HTTP_PORT`. */
  readonly sidecar?: string | undefined
  /** Runs a local sidecar inside instead. */
  readonly local?: boolean | LocalSidecarOptions | undefined
  /** Sets the names of variables and the prefix of labels, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform?: string | undefined
  /** Port for players; 0 takes any free one. Default 7777. */
  readonly playersPort?: number | undefined
  /** Address to listen on for players. Default 0.0.0.0, and 127.0.0.1 with `local`. */
  readonly playersHost?: string | undefined
  /** Most players at once. Default 256. */
  readonly maxPlayers?: number | undefined
  /** Most bytes of a player's message. Default 65,536. */
  readonly maxMessage?: number | undefined
  /** Most messages a second of one player. Default 240. */
  readonly maxRate?: number | undefined
  /** Most bytes that may wait to be sent to one player. Default 1 MiB. */
  readonly maxBuffered?: number | undefined
  /** Origins of the pages that players may come from. Default: all. */
  readonly playerOrigins?: readonly string[] | undefined
  /** The certificate chain as PEM, to serve players over TLS. Goes with `key`. */
  readonly cert?: string | Uint8Array | undefined
  /** The certificate's private key as PEM. Goes with `cert`. */
  readonly key?: string | Uint8Array | undefined
  /** Also takes players' data over WebRTC, for which `node-datachannel` must be installed. Default false. */
  readonly webrtc?: boolean | undefined
  /** Path of the browser. Default: the first that is found, a headless shell before others. */
  readonly browser?: string | undefined
  /** More flags for the browser. */
  readonly browserFlags?: readonly string[] | undefined
  /** Draws WebGL in software, for about half a core more. Default false: the page has no WebGL. */
  readonly webgl?: boolean | undefined
  /** ms until the page must have made its first step. Default 20,000. */
  readonly bootTimeout?: number | undefined
  /** ms of silence that count as a hang. Default 5,000. */
  readonly hangTimeout?: number | undefined
  /** ms that the end may take. Default 10,000. */
  readonly grace?: number | undefined
  /** How often the page is started again after a crash, as long as it was never Ready. Default 2. */
  readonly restarts?: number | undefined
  /** Most bytes that the page may hold. Default: the memory of the container or machine, less 250 MB for the browser. */
  readonly maxMemory?: number | undefined
  /** Operations that aren't forwarded to the sidecar. */
  readonly deny?: readonly OperationName[] | undefined
  /** Answers paths without a file with index.html. Default false. */
  readonly spa?: boolean | undefined
  /** Sends COOP and COEP, which SharedArrayBuffer needs. Default false. */
  readonly isolate?: boolean | undefined
  /** Makes clients in the page beat by themselves. Default: their own options decide. */
  readonly autoHealth?: boolean | undefined
  /** ms after which the sidecar must have answered a call. Default 30,000. */
  readonly timeout?: number | undefined
  /** Gives up the start. Once `createHost()` has resolved, `close()` ends the host. */
  readonly signal?: AbortSignal | undefined
  /** Takes each event. */
  readonly onEvent?: ((event: HostEvent) => void) | undefined
}

const known = {
  dir: true,
  path: true,
  sidecar: true,
  local: true,
  platform: true,
  playersPort: true,
  playersHost: true,
  maxPlayers: true,
  maxMessage: true,
  maxRate: true,
  maxBuffered: true,
  playerOrigins: true,
  cert: true,
  key: true,
  webrtc: true,
  browser: true,
  browserFlags: true,
  webgl: true,
  bootTimeout: true,
  hangTimeout: true,
  grace: true,
  restarts: true,
  maxMemory: true,
  deny: true,
  spa: true,
  isolate: true,
  autoHealth: true,
  timeout: true,
  signal: true,
  onEvent: true,
} satisfies Record<keyof HostOptions, true>

/** Least and most of each number. */
const ranges = {
  playersPort: [0, 65_535],
  maxPlayers: [1, 100_000],
  maxMessage: [1, 16 * 1024 * 1024],
  maxRate: [1, 1_000_000],
  maxBuffered: [1_024, 1024 * 1024 * 1024],
  bootTimeout: [100, 3_600_000],
  hangTimeout: [100, 3_600_000],
  grace: [0, 3_600_000],
  restarts: [0, 1_000],
  maxMemory: [16 * 1024 * 1024, Number.MAX_SAFE_INTEGER],
} as const

const defaults = {
  playersPort: 7_777,
  maxPlayers: 256,
  maxMessage: 65_536,
  maxRate: 240,
  maxBuffered: 1024 * 1024,
  bootTimeout: 20_000,
  hangTimeout: 5_000,
  grace: 10_000,
  restarts: 2,
} as const

type NumberName = keyof typeof defaults

/** Options after they were checked and their defaults filled in. */
export interface HostSettings extends Readonly<Record<NumberName, number>> {
  readonly path: string
  readonly playersHost: string
  readonly tls: Certificate | undefined
  /** Undefined: by the memory of the container or machine. */
  readonly maxMemory: number | undefined
}

/** @throws TypeError for an unknown option or a value that makes no sense */
export function resolveHostOptions(options: HostOptions): HostSettings {
  refuseUnknownOptions(options, Object.keys(known))
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = options[name as NumberName | 'maxMemory']
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) continue
    throw new TypeError(`${name} must be a whole number from ${least} to ${most}; got ${String(value)}`)
  }
  const numbers = Object.entries(defaults).map(([name, value]) => [name, options[name as NumberName] ?? value])
  const { path = '/', local, maxMemory } = options
  if (typeof options.dir !== 'string') {
    throw new TypeError(`dir must be the path of the folder with the built page; got ${String(options.dir)}`)
  }
  if (!path.startsWith('/')) throw new TypeError(`path must begin with "/"; got ${JSON.stringify(path)}`)
  if (maxMemory !== undefined && maxMemory > totalmem()) {
    throw new TypeError(`maxMemory must be at most the ${totalmem()} bytes of this machine; got ${maxMemory}`)
  }
  return {
    ...(Object.fromEntries(numbers) as Record<NumberName, number>),
    path,
    playersHost: options.playersHost ?? (local ? '127.0.0.1' : '0.0.0.0'),
    tls: checkCertificate(options.cert, options.key),
    maxMemory,
  }
}
