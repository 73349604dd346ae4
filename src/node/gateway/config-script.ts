import type { ServerResponse } from 'node:http'

/** The sidecar's paths stand behind this one, on the pages' own origin. */
export const SIDECAR_PREFIX = '/_/sidecar'

/**
 * A script that tells clients in the page where the sidecar is. External, since pages' policies forbid
 * others.
 */
export const CONFIG_PATH = '/_/config.js'

/** What the script says; `createClient()` reads it. */
export interface InjectedConfig {
  readonly platform: string
  readonly autoHealth?: boolean | undefined
}

export const configScript = ({ platform, autoHealth }: InjectedConfig): string =>
  `globalThis.GAMESERVER_SIDECAR=${JSON.stringify({ baseUrl: SIDECAR_PREFIX, platform, autoHealth })}\n`

export function sendConfigScript(reply: ServerResponse, script: string, isHead: boolean): void {
  reply.writeHead(200, {
    'content-type': 'text/javascript; charset=utf-8',
    'content-length': Buffer.byteLength(script),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  reply.end(isHead ? undefined : script)
}
