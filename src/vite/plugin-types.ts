import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GatewayOptions } from '../node/gateway/gateway-options.js'

/** What `gameserverSidecar()` can be told. Everything has a default. */
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
   * Lets other machines that reach Vite's server use the sidecar. Then a `token` or `allowOrigins` must say who may.
   * Default false.
   */
  readonly expose?: boolean | undefined
}

/** What is used of Vite's logger. */
export interface ViteLogger {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export type Middleware = (message: IncomingMessage, reply: ServerResponse, next: (error?: unknown) => void) => void

/** What is used of Vite's HTTP server. */
export interface ViteHttpServer {
  on(event: 'upgrade', listener: (message: IncomingMessage, socket: Socket, head: Buffer) => void): unknown
  once(event: 'listening' | 'close', listener: () => void): unknown
}

/** What is used of Vite's servers: the one for development, and the one that previews a build. */
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

/** What Vite's configuration takes as a plugin. */
export interface VitePlugin {
  readonly name: string
  readonly apply: 'serve'
  config(): MaybeLater<ViteHeaders | undefined>
  configureServer(server: ViteServer): MaybeLater<void>
  configurePreviewServer(server: ViteServer): MaybeLater<void>
  readonly transformIndexHtml: { readonly order: 'post'; handler(): MaybeLater<ViteHtmlTag[]> }
  closeBundle(this: { readonly environment?: unknown }): Promise<void>
}
