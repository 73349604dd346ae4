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
 * Gives pages of Vite's server the sidecar on their own origin, so that `createClient()` needs no options. A local
 * sidecar runs inside, unless an option or the environment names another. Builds stay as they are.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
 */
export function gameserverSidecar(options: GameserverSidecarOptions = {}): VitePlugin {
  resolvePluginOptions(options, () => undefined)
  /** One for each server, with the server's environments. A restarting server and its successor overlap. */
  const open = new Map<DevSidecar, readonly unknown[]>()

  const attach = (server: ViteServer, isSecure: boolean, isPreview: boolean): void => {
    const { httpServer, middlewares, config, environments } = server
    const sidecar = createDevSidecar(options, isSecure ? 'https' : 'http', config.logger)
    open.set(sidecar, Object.values(environments ?? {}))
    httpServer?.once('listening', () => void sidecar.start())
    httpServer?.once('close', () => void close(sidecar))
    httpServer?.on('upgrade', (message, socket, head) => {
      sidecar.upgrade(message, socket, head).catch(() => socket.destroy())
    })
    middlewares.use((message, reply, next) => {
      sidecar.serve(message, reply).then((answered) => {
        if (answered) return
        if (isPreview) insertIntoPreview(message, reply, `<script src="${CONFIG_PATH}"></script>`)
        next()
      }, next)
    })
  }

  const close = (sidecar: DevSidecar): Promise<void> => {
    open.delete(sidecar)
    return sidecar.close()
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
    // Vite puts its base in front of paths in pages. Afterwards, it leaves ours alone.
    transformIndexHtml: { order: 'post', handler: () => [SCRIPT] },
    async closeBundle(this: { readonly environment?: unknown }) {
      const { environment } = this
      const all = [...open]
      // Vite 5 knows no environments. There, the oldest server is the one that ends.
      const oldest = all.find(([, environments]) => environments.length === 0)
      const ended =
        oldest === undefined ? all.filter(([, environments]) => environments.includes(environment)) : [oldest]
      await Promise.all(ended.map(([sidecar]) => close(sidecar)))
    },
  }
}
