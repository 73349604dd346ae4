import type { IncomingMessage, ServerResponse } from 'node:http'
import { CONFIG_PATH } from './gateway/forward/access.js'
import { insertScript } from './gateway/files/html-insertion.js'
import { ISOLATING_HEADERS } from './http/refusal.js'
import { requireNode } from './http/requires-node.js'
import { DevSidecar, resolvePluginOptions } from './vite/dev-sidecar.js'
import type { GameserverSidecarOptions, VitePlugin, ViteServer } from './vite/plugin-types.js'

export type * from './vite/plugin-types.js'

requireNode()

const SCRIPT = { tag: 'script', attrs: { src: CONFIG_PATH }, injectTo: 'head-prepend' } as const

/**
 * Serves the sidecar to pages of Vite's server on their own origin, so that `createClient()` needs no options. A local
 * sidecar runs inside Vite, unless an option or the environment names another. Builds aren't changed.
 *
 * @throws TypeError for an unknown option or an invalid value
 */
export function gameserverSidecar(options: GameserverSidecarOptions = {}): VitePlugin {
  const settings = resolvePluginOptions(options)
  /** The sidecar of each server, keyed by the server's environments: a restarting server and its successor overlap. */
  const open = new Map<DevSidecar, readonly unknown[]>()

  const attach = (server: ViteServer, isSecure: boolean, isPreview: boolean): void => {
    const { httpServer, middlewares, config, environments } = server
    const sidecar = new DevSidecar(settings, isSecure ? 'https' : 'http', config.logger)
    open.set(sidecar, Object.values(environments ?? {}))
    httpServer?.once('listening', () => void sidecar.start())
    httpServer?.once('close', () => void close(sidecar))
    httpServer?.on('upgrade', (message, socket) => {
      sidecar.upgrade(message, socket).catch(() => socket.destroy())
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
    // With order `post`, the tag comes after Vite has put its base in front of a page's paths.
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

/** Request headers that let Vite answer with less than the whole page. */
const ASKING_FOR_LESS = ['accept-encoding', 'if-modified-since', 'if-none-match', 'range']
/** Headers of Vite's answer that don't fit the changed page. */
const OF_THE_OLD_PAGE = ['Accept-Ranges', 'Content-Length', 'ETag', 'Last-Modified']

/**
 * Inserts a tag into a built page that Vite's preview sends. The build's files lack the tag, since any server may serve
 * them.
 */
function insertIntoPreview(message: IncomingMessage, reply: ServerResponse, tag: string): void {
  if (message.method !== 'GET' || !(message.headers.accept ?? '').includes('text/html')) return
  for (const name of ASKING_FOR_LESS) delete message.headers[name]
  const original = { writeHead: reply.writeHead, write: reply.write, end: reply.end }
  const call = (name: keyof typeof original, ...args: readonly unknown[]): unknown =>
    Reflect.apply(original[name], reply, args)
  const isPage = (): boolean => /^text\/html/i.test(String(reply.getHeader('Content-Type')))
  const parts: Buffer[] = []
  const keep = (chunk: unknown): boolean => parts.push(Buffer.from(chunk as string)) > 0
  Object.assign(reply, {
    writeHead(status: number, ...rest: readonly unknown[]) {
      reply.statusCode = status
      const headers = rest.find((item) => typeof item === 'object' && item !== null) ?? {}
      for (const [name, value] of Object.entries(headers)) reply.setHeader(name, value as string)
      return isPage() ? reply : call('writeHead', status)
    },
    write: (chunk: unknown, ...rest: readonly unknown[]) => (isPage() ? keep(chunk) : call('write', chunk, ...rest)),
    end(chunk?: unknown, ...rest: readonly unknown[]) {
      if (!isPage()) return call('end', chunk, ...rest)
      if (chunk !== undefined) keep(chunk)
      const page = insertScript(Buffer.concat(parts), tag)
      for (const name of OF_THE_OLD_PAGE) reply.removeHeader(name)
      reply.setHeader('Cache-Control', 'no-cache')
      reply.setHeader('Content-Length', page.byteLength)
      return Object.assign(reply, original).end(page)
    },
  })
}
