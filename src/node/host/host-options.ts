import { totalmem } from 'node:os'
import type { OperationName } from '../../protocol/operations.js'
import type { LocalSidecarOptions } from '../local/local-sidecar-options.js'
import { checkCertificate } from '../http/certificate.js'
import { parseOrigin } from '../http/authority.js'
import type { Origin } from '../http/authority.js'
import type { HostEvent } from './host-events.js'
import { checkOptions } from './option-table.js'

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

const MB = 1024 * 1024
const HOUR = 3_600_000

const table = {
  dir: true,
  path: true,
  sidecar: true,
  local: true,
  platform: true,
  playersPort: [0, 65_535, 7_777],
  playersHost: true,
  maxPlayers: [1, 100_000, 256],
  maxMessage: [1, 16 * MB, 65_536],
  maxRate: [1, 1_000_000, 240],
  maxBuffered: [1_024, 1_024 * MB, MB],
  playerOrigins: true,
  cert: true,
  key: true,
  webrtc: true,
  browser: true,
  browserFlags: true,
  webgl: true,
  bootTimeout: [100, HOUR, 20_000],
  hangTimeout: [100, HOUR, 5_000],
  grace: [0, HOUR, 10_000],
  restarts: [0, 1_000, 2],
  maxMemory: [16 * MB, Number.MAX_SAFE_INTEGER],
  deny: true,
  spa: true,
  isolate: true,
  autoHealth: true,
  timeout: true,
  signal: true,
  onEvent: true,
} as const satisfies Record<keyof HostOptions, unknown>

/** Options after they were checked and their defaults filled in. */
export type HostSettings = ReturnType<typeof resolveHostOptions>

/** @throws TypeError for an unknown option or a value that makes no sense */
export function resolveHostOptions(options: HostOptions) {
  const numbers = checkOptions(options, table)
  const { dir, path = '/', local, playersHost = local ? '127.0.0.1' : '0.0.0.0' } = options
  if (typeof dir !== 'string') {
    throw new TypeError(`dir must be the path of the folder with the built page; got ${String(dir)}`)
  }
  if (!path.startsWith('/')) throw new TypeError(`path must begin with "/"; got ${JSON.stringify(path)}`)
  if (numbers.maxMemory !== undefined && numbers.maxMemory > totalmem()) {
    throw new TypeError(`maxMemory must be at most the ${totalmem()} bytes of this machine; got ${numbers.maxMemory}`)
  }
  return {
    ...numbers,
    path,
    playersHost,
    playerOrigins: options.playerOrigins?.map(readOrigin),
    tls: checkCertificate(options.cert, options.key),
  }
}

function readOrigin(text: string): Origin {
  const origin = parseOrigin(text)
  if (origin !== undefined && !origin.authority.name.includes('*')) return origin
  throw new TypeError(`An origin of players must look like https://example.com, not ${JSON.stringify(text)}`)
}
