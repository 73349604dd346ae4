import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { OperationName } from '../../protocol/operations.js'
import { listen, urlHost } from '../http/address.js'
import { createGuardedServer } from '../http/guarded-server.js'
import { notFound, refusalLine, type Refusal } from '../http/refusal.js'
import { createGuard, type Admission } from '../http/request-guard.js'
import { followReplacements, startLocalSidecar, type LocalSidecar } from '../sidecar/local-sidecar.js'
import { createStaticFiles, type RequestHandler } from './files/static-files.js'
import { CONFIG_PATH, isForSidecar } from './forward/access.js'
import { SidecarHandler, type ForwardedFigures } from './forward/sidecar-handler.js'
import { resolveGatewayOptions, type GatewayOptions, type GatewaySettings } from './gateway-options.js'

/** After a signal, calls are served until there were none for this many milliseconds. */
const QUIET_MS = 500
/** After SIGTERM, a page that watched counts as gone once there was no connection for this many milliseconds. */
const ABSENT_MS = 1_000
/** Milliseconds between two checks whether the traffic has come to rest. */
const CHECK_MS = 20
/** Most milliseconds that `close()` waits for calls. */
const CLOSE_MS = 5_000

/** A game and its sidecar on one origin, until it is closed. */
export interface Gateway {
  /** The address that the gateway listens on, such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly port: number
  /** The address of the sidecar that the gateway forwards to. */
  readonly sidecarUrl: string
  /** The local sidecar, if one runs inside. */
  readonly local: LocalSidecar | undefined
  /** The secret that clients must give to use the sidecar, if there is one. */
  readonly token: string | undefined
  /**
   * Tells every watch, and resolves when all connections have ended. Idempotent. The reason may be a signal's name, which
   * clients emit as their `signal` event. Pages are then served until they have been silent for half a second, at most
   * five seconds. After SIGTERM, a page that watched has the five seconds to call `shutdown()`, unless somebody has.
   */
  close(reason?: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves a game's files and the sidecar on one origin, so that pages may use the sidecar. Resolves when the gateway listens.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
 * @throws GameServerFileError for a file of the local sidecar that can't be read or used
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  return createInnerGateway(options, {})
}

/** What the host adds to the gateway inside it. @internal */
export interface GatewayHooks {
  /** Where players reach the game, for a local sidecar. */
  readonly playersPort?: number
  /** Called when a call of a page is about to be forwarded. */
  readonly onCall?: (operation: OperationName) => void
  /** Takes an upgrade outside of the sidecar's paths. Returns false to have it refused. */
  readonly upgrade?: (target: string, message: IncomingMessage, socket: Socket, head: Buffer) => boolean
}

/** The gateway as the host uses it. @internal */
export interface InnerGateway extends Gateway {
  /** Whether the sidecar has accepted a call to `shutdown`. */
  readonly wasShutDown: boolean
  readonly figures: ForwardedFigures
  /**
   * Tells every watch the signal and ends it. Resolves when the page has called `shutdown()`, or after `mostMs`: also when
   * there was no watch, and, with `isSettled`, when there has been no call for half a second.
   */
  tellSignal(signal: string, mostMs: number, isSettled: boolean): Promise<void>
}

/** The same as `createGateway()`, with hooks. @internal */
export async function createInnerGateway(options: GatewayOptions, hooks: GatewayHooks): Promise<InnerGateway> {
  const settings = resolveGatewayOptions(options)
  const { playersPort } = hooks
  const local = settings.local && (await startLocalSidecar(settings.local, { playersPort }))
  try {
    return await new GatewayServer(settings, local, hooks).listen()
  } catch (error) {
    await local?.close()
    throw error
  }
}

class GatewayServer {
  readonly #settings: GatewaySettings
  readonly #local: LocalSidecar | undefined
  readonly #hooks: GatewayHooks
  readonly #sidecar: URL
  readonly #handler: SidecarHandler
  readonly #serveFile: RequestHandler | undefined
  readonly #guarded: ReturnType<typeof createGuardedServer>
  readonly #traffic = new Traffic()
  #closing: Promise<void> | undefined

