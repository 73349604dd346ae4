import { checkHostOptions } from '../platform/schema.js'
import type { LocalSidecarOptions } from '../local/sidecar.js'
import { trustProxies } from '../protocol/networks.js'
import { checkCertificate, readOrigin } from '../local/http.js'
import type { HostEvent } from './host-events.js'

/** Options of the port for players. */
export interface PlayersOptions {
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
  /** Origins of the pages that players may come from. Default: all. */
  readonly playerOrigins?: readonly string[] | undefined
  /**
   * Networks of the proxies in front, such as `10.0.0.0/8`. From them, the last address in `X-Forwarded-For` that isn't
   * one of theirs is the player's. Default: none, and the player's address is that of its connection.
   */
  readonly trustProxy?: readonly string[] | undefined
  /** The certificate chain as PEM, or the path of its file, to serve players over TLS. Goes with `key`; renewed files are read again. */
  readonly cert?: string | Uint8Array | undefined
  /** The certificate's private key as PEM, or the path of its file. Goes with `cert`. */
  readonly key?: string | Uint8Array | undefined
}

/** Options of `createHost()`. Only `dir` has no default. */
export interface HostOptions extends PlayersOptions {
  /** The folder with the built page. */
  readonly dir: string
  /** Path and query of the page in it. Default `/`. */
  readonly path?: string | undefined
  /** URL of the sidecar. Default: from `<PLATFORM>_SDK_HTTP_PORT`. */
  readonly sidecar?: string | undefined
  /** Runs a local sidecar inside, in place of `sidecar`. */
  readonly local?: boolean | LocalSidecarOptions | undefined
  /** Sets the names of variables and the prefix of labels, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform?: string | undefined
  /** Also takes players' data over WebRTC, for which `node-datachannel` must be installed. Default false. */
  readonly webrtc?: boolean | undefined
  /** Path of the browser. Default: the first browser found, preferably a headless shell. */
  readonly browser?: string | undefined
  /** Draws WebGL in software, for about half a core more. Default false: the page has no WebGL. */
  readonly webgl?: boolean | undefined
  /** ms until the page must have made its first step. Default 20,000. */
  readonly bootTimeout?: number | undefined
  /** ms of silence that count as a hang. Default 5,000. */
  readonly hangTimeout?: number | undefined
  /** ms that the end may take. Default 10,000. */
  readonly grace?: number | undefined
  /**
   * Port of this machine at which DevTools attach to the page; 0 takes any free one. The page may then stand at a
   * breakpoint: the host beats in its place, and no silence counts as a hang. Default: none.
   */
  readonly inspect?: number | undefined
  /**
   * Port for a Prometheus on a private network that reads `/metrics`; 0 takes any free one. With `local`, only this machine
   * can reach it. Default: none.
   */
  readonly metricsPort?: number | undefined
  /** How often the page is started again after a crash, as long as it was never Ready. Default 2. */
  readonly restarts?: number | undefined
  /** Sends COOP and COEP, which SharedArrayBuffer needs. Default false. */
  readonly isolate?: boolean | undefined
  /** Makes clients in the page beat by themselves. Default: the clients' own options decide. */
  readonly autoHealth?: boolean | undefined
  /** Gives up the start. Once `createHost()` has resolved, `close()` ends the host. */
  readonly signal?: AbortSignal | undefined
  /** Takes each event. */
  readonly onEvent?: ((event: HostEvent) => void) | undefined
}

/** Options after they were checked and their defaults filled in. */
export type HostSettings = ReturnType<typeof resolveHostOptions>

/** @throws TypeError for an unknown option or a value that makes no sense */
export function resolveHostOptions(options: HostOptions) {
  checkHostOptions(options)
  const { local, playerOrigins, cert, key } = options
  return {
    path: options.path ?? '/',
    playersPort: options.playersPort ?? 7_777,
    playersHost: options.playersHost ?? (local ? '127.0.0.1' : '0.0.0.0'),
    maxPlayers: options.maxPlayers ?? 256,
    maxMessage: options.maxMessage ?? 65_536,
    maxRate: options.maxRate ?? 240,
    bootTimeout: options.bootTimeout ?? 20_000,
    hangTimeout: options.hangTimeout ?? 5_000,
    grace: options.grace ?? 10_000,
    restarts: options.restarts ?? 2,
    inspect: options.inspect,
    playerOrigins: playerOrigins?.map((text) => readOrigin(text, 'An origin of players', 'https://example.com')),
    addressOf: trustProxies(options.trustProxy),
    tls: checkCertificate(cert, key),
  }
}
