import { didYouMean } from '../../protocol/nearest.js'
import { operations } from '../../protocol/operations.js'
import type { OperationName } from '../../protocol/operations.js'
import { isLoopback } from '../http/authority.js'
import { checkCertificate } from '../http/certificate.js'
import type { Certificate } from '../http/certificate.js'
import { ownHosts } from '../http/listen-address.js'
import { resolveToken } from '../http/token.js'
import type { LocalSidecarOptions } from '../local/local-sidecar-options.js'
import { listOption, refuseUnknownOptions } from '../unknown-option.js'
import { findSidecar } from './sidecar-url.js'

/** Options of `createGateway()`. All have defaults. */
export interface GatewayOptions {
  /** Folder of the game's files. Default: none, only the sidecar is served. */
  readonly dir?: string | undefined
  /**
   * URL of the sidecar, such as `http://127.0.0.1:9358`. Default: the platform's variables, which are
   * `AGONES_SDK_HTTP_PORT` and `AGONES_SDK_HTTP_HOST`.
   */
  readonly sidecar?: string | undefined
  /** Runs a local sidecar inside, on a port of its own, with these options. Excludes `sidecar`. */
  readonly local?: boolean | LocalSidecarOptions | undefined
  /** The sidecar's platform, whose name is in variables and in the prefix of labels. Default `agones`. */
  readonly platform?: string | undefined
  /** Port to listen on; 0, the default, takes any free one. */
  readonly port?: number | undefined
  /** Address to listen on. Default 127.0.0.1; anything beyond loopback needs `expose`. */
  readonly host?: string | undefined
  /** Operations that aren't forwarded, such as `shutdown`. */
  readonly deny?: readonly OperationName[] | undefined
  /** Answers navigations to paths of no file with `index.html`, for games that route by path. Default false. */
  readonly spa?: boolean | undefined
  /** Sends COOP and COEP, which SharedArrayBuffer needs. Default false. */
  readonly isolate?: boolean | undefined
  /** Makes clients in the game's pages beat by themselves. Default: their own options decide. */
  readonly autoHealth?: boolean | undefined
  /** The certificate chain as PEM, to speak HTTPS. Goes with `key`. */
  readonly cert?: string | Uint8Array | undefined
  /** The certificate's private key as PEM. Goes with `cert`. */
  readonly key?: string | Uint8Array | undefined
  /**
   * Allows a `host` that other machines can reach. It needs a `token` or `allowOrigins`, which say who may use the
   * sidecar. Default false.
   */
  readonly expose?: boolean | undefined
  /**
   * A secret that clients need to reach the sidecar. They send it as `Authorization: Bearer`, or open a page with
   * `?token=`. `true` makes one. Default: none.
   */
  readonly token?: boolean | string | undefined
  /** Host names served beside localhost, 127.0.0.1 and [::1]. */
  readonly allowHosts?: readonly string[] | undefined
  /** Origins of pages that may use the sidecar beside the gateway's own, such as `http://localhost:5173`. */
  readonly allowOrigins?: readonly string[] | undefined
  /** Milliseconds after which the sidecar must have answered a call. Default 30,000. */
  readonly timeout?: number | undefined
  /** Takes warnings, each a sentence for a person. Default: `process.emitWarning`. */
  readonly onWarning?: ((message: string) => void) | undefined
  /** Takes a line about each request that was refused or failed, at most 20 in ten seconds. */
  readonly onLog?: ((line: string) => void) | undefined
}

const known = {
  dir: true,
  sidecar: true,
  local: true,
  platform: true,
  port: true,
  host: true,
  deny: true,
  spa: true,
  isolate: true,
  autoHealth: true,
  cert: true,
  key: true,
  expose: true,
  token: true,
  allowHosts: true,
  allowOrigins: true,
  timeout: true,
  onWarning: true,
  onLog: true,
} satisfies Record<keyof GatewayOptions, true>

/** Options after they were checked and their defaults filled in. */
export interface GatewaySettings {
  readonly port: number
  readonly host: string
  readonly platform: string
  /** Undefined if a local sidecar runs inside. */
  readonly sidecar: URL | undefined
  /** Options of the local sidecar inside. */
  readonly local: LocalSidecarOptions | undefined
  readonly denied: ReadonlySet<OperationName>
  readonly tls: Certificate | undefined
  /** Whether other machines can reach it. */
  readonly exposed: boolean
  readonly token: string | undefined
  readonly allowHosts: readonly string[]
  readonly allowOrigins: readonly string[]
  readonly timeout: number
  readonly onWarning: (message: string) => void
}

/** @throws TypeError for an unknown option or a value that makes no sense */
export function resolveGatewayOptions(options: GatewayOptions): GatewaySettings {
  refuseUnknownOptions(options, Object.keys(known))
  const { port = 0, host = '127.0.0.1', platform = 'agones', timeout = 30_000, local, cert, key } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`port must be a whole number from 0 to 65535, not ${String(port)}`)
  }
  if (!Number.isFinite(timeout) || timeout <= 0 || timeout > 0x7fff_ffff) {
    throw new TypeError(`timeout must be a number of milliseconds, not ${String(timeout)}`)
  }
  if (!/^[a-z\d][-a-z\d]*$/.test(platform)) {
    throw new TypeError(`platform must be a name such as agones, not ${JSON.stringify(platform)}`)
  }
  if (local && options.sidecar !== undefined) {
    throw new TypeError('sidecar and local exclude each other: both say which sidecar is used')
  }
  const tls = checkCertificate(cert, key)
  const exposed = !isLoopback(host)
  const token = resolveToken(options.token)
  checkExposure(options, host, exposed, token)
  return {
    port,
    host,
    platform,
    sidecar: local ? undefined : findSidecar(options.sidecar, platform, process.env),
    local: local ? { platform, ...(local === true ? {} : local) } : undefined,
    denied: new Set(listOption('deny', options.deny).map(checkOperation)),
    tls,
    exposed,
    token,
    allowHosts: [...listOption('allowHosts', options.allowHosts), ...ownHosts(host)],
    allowOrigins: listOption('allowOrigins', options.allowOrigins),
    timeout,
    onWarning: options.onWarning ?? warnProcess,
  }
}

function checkExposure(options: GatewayOptions, host: string, exposed: boolean, token: string | undefined): void {
  if (!exposed) return
  if (options.expose !== true) {
    throw new TypeError(
      `Other machines can reach ${host} and could shut the game server down: ` +
        'add expose: true if they should, with a token or allowOrigins, or leave host at 127.0.0.1',
    )
  }
  if (token !== undefined || (options.allowOrigins ?? []).length > 0) return
  throw new TypeError(
    'expose needs a token (true makes one) or allowOrigins, which say who may use the sidecar from elsewhere',
  )
}

function checkOperation(name: string): OperationName {
  const names = Object.keys(operations)
  if (names.includes(name)) return name as OperationName
  throw new TypeError(`There is no operation "${name}" to deny; ${didYouMean(name, names)}`)
}

const warnProcess = (message: string): void => process.emitWarning(message, { type: 'GameServerSidecar' })
