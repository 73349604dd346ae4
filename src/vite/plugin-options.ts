import { resolveGatewayOptions } from '../node/gateway/gateway-options.js'
import type { GatewaySettings } from '../node/gateway/gateway-options.js'
import { variablePrefix } from '../node/gateway/sidecar-url.js'
import { refuseUnknownOptions } from '../node/unknown-option.js'
import type { GameserverSidecarOptions } from './plugin-types.js'

const known = {
  sidecar: true,
  local: true,
  platform: true,
  deny: true,
  isolate: true,
  autoHealth: true,
  expose: true,
  token: true,
  allowHosts: true,
  allowOrigins: true,
  timeout: true,
} satisfies Record<keyof GameserverSidecarOptions, true>

/**
 * Checks the options as the gateway does. Where nothing says where a sidecar is, there is a local one.
 *
 * @throws TypeError for an option that makes no sense or isn't one
 */
export function resolvePluginOptions(
  options: GameserverSidecarOptions,
  onWarning: (message: string) => void,
): GatewaySettings {
  refuseUnknownOptions(options, Object.keys(known))
  const { platform = 'agones', sidecar, expose } = options
  const { local = sidecar === undefined && !process.env[`${variablePrefix(platform)}PORT`] } = options
  return resolveGatewayOptions({
    ...options,
    local: local && { onWarning, ...(local === true ? {} : local) },
    // Which address Vite listens on is its own affair: here it only matters whom it may be.
    host: expose === true ? '0.0.0.0' : '127.0.0.1',
    onWarning,
  })
}
