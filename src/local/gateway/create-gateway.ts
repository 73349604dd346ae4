import type { IncomingMessage } from 'node:http'
import { Server } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createGuardedServer } from '../http/guarded-server.js'
import type { GuardedServerOptions } from '../http/guarded-server.js'
import type { OperationName } from '../../protocol/operations.js'
import { createLineLog, refusalLine } from '../http/line-log.js'
import { listen, urlHost } from '../http/address.js'
import { answerRefusal } from '../http/raw-response.js'
import type { Refusal } from '../http/refusal.js'
import { createGuard } from '../http/request-guard.js'
import { startLocalSidecar, followReplacements } from '../sidecar/local-sidecar.js'
import type { LocalSidecar } from '../sidecar/local-sidecar.js'
import { createStaticFiles } from './files/static-files.js'
import { createAccess } from './forward/access.js'
import { createSidecarHandler } from './forward/sidecar-handler.js'
import type { ForwardedFigures, SidecarHandler } from './forward/sidecar-handler.js'
import { isForSidecar } from './forward/sidecar-route.js'
import { resolveGatewayOptions } from './gateway-options.js'
import type { GatewayOptions, GatewaySettings } from './gateway-options.js'
import { CONFIG_PATH, createOwnPaths, pathOf } from './own-paths.js'
import type { OwnPaths } from './own-paths.js'

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
  const local =
    settings.local === undefined
      ? undefined
      : await startLocalSidecar(settings.local, { playersPort: hooks.playersPort })
  try {
    return await start(options, settings, local, hooks)
  } catch (error) {
    await local?.close()
    throw error
  }
}

async function start(
  options: GatewayOptions,
  settings: GatewaySettings,
  local: LocalSidecar | undefined,
  hooks: GatewayHooks,
): Promise<InnerGateway> {
  const { host, tls, exposed, token, allowHosts, allowOrigins, onWarning } = settings
  const scheme = tls === undefined ? 'http' : 'https'
  const log = createLineLog(options.onLog)
  const sidecar = settings.sidecar ?? new URL(local!.url)
  const access = createAccess({ token, exposed, scheme })
  const traffic = new Traffic()
  const sidecarHandler = createSidecarHandler({
    sidecar,
    timeout: settings.timeout,
    access,
    denied: settings.denied,
    onCall: hooks.onCall,
    onWatch: (socket) => guarded.exempt(socket),
    log,
  })
  const noteRefusal = (method: string | undefined, target: string, refusal: Refusal): void =>
    log(refusalLine(method, target, refusal))
  const ownPaths = createOwnPaths(settings.platform, options.autoHealth, access)
  const serve = createServe({ options, ownPaths, sidecarHandler, noteRefusal })

  const upgrade: GuardedServerOptions['upgrade'] = async (message, socket, head, admission) => {
    const { target } = admission
    if (isForSidecar(target)) return sidecarHandler.upgrade(message, socket, admission)
    if (hooks.upgrade?.(target, message, socket, head) === true) return guarded.exempt(socket)
    const refusal = notFound(target)
    noteRefusal(message.method, target, refusal)
    answerRefusal(socket, refusal)
  }

  const guarded = createGuardedServer({
    tls,
    guard: createGuard({ allowHosts, allowOrigins, scheme, isPage: (target) => !isOwnPath(target) }),
    serve: (...args) => traffic.count(serve(...args)),
    upgrade: (...args) => traffic.count(upgrade(...args)),
    onRefused: ({ method, url = '' }, refusal) => noteRefusal(method, url, refusal),
    onFault: (error) => onWarning(`A request failed inside the gateway: ${String(error)}`),
    onWarning,
  })

  let closing: Promise<void> | undefined
  const close = (reason = ''): Promise<void> => (closing ??= end({ guarded, traffic, sidecarHandler, local }, reason))
  // A closing gateway opens no watches again.
  if (local !== undefined) followReplacements(local, () => closing === undefined && sidecarHandler.startAgain())

  await listen(guarded.server, settings.port, host)
  const { port } = guarded.server.address() as AddressInfo
  if (exposed) {
    const who = token === undefined ? 'can read what the sidecar says' : 'may try to guess the token'
    onWarning(`Listening on ${host}: other machines that reach it ${who}`)
  }
  return {
    url: `${scheme}://${urlHost(host)}:${port}`,
    port,
    sidecarUrl: sidecar.href.replace(/\/$/, ''),
    local,
    token,
    figures: sidecarHandler.figures,
    get wasShutDown() {
      return sidecarHandler.wasShutDown
    },
    tellSignal(signal, mostMs, isSettled) {
      const told = sidecarHandler.stopWatches(signal)
      return traffic.rest(mostMs, (quietMs) => {
        const isQuiet = isSettled ? quietMs >= QUIET_MS : told === 0
        return isQuiet || sidecarHandler.wasShutDown
      })
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

interface ServeParts {
  readonly options: GatewayOptions
  readonly ownPaths: OwnPaths
  readonly sidecarHandler: SidecarHandler
  noteRefusal(method: string | undefined, target: string, refusal: Refusal): void
}

/** Answers a request by its path: the sidecar's, the gateway's own, the game's. */
function createServe({ options, ownPaths, sidecarHandler, noteRefusal }: ServeParts): GuardedServerOptions['serve'] {
  const { dir, spa, isolate } = options
  const serveFile = dir === undefined ? undefined : createStaticFiles({ dir, spa, isolate, configScript: CONFIG_PATH })

  return async (message, reply, admission) => {
    const { target } = admission
    if (isForSidecar(target)) return sidecarHandler.serve(message, reply, admission)
    const refuse = (refusal: Refusal): void => {
      noteRefusal(message.method, target, refusal)
      answerRefusal(reply, refusal)
    }
    if (ownPaths(message, reply, admission, refuse)) return
    if (isOwnPath(target) || serveFile === undefined) return refuse(notFound(target))
    return serveFile(message, reply)
  }
}

interface Parts {
  readonly guarded: ReturnType<typeof createGuardedServer>
  readonly traffic: Traffic
  readonly sidecarHandler: SidecarHandler
  readonly local: LocalSidecar | undefined
}

async function end({ guarded, traffic, sidecarHandler, local }: Parts, reason: string): Promise<void> {
  const { server, sockets } = guarded
  // The HTTP server's own close() would also cut connections over which pages may still have something to say.
  const stopListening = (): void => void Server.prototype.close.call(server)
  if (reason === '') stopListening()
  const told = sidecarHandler.stopWatches(reason)
  await traffic.rest(CLOSE_MS, (quietMs) => {
    const isAwaited = reason === 'SIGTERM' && told > 0 && !sidecarHandler.wasShutDown
    if (isAwaited) return sockets.size === 0 && quietMs >= ABSENT_MS
    return sockets.size === 0 || quietMs >= (reason === '' ? 0 : QUIET_MS)
  })
  stopListening()
  for (const socket of sockets) socket.destroy()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  sidecarHandler.close()
  await local?.close()
}

/** Whether a target belongs to the gateway, not to the game. */
const isOwnPath = (target: string): boolean => target === '*' || target.startsWith('/_/')

const notFound = (target: string): Refusal => ({
  status: 404,
  code: 5,
  message: `The gateway has no ${pathOf(target)}`,
})

/** Counts the requests that are being answered. */
class Traffic {
  #running = 0
  #last = performance.now()

  /** Counts a request until its work is done. */
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
