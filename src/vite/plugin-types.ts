import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GatewayOptions } from '../node/gateway/gateway-options.js'

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
   * Lets other machines that reach Vite's server use the sidecar. It needs a `token` or `allowOrigins`, which say who
   * may. Default false.
   */
  readonly expose?: boolean | undefined
}

/** The part of Vite's logger that is used. */
export interface ViteLogger {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export type Middleware = (message: IncomingMessage, reply: ServerResponse, next: (error?: unknown) => void) => void

/** The part of Vite's HTTP server that is used. */
export interface ViteHttpServer {
  on(event: 'upgrade', listener: (message: IncomingMessage, socket: Socket) => void): unknown
  once(event: 'listening' | 'close', listener: () => void): unknown
}

/** The part of Vite's servers that is used: of the one for development, and of the one that previews a build. */
export interface ViteServer {
  readonly config: {
    readonly logger: ViteLogger
    readonly server: { readonly https?: unknown }
    readonly preview: { readonly https?: unknown }
  }
  readonly environments?: Readonly<Record<string, unknown>>
  /** Null where Vite is part of another server. */
  readonly httpServer: ViteHttpServer | null
  readonly middlewares: { use(middleware: Middleware): unknown }
}

/** A tag for the HTML of a page. */
export interface ViteHtmlTag {
  readonly tag: string
  readonly attrs: Record<string, string>
  readonly injectTo: 'head-prepend'
}

/** Headers for both of Vite's servers. */
export interface ViteHeaders {
  readonly server: { headers: Record<string, string> }
  readonly preview: { headers: Record<string, string> }
}

type MaybeLater<T> = T | Promise<T>

/** A plugin as Vite's configuration takes it. */
export interface VitePlugin {
  readonly name: string
  readonly apply: 'serve'
  config(): MaybeLater<ViteHeaders | undefined>
  configureServer(server: ViteServer): MaybeLater<void>
  configurePreviewServer(server: ViteServer): MaybeLater<void>
  readonly transformIndexHtml: { readonly order: 'post'; handler(): MaybeLater<ViteHtmlTag[]> }
  closeBundle(this: { readonly environment?: unknown }): Promise<void>
}
