import type { ServerResponse } from 'node:http'
import { SAFE_HEADERS } from '../http/raw-response.js'
import { SIDECAR_PREFIX } from './forward/sidecar-route.js'

/**
 * Path of a script that tells clients in a page where the sidecar is. It is a file of its own because the policies of
 * many pages forbid scripts within HTML.
 */
export const CONFIG_PATH = '/_/config.js'

/** The content of the script, which `createClient()` reads. */
export const configScript = (platform: string, autoHealth: boolean | undefined): string =>
  `globalThis.GAMESERVER_SIDECAR=${JSON.stringify({ baseUrl: SIDECAR_PREFIX, platform, autoHealth })}\n`

export function sendConfigScript(reply: ServerResponse, script: string, isHead: boolean): void {
  reply.writeHead(200, {
    'content-type': 'text/javascript; charset=utf-8',
    'content-length': Buffer.byteLength(script),
    ...SAFE_HEADERS,
    'cross-origin-resource-policy': 'same-origin',
  })
  reply.end(isHead ? undefined : script)
}
