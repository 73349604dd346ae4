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
 * Checks the options as the gateway does. A local sidecar is the default if neither an option nor the environment names
 * one.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
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
    local: local && { onWarning, replace: true, port: 'usual', ...(local === true ? {} : local) },
    // Vite chooses its own address. This one only tells whether it may be reachable for others.
    host: expose === true ? '0.0.0.0' : '127.0.0.1',
    onWarning,
  })
}
