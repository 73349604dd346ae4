import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { checkPluginOptions } from '../platform/schema.js'
import { insertScript } from './gateway/files/html-insertion.js'
import { CONFIG_PATH, isForSidecar, SIDECAR_PREFIX } from './gateway/forward/access.js'
import { SidecarHandler } from './gateway/forward/sidecar-handler.js'
import { resolveGatewayOptions, type GatewayOptions, type GatewaySettings } from './gateway/gateway-options.js'
import { variablePrefix } from './gateway/sidecar-url.js'
import { isLoopback } from './http/address.js'
import { createLineLog, forbidden, ISOLATING_HEADERS, unavailable, type Refusal } from './http/refusal.js'
import { createGuard, isRead, type Admission } from './http/request-guard.js'
import { requireNode } from './http/requires-node.js'
import { dashboardUrl } from './sidecar/dashboard-route.js'
import { createLocalSidecar, followReplacements, type LocalSidecar } from './sidecar/local-sidecar.js'

requireNode()

/** Options of `gameserverSidecar()`. All have defaults. */
export interface GameserverSidecarOptions extends Pick<
  GatewayOptions,
  | 'sidecar'
  | 'local'
  | 'platform'
  | 'deny'
  | 'isolate'
  | 'autoHealth'
  | 'token'
  | 'allowHosts'
  | 'allowOrigins'
  | 'timeout'
> {
  /**
   * Lets other machines that reach Vite's server use the sidecar. Needs a `token` or `allowOrigins`, which say who may
   * use the sidecar. Default false.
   */
  readonly expose?: boolean | undefined
}

/** A plugin as Vite's configuration takes it. */
export interface VitePlugin {
  readonly name: string
}

/** The part of Vite's logger that the plugin uses. */
interface ViteLogger {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
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
  /** Each open sidecar, with the configuration of its server. */
  const open = new Map<DevSidecar, unknown>()

  const attach = (server: ViteServer, isSecure: boolean, isPreview: boolean): void => {
    const { httpServer, middlewares, config } = server
    const sidecar = new DevSidecar(settings, isSecure ? 'https' : 'http', config.logger)
    open.set(sidecar, config)
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
    closeBundle(this: { readonly environment?: { getTopLevelConfig?(): unknown } }) {
      // One plugin may be in several servers. Vite 5 doesn't tell which of them closes. A restarting server closes when its
      // successor has been configured and doesn't listen yet.
      const config = this.environment?.getTopLevelConfig?.()
      const closing = [...open].filter(([sidecar, its]) => sidecar.hasStarted && (config ?? its) === its)
      return Promise.all(closing.map(([sidecar]) => close(sidecar)))
    },
  }
  return plugin
}

/**
 * Checks the options as the gateway does. Defaults to a local sidecar unless an option or the environment names a
 * sidecar.
 *
 * @throws TypeError for an unknown option or an invalid value
 */
function resolvePluginOptions(options: GameserverSidecarOptions): GatewaySettings {
  checkPluginOptions(options)
  const { platform = 'agones', sidecar, expose } = options
  const { local = sidecar === undefined && !process.env[`${variablePrefix(platform)}PORT`] } = options
  return resolveGatewayOptions({
    ...options,
    local: local && { replace: true, port: 'usual', ...(local === true ? {} : local) },
    // Vite chooses the address to listen on. This address only says whether other machines may reach the server.
    host: expose === true ? '0.0.0.0' : '127.0.0.1',
  })
}

const NOT_FROM_ELSEWHERE = forbidden(
  'Only this machine may use the sidecar; if others should, give the plugin expose: true',
)
const CLOSED = unavailable('The server is closed')

const isOwn = (target: string): boolean => isForSidecar(target) || target.split('?')[0] === CONFIG_PATH

/** The sidecar that one of Vite's servers serves. */
class DevSidecar {
  readonly #settings: GatewaySettings
  readonly #logger: ViteLogger
  readonly #guard: ReturnType<typeof createGuard>
  readonly #handler: SidecarHandler
  #local: LocalSidecar | undefined
  #starting: Promise<URL | Refusal> | undefined
  #closing: Promise<void> | undefined

