import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CONFIG_PATH } from './gateway/forward/access.js'
import { insertScript } from './gateway/files/html-insertion.js'
import { ISOLATING_HEADERS } from './http/refusal.js'
import { requireNode } from './http/requires-node.js'
import { DevSidecar, resolvePluginOptions, type GameserverSidecarOptions, type ViteLogger } from './vite/dev-sidecar.js'

export type { GameserverSidecarOptions } from './vite/dev-sidecar.js'

requireNode()

/** A plugin as Vite's configuration takes it. */
export interface VitePlugin {
  readonly name: string
}

/** The part of Vite's servers that the plugin uses: of the development server, and of the preview of a build. */
interface ViteServer {
  readonly config: {
    readonly logger: ViteLogger
    readonly server: { readonly https?: unknown }
    readonly preview: { readonly https?: unknown }
  }
  /** Null where Vite is part of another server. */
  readonly httpServer: {
    on(event: 'upgrade', listener: (message: IncomingMessage, socket: Socket) => void): unknown
    once(event: 'listening' | 'close', listener: () => void): unknown
  } | null
  readonly middlewares: {
    use(middleware: (message: IncomingMessage, reply: ServerResponse, next: (error?: unknown) => void) => void): unknown
  }
}

const SCRIPT = { tag: 'script', attrs: { src: CONFIG_PATH }, injectTo: 'head-prepend' } as const

/**
 * Serves the sidecar to pages of Vite's server on their own origin, so that `createClient()` needs no options. A local
 * sidecar runs inside Vite, unless an option or the environment names another. Builds aren't changed.
 *
 * @throws TypeError for an unknown option or an invalid value
 */
export function gameserverSidecar(options: GameserverSidecarOptions = {}): VitePlugin {
  const settings = resolvePluginOptions(options)
  const open = new Set<DevSidecar>()

  const attach = (server: ViteServer, isSecure: boolean, isPreview: boolean): void => {
    const { httpServer, middlewares, config } = server
    const sidecar = new DevSidecar(settings, isSecure ? 'https' : 'http', config.logger)
    open.add(sidecar)
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

  const plugin = {
    name: 'gameserver-sidecar',
    apply: 'serve',
    config: () =>
      options.isolate === true
        ? { server: { headers: ISOLATING_HEADERS }, preview: { headers: ISOLATING_HEADERS } }
        : undefined,
    configureServer: (server: ViteServer) => attach(server, Boolean(server.config.server.https), false),
    configurePreviewServer: (server: ViteServer) => attach(server, Boolean(server.config.preview.https), true),
    // With order `post`, the tag comes after Vite has put its base in front of a page's paths.
    transformIndexHtml: { order: 'post', handler: () => [SCRIPT] },
    // A restarting server closes when its successor has been configured and doesn't listen yet.
    closeBundle: () => Promise.all([...open].filter(({ hasStarted }) => hasStarted).map(close)),
  }
  return plugin
}

/** Request headers that let Vite answer with less than the whole page. */
const ASKING_FOR_LESS = ['accept-encoding', 'if-modified-since', 'if-none-match', 'range']

/**
 * Inserts a tag into a built page that Vite's preview sends. The build's files lack the tag, since any server may serve
 * them.
 */
function insertIntoPreview(message: IncomingMessage, reply: ServerResponse, tag: string): void {
  if (message.method !== 'GET' || !(message.headers.accept ?? '').includes('text/html')) return
  for (const name of ASKING_FOR_LESS) delete message.headers[name]
  // Vite streams a page that is asked for by its file's name.
  message.url = message.url?.replace(/(?:(?<=\/)index)?\.html(?=\?|$)/, '')
  const end = reply.end.bind(reply) as (chunk?: unknown, ...rest: readonly unknown[]) => ServerResponse
  // Vite sends a page as one text, without writeHead().
  reply.end = (chunk?: unknown, ...rest: readonly unknown[]) => {
    const isPage = /^text\/html/i.test(String(reply.getHeader('Content-Type')))
    if (!isPage || reply.headersSent || chunk === undefined) return end(chunk, ...rest)
    reply.removeHeader('ETag')
    return end(insertScript(Buffer.from(chunk as string), tag))
  }
}
