import type * as vite from './index.js'

/** The plugin for `require()`. Its module is loaded when Vite first calls it. */
export const gameserverSidecar: typeof vite.gameserverSidecar = (options) => {
  const loaded = import('./index.js').then((module) => module.gameserverSidecar(options))
  // Vite reports wrong options when it first calls the plugin.
  loaded.catch(() => undefined)
  return {
    name: 'gameserver-sidecar',
    apply: 'serve',
    config: async () => (await loaded).config(),
    configureServer: async (server) => (await loaded).configureServer(server),
    configurePreviewServer: async (server) => (await loaded).configurePreviewServer(server),
    transformIndexHtml: { order: 'post', handler: async () => (await loaded).transformIndexHtml.handler() },
    async closeBundle() {
      await (await loaded).closeBundle.call(this)
    },
  }
}