  constructor(given: GatewaySettings, scheme: 'http' | 'https', logger: ViteLogger) {
    const log = createLineLog((line) => logger.warn(`gameserver-sidecar: ${line}`))
    const settings = { ...given, scheme, log }
    this.#settings = settings
    this.#logger = logger
    this.#handler = new SidecarHandler(settings, { sidecar: () => this.start() })
    this.#guard = createGuard({ ...settings, isPage: (target) => !isOwn(target) })
  }

  get hasStarted(): boolean {
    return this.#starting !== undefined
  }

  /**
   * Starts the local sidecar, if the options ask for one, and logs its address. Resolves with the sidecar's URL; after a
   * failure, with why no request is answered.
   */
  start(): Promise<URL | Refusal> {
    if (this.#closing !== undefined) return Promise.resolve(CLOSED)
    this.#starting ??= this.#start().catch((error: unknown) => {
      const message = `The sidecar could not be started: ${error instanceof Error ? error.message : String(error)}`
      this.#logger.error(`gameserver-sidecar: ${message}`)
      return unavailable(message)
    })
    return this.#starting
  }

  /** Answers requests that concern the sidecar. Resolves with false, without an answer, for all other requests. */
  async serve(given: IncomingMessage, reply: ServerResponse): Promise<boolean> {
    if (!this.#handler.answers(given)) return false
    const message = 'stream' in given ? likeHttp1(given) : given
    const admission = this.#admit(message, reply)
    if (admission !== undefined) await this.#handler.serve(message, reply, admission)
    return true
  }

  /** Answers upgrades for the sidecar and ignores all others. */
  async upgrade(message: IncomingMessage, socket: Socket): Promise<void> {
    if (!isForSidecar(message.url ?? '')) return
    socket.on('error', () => socket.destroy())
    const admission = this.#admit(message, socket)
    if (admission !== undefined) await this.#handler.upgrade(message, socket, admission)
  }

  /** Ends every watch and the local sidecar. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end())
  }

  async #start(): Promise<URL> {
    const { local: asked, token } = this.#settings
    const logger = this.#logger
    const onWarning = (message: string): void => logger.warn(`gameserver-sidecar: ${message}`)
    const local = asked && (await createLocalSidecar({ onWarning, ...asked }))
    this.#local = local
    const sidecar = this.#settings.sidecar ?? new URL(local!.url)
    const kind = local === undefined ? 'Sidecar' : `Local sidecar (${local.mode} mode)`
    logger.info(`  ${kind} at ${sidecar.href.replace(/\/$/, '')}, for pages at ${SIDECAR_PREFIX}`)
    if (local !== undefined) {
      followReplacements(local, (sentence) => logger.info(`gameserver-sidecar: ${sentence}`))
      if (asked?.dashboard !== false) logger.info(`  Dashboard at ${dashboardUrl(local)}`)
    }
    if (token !== undefined) logger.info(`  Pages get its token by ?token=${token}`)
    return sidecar
  }

  async #end(): Promise<void> {
    await this.#starting
    this.#handler.stopWatches('')
    await this.#local?.close()
  }

  /** Admits a request of this machine, or of any machine if the server is exposed; undefined once it was refused. */
  #admit(message: IncomingMessage, to: ServerResponse | Socket): Admission | undefined {
    const verdict = this.#guard(message)
    const isHere = this.#settings.exposed || isLoopback(message.socket.remoteAddress ?? '')
    if (verdict.refusal === undefined && isHere) return verdict
    this.#handler.refuse(message, to, verdict.refusal ?? NOT_FROM_ELSEWHERE)
    return undefined
  }
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

/** Converts the headers of an HTTP/2 request, as Vite gets over TLS, to those of HTTP/1. */
function likeHttp1(message: IncomingMessage): IncomingMessage {
  const { ':authority': host = '', ...others } = message.headers as Record<string, string>
  const headers = Object.fromEntries(Object.entries({ ...others, host }).filter(([name]) => !name.startsWith(':')))
  // Over HTTP/1, this header announces a body of unknown length.
  if (!isRead(message) && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
  return Object.defineProperty(message, 'headers', { value: headers, writable: true })
}
