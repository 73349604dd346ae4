import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GatewayOptions } from '../gateway/gateway-options.js'

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

/** The part of Vite's logger that the plugin uses. */
export interface ViteLogger {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** The part of Vite's servers that the plugin uses: of the development server, and of the preview of a build. */
export interface ViteServer {
  readonly config: {
    readonly logger: ViteLogger
    readonly server: { readonly https?: unknown }
    readonly preview: { readonly https?: unknown }
  }
  readonly environments?: Readonly<Record<string, unknown>>
  /** Null where Vite is part of another server. */
  readonly httpServer: {
    on(event: 'upgrade', listener: (message: IncomingMessage, socket: Socket) => void): unknown
    once(event: 'listening' | 'close', listener: () => void): unknown
  } | null
  readonly middlewares: {
    use(middleware: (message: IncomingMessage, reply: ServerResponse, next: (error?: unknown) => void) => void): unknown
  }
}

/** A tag for the HTML of a page. */
interface ViteHtmlTag {
  readonly tag: string
  readonly attrs: Record<string, string>
  readonly injectTo: 'head-prepend'
}

type Headers = { headers: Record<string, string> }

/** A plugin as Vite's configuration takes it. */
export interface VitePlugin {
  readonly name: string
  readonly apply: 'serve'
  config(): { readonly server: Headers; readonly preview: Headers } | undefined
  configureServer(server: ViteServer): void
  configurePreviewServer(server: ViteServer): void
  readonly transformIndexHtml: { readonly order: 'post'; handler(): ViteHtmlTag[] }
  closeBundle(this: { readonly environment?: unknown }): Promise<void>
}
