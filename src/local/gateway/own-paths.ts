import type { IncomingMessage } from 'node:http'
import { SAFE_HEADERS } from '../http/raw-response.js'
import type { Access } from './forward/access.js'
import { SIDECAR_PREFIX } from './forward/sidecar-route.js'

/**
 * Path of a script that tells clients in a page where the sidecar is. The script is a file of its own because the
 * policies of many pages forbid scripts within HTML.
 */
export const CONFIG_PATH = '/_/config.js'

export const pathOf = (target: string): string => target.split('?')[0]!

export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

export type OwnPaths = ReturnType<typeof createOwnPaths>

/**
 * Serves the configuration script, and addresses that hold a token. The returned function answers a request for a path of
 * the gateway's own, and returns false, nothing sent, for every other request.
 */
export function createOwnPaths(platform: string, autoHealth: boolean | undefined, access: Access) {
  const config = JSON.stringify({ baseUrl: SIDECAR_PREFIX, platform, autoHealth })
  const script = `globalThis.GAMESERVER_SIDECAR=${config}\n`
  return (...[message, reply, admission, refuse]: Parameters<Access['enter']>): boolean => {
    if (!isRead(message)) return false
    if (pathOf(admission.target) !== CONFIG_PATH) return access.enter(message, reply, admission, refuse)
    reply.writeHead(200, {
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': Buffer.byteLength(script),
      ...SAFE_HEADERS,
      'cross-origin-resource-policy': 'same-origin',
    })
    reply.end(script)
    return true
  }
}
