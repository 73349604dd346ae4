import { CONFIG_PATH } from '../node/gateway/config-script.js'
import { createDevSidecar } from './dev-sidecar.js'
import type { DevSidecar } from './dev-sidecar.js'
import { resolvePluginOptions } from './plugin-options.js'
import type { GameserverSidecarOptions, VitePlugin, ViteServer } from './plugin-types.js'
import { insertIntoPreview } from './preview-page.js'

export type * from './plugin-types.js'

const ISOLATING_HEADERS = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
}
const SCRIPT = { tag: 'script', attrs: { src: CONFIG_PATH }, injectTo: 'head-prepend' } as const

/**
 * Gives pages of Vite's server the sidecar on their own origin, so that `createClient()` needs no options: a local one
 * that runs inside, unless an option or the environment names another. Builds are left as they are.
 *
 * @throws TypeError for an option that makes no sense or isn't one
 */
export function gameserverSidecar(options: GameserverSidecarOptions = {}): VitePlugin {
  resolvePluginOptions(options, () => undefined)
  /** A server that is restarted has its successor beside it for a moment. */
  const open = new Map<DevSidecar, readonly unknown[]>()

  const attach = (server: ViteServer, isSecure: boolean, isPreview: boolean): void => {
    const { httpServer, middlewares, config, environments } = server
    const own = createDevSidecar(options, isSecure ? 'https' : 'http', config.logger)
    open.set(own, Object.values(environments ?? {}))
    httpServer?.once('listening', () => void own.start())
    httpServer?.once('close', () => void close(own))
    httpServer?.on('upgrade', (message, socket, head) => {
      own.upgrade(message, socket, head).catch(() => socket.destroy())
    })
    middlewares.use((message, reply, next) => {
      own.serve(message, reply).then((answered) => {
        if (answered) return
        if (isPreview) insertIntoPreview(message, reply, `<script src="${CONFIG_PATH}"></script>`)
        next()
      }, next)
    })
  }

  const close = (own: DevSidecar): Promise<void> => {
    open.delete(own)
    return own.close()
  }

  return {
    name: 'gameserver-sidecar',
    apply: 'serve',
    config: () =>
      options.isolate === true
        ? { server: { headers: ISOLATING_HEADERS }, preview: { headers: ISOLATING_HEADERS } }
        : undefined,
    configureServer: (server) => attach(server, Boolean(server.config.server.https), false),
    configurePreviewServer: (server) => attach(server, Boolean(server.config.preview.https), true),
    // After Vite's own changes, which would put the base in front of the path.
    transformIndexHtml: { order: 'post', handler: () => [SCRIPT] },
    async closeBundle(this: { readonly environment?: unknown }) {
      const { environment } = this
      const all = [...open]
      // Vite 5 knows no environments: there, the one that ends is the one that has been there for the longest time.
      const oldest = all.find(([, theirs]) => theirs.length === 0)
      const closed = oldest === undefined ? all.filter(([, theirs]) => theirs.includes(environment)) : [oldest]
      await Promise.all(closed.map(([own]) => close(own)))
    },
  }
}
