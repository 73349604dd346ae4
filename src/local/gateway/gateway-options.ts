import type { OperationName } from '../../protocol/operations.js'
import { checkGatewayOptions } from '../../platform/schema.js'
import { isLoopback, ownHosts } from '../http/address.js'
import { checkCertificate } from '../http/certificate.js'
import { createLineLog } from '../http/refusal.js'
import { createToken } from '../http/request-guard.js'
import { warnProcess, type LocalSidecarOptions } from '../sidecar/local-sidecar-options.js'
import { findUpstream } from './sidecar-url.js'

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
  /** Answers navigations to missing files with `index.html`, for games that route by path. Default false. */
  readonly spa?: boolean | undefined
  /** Sends COOP and COEP, which SharedArrayBuffer needs. Default false. */
  readonly isolate?: boolean | undefined
  /** Makes clients in the game's pages send beats by themselves. Default: the clients' own options decide. */
  readonly autoHealth?: boolean | undefined
  /** The certificate chain as PEM, or the path of its file, to speak HTTPS. Goes with `key`; renewed files are read again. */
  readonly cert?: string | Uint8Array | undefined
  /** The certificate's private key as PEM, or the path of its file. Goes with `cert`. */
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
  /** Takes a line for each request that was refused or failed, at most 20 in ten seconds. */
  readonly onLog?: ((line: string) => void) | undefined
}

export type GatewaySettings = ReturnType<typeof resolveGatewayOptions>

/** @throws TypeError for an unknown option or a value that makes no sense */
export function resolveGatewayOptions(options: GatewayOptions) {
  checkGatewayOptions(options)
  const { host = '127.0.0.1', platform = 'agones', local, allowHosts = [], allowOrigins = [] } = options
  const tls = checkCertificate(options.cert, options.key)
  const exposed = !isLoopback(host)
  if (exposed) checkExposure(options, host)
  return {
    ...options,
    ...{ host, platform, tls, exposed, allowOrigins },
    port: options.port ?? 0,
    scheme: tls === undefined ? ('http' as const) : ('https' as const),
    /** Undefined if a local sidecar runs inside. */
    sidecar: local ? undefined : findUpstream(options.sidecar, platform, process.env),
    local: local ? { platform, ...(local === true ? {} : local) } : undefined,
    denied: new Set<OperationName>(options.deny),
    token: options.token === true ? createToken() : options.token || undefined,
    allowHosts: [...allowHosts, ...ownHosts(host)],
    timeout: options.timeout ?? 30_000,
    log: createLineLog(options.onLog),
    onWarning: options.onWarning ?? warnProcess,
  }
}

function checkExposure({ expose, token, allowOrigins = [] }: GatewayOptions, host: string): void {
  if (expose !== true) {
    throw new TypeError(
      `Other machines can reach ${host} and shut the game server down; ` +
        'to allow that, add --expose, with --token or --allow-origin (in code expose: true, token, allowOrigins)',
    )
  }
  if (token || allowOrigins.length > 0) return
  throw new TypeError(
    'To say who may use the sidecar from elsewhere, add --token, which may make one, or --allow-origin ' +
      '(in code token: true or allowOrigins)',
  )
}
