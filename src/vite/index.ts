import type { IncomingMessage, ServerResponse } from 'node:http'
import { CONFIG_PATH } from '../node/gateway/own-paths.js'
import { insertScript } from '../node/gateway/files/html-insertion.js'
import { createDevSidecar, resolvePluginOptions } from './dev-sidecar.js'
import type { DevSidecar } from './dev-sidecar.js'
import type { GameserverSidecarOptions, VitePlugin, ViteServer } from './plugin-types.js'

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
  const settings = resolvePluginOptions(options)
  /** One for each server, with the server's environments. A restarting server and its successor overlap. */
  const open = new Map<DevSidecar, readonly unknown[]>()

  const attach = (server: ViteServer, isSecure: boolean, isPreview: boolean): void => {
    const { httpServer, middlewares, config, environments } = server
    const sidecar = createDevSidecar(settings, options.autoHealth, isSecure ? 'https' : 'http', config.logger)
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

/** Headers for which Vite would answer with something other than the whole page. */
const ASKING_FOR_LESS = ['accept-encoding', 'if-modified-since', 'if-none-match', 'range']
/** Headers of Vite's answer that are wrong for the changed page. */
const OF_THE_OLD_PAGE = ['Accept-Ranges', 'Content-Length', 'ETag', 'Last-Modified']

/**
 * Puts a tag into a built page that Vite's preview is about to send. The files of a build don't have the tag, since they
 * may be served from anywhere.
 */
function insertIntoPreview(message: IncomingMessage, reply: ServerResponse, tag: string): void {
  if (message.method !== 'GET' || !(message.headers.accept ?? '').includes('text/html')) return
  for (const name of ASKING_FOR_LESS) delete message.headers[name]
  const { writeHead, write, end } = reply
  let page: Buffer[] | undefined
  let decided = false

  const decide = (): void => {
    if (decided) return
    decided = true
    if (/^text\/html/i.test(String(reply.getHeader('Content-Type')))) page = []
    else Object.assign(reply, { writeHead, write, end })
  }
  Object.assign(reply, {
    writeHead(status: number, ...rest: readonly unknown[]) {
      reply.statusCode = status
      const headers = rest.find((item) => typeof item === 'object' && item !== null) ?? {}
      for (const [name, value] of Object.entries(headers)) reply.setHeader(name, value as string)
      decide()
      return page === undefined ? writeHead.call(reply, status) : reply
    },
    write(chunk: string | Uint8Array, ...rest: readonly unknown[]) {
      decide()
      if (page === undefined) return (write as (...args: unknown[]) => boolean).call(reply, chunk, ...rest)
      page.push(Buffer.from(chunk as string))
      return true
    },
    end(chunk?: string | Uint8Array, ...rest: readonly unknown[]) {
      decide()
      if (page === undefined) return (end as (...args: unknown[]) => unknown).call(reply, chunk, ...rest)
      if (chunk !== undefined) page.push(Buffer.from(chunk as string))
      const { page: body } = insertScript(Buffer.concat(page), tag)
      for (const name of OF_THE_OLD_PAGE) reply.removeHeader(name)
      reply.setHeader('Cache-Control', 'no-cache')
      reply.setHeader('Content-Length', body.byteLength)
      Object.assign(reply, { writeHead, write, end })
      return reply.end(body)
    },
  })
}