  constructor(settings: GatewaySettings, local: LocalSidecar | undefined, hooks: GatewayHooks) {
    const { dir, tls, scheme, allowHosts, allowOrigins, log, onWarning } = settings
    const sidecar = settings.sidecar ?? new URL(local!.url)
    this.#settings = settings
    this.#local = local
    this.#hooks = hooks
    this.#sidecar = sidecar
    this.#handler = new SidecarHandler(settings, {
      sidecar: () => Promise.resolve(sidecar),
      onCall: hooks.onCall,
      onWatch: (socket) => this.#guarded.exempt(socket),
    })
    this.#serveFile = dir === undefined ? undefined : createStaticFiles({ ...settings, dir, configScript: CONFIG_PATH })
    this.#guarded = createGuardedServer({
      tls,
      guard: createGuard({ allowHosts, allowOrigins, scheme, isPage: (target) => !isOwnPath(target) }),
      serve: (...args) => this.#traffic.count(this.#serve(...args)),
      upgrade: (...args) => this.#traffic.count(this.#upgrade(...args)),
      onRefused: (message, refusal) => log(refusalLine(message, refusal)),
      onFault: (error) => onWarning(`A request failed inside the gateway: ${String(error)}`),
      onWarning,
    })
    // A closing gateway opens no watches again.
    if (local !== undefined) followReplacements(local, () => this.#closing === undefined && this.#handler.startAgain())
  }

  async listen(): Promise<InnerGateway> {
    const { port: asked, host, scheme, exposed, token, onWarning } = this.#settings
    const { server } = this.#guarded
    await listen(server, asked, host)
    const { port } = server.address() as AddressInfo
    if (exposed) {
      const who = token === undefined ? 'can read what the sidecar says' : 'may try to guess the token'
      onWarning(`Listening on ${host}: other machines that reach it ${who}`)
    }
    const handler = this.#handler
    const close = (reason = ''): Promise<void> => (this.#closing ??= this.#end(reason))
    return {
      ...{ url: `${scheme}://${urlHost(host)}:${port}`, port, local: this.#local, token, figures: handler.figures },
      sidecarUrl: this.#sidecar.href.replace(/\/$/, ''),
      get wasShutDown() {
        return handler.wasShutDown
      },
      tellSignal: (signal, mostMs, isSettled) => {
        const told = handler.stopWatches(signal)
        return this.#traffic.rest(mostMs, (quietMs) => {
          const isQuiet = isSettled ? quietMs >= QUIET_MS : told === 0
          return isQuiet || handler.wasShutDown
        })
      },
      close,
      [Symbol.asyncDispose]: () => close(),
    }
  }

  /** Answers a request by its path: the sidecar's, the gateway's own, the game's. */
  async #serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void> {
    if (this.#handler.answers(message)) return this.#handler.serve(message, reply, admission)
    const { target } = admission
    if (isOwnPath(target) || this.#serveFile === undefined) return this.#handler.refuse(message, reply, noPath(target))
    return this.#serveFile(message, reply)
  }

  async #upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<void> {
    const { target } = admission
    if (isForSidecar(target)) return this.#handler.upgrade(message, socket, admission)
    if (this.#hooks.upgrade?.(target, message, socket, head) === true) return this.#guarded.exempt(socket)
    this.#handler.refuse(message, socket, noPath(target))
  }

  async #end(reason: string): Promise<void> {
    const { sockets, stopListening, close } = this.#guarded
    const handler = this.#handler
    if (reason === '') stopListening()
    const told = handler.stopWatches(reason)
    await this.#traffic.rest(CLOSE_MS, (quietMs) => {
      const isAwaited = reason === 'SIGTERM' && told > 0 && !handler.wasShutDown
      if (isAwaited) return sockets.size === 0 && quietMs >= ABSENT_MS
      return sockets.size === 0 || quietMs >= (reason === '' ? 0 : QUIET_MS)
    })
    await close()
    await this.#local?.close()
  }
}

const isOwnPath = (target: string): boolean => target === '*' || target.startsWith('/_/')

const noPath = (target: string): Refusal => notFound(`The gateway has no ${target.split('?')[0]}`)

/** Counts the requests that are being answered. */
class Traffic {
  #running = 0
  #last = performance.now()

  async count(work: Promise<void>): Promise<void> {
    this.#running += 1
    try {
      await work
    } finally {
      this.#running -= 1
      this.#last = performance.now()
    }
  }

  /**
   * Resolves when `isDone` returns true, at the latest after `mostMs`. `isDone` is asked every few milliseconds, with the
   * milliseconds since the last request ended, or -1 while one is being answered.
   */
  rest(mostMs: number, isDone: (quietMs: number) => boolean): Promise<void> {
    const start = performance.now()
    return new Promise((resolve) => {
      const check = (): void => {
        const now = performance.now()
        const quietMs = this.#running > 0 ? -1 : now - Math.max(this.#last, start)
        if (!isDone(quietMs) && now - start < mostMs) return
        clearInterval(timer)
        resolve()
      }
      const timer = setInterval(check, CHECK_MS)
      check()
    })
  }
}
