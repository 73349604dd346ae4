import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  CONFIG_PATH,
  createAccess,
  isForSidecar,
  isRead,
  SIDECAR_PREFIX,
  type Access,
} from '../gateway/forward/access.js'
import { SidecarHandler } from '../gateway/forward/sidecar-handler.js'
import { resolveGatewayOptions, type GatewayOptions, type GatewaySettings } from '../gateway/gateway-options.js'
import { variablePrefix } from '../gateway/sidecar-url.js'
import { isLoopback } from '../http/address.js'
import {
  answerRefusal,
  createLineLog,
  forbidden,
  refusalLine,
  unavailable,
  type LineLog,
  type Refusal,
} from '../http/refusal.js'
import { createGuard, type Admission } from '../http/request-guard.js'
import { dashboardUrl } from '../sidecar/dashboard-route.js'
import { createLocalSidecar, followReplacements, type LocalSidecar } from '../sidecar/local-sidecar.js'
import { checkPluginOptions } from '../../platform/schema.js'

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

const NOT_FROM_ELSEWHERE = forbidden(
  'Only this machine may use the sidecar; if others should, give the plugin expose: true',
)
const CLOSED = unavailable('The server is closed')

const isOwn = (target: string): boolean => isForSidecar(target) || target.split('?')[0] === CONFIG_PATH

/**
 * Checks the options as the gateway does. Defaults to a local sidecar unless an option or the environment names a
 * sidecar.
 *
 * @throws TypeError for an unknown option or an invalid value
 */
export function resolvePluginOptions(options: GameserverSidecarOptions): GatewaySettings {
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

/** The sidecar that one of Vite's servers serves. */
export class DevSidecar {
  readonly #settings: GatewaySettings
  readonly #logger: ViteLogger
  readonly #guard: ReturnType<typeof createGuard>
  readonly #access: Access
  readonly #log: LineLog
  #local: LocalSidecar | undefined
  #starting: Promise<SidecarHandler | Refusal> | undefined
  #closing: Promise<void> | undefined

  constructor(settings: GatewaySettings, scheme: 'http' | 'https', logger: ViteLogger) {
    const { allowHosts, allowOrigins } = settings
    this.#settings = settings
    this.#logger = logger
    this.#guard = createGuard({ allowHosts, allowOrigins, scheme, isPage: (target) => !isOwn(target) })
    this.#access = createAccess(settings, scheme)
    this.#log = createLineLog((line) => logger.warn(`gameserver-sidecar: ${line}`))
  }

  get hasStarted(): boolean {
    return this.#starting !== undefined
  }

  /**
   * Starts the local sidecar, if the options ask for one, and logs its address. Resolves with what answers requests; after a
   * failure, with why none is answered.
   */
  start(): Promise<SidecarHandler | Refusal> {
    if (this.#closing !== undefined) return Promise.resolve(CLOSED)
    this.#starting ??= this.#start().catch((error: unknown) => {
      const message = `The sidecar could not be started: ${error instanceof Error ? error.message : String(error)}`
      this.#logger.error(`gameserver-sidecar: ${message}`)
      return unavailable(message)
    })
    return this.#starting
  }

  /** Answers requests for the sidecar and for its script. Resolves with false, without an answer, for all other requests. */
  async serve(given: IncomingMessage, reply: ServerResponse): Promise<boolean> {
    const target = given.url ?? ''
    const mayEnter = this.#settings.token !== undefined && isRead(given) && /[?&]token=/.test(target)
    if (!isOwn(target) && !mayEnter) return false
    const message = 'stream' in given ? likeHttp1(given) : given
    const admission = this.#admit(message)
    if ('status' in admission) return this.#refuse(message, reply, admission)
    if (!isForSidecar(target)) {
      const answered = this.#access.serve(message, reply, admission)
      return typeof answered === 'boolean' ? answered : this.#refuse(message, reply, answered)
    }
    const started = await this.start()
    if ('status' in started) return this.#refuse(message, reply, started)
    await started.serve(message, reply, admission)
    return true
  }

  /** Answers upgrades for the sidecar and ignores all others. */
  async upgrade(message: IncomingMessage, socket: Socket): Promise<void> {
    if (!isForSidecar(message.url ?? '')) return
    socket.on('error', () => socket.destroy())
    const admission = this.#admit(message)
    if ('status' in admission) return void this.#refuse(message, socket, admission)
    const started = await this.start()
    if (socket.destroyed) return
    if ('status' in started) this.#refuse(message, socket, started)
    else await started.upgrade(message, socket, admission)
  }

  /** Ends every watch and the local sidecar. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end())
  }

  async #start(): Promise<SidecarHandler> {
    const { local: asked, timeout, denied, token } = this.#settings
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
    return new SidecarHandler({ sidecar, timeout, denied, access: this.#access, log: this.#log })
  }

  async #end(): Promise<void> {
    const started = await this.#starting
    if (started instanceof SidecarHandler) started.stopWatches('')
    await this.#local?.close()
  }

  /** Admits a request of this machine, or of any machine if the server is exposed. Otherwise returns the refusal. */
  #admit(message: IncomingMessage): Admission | Refusal {
    const verdict = this.#guard(message)
    if (verdict.refusal !== undefined) return verdict.refusal
    const isHere = this.#settings.exposed || isLoopback(message.socket.remoteAddress ?? '')
    return isHere ? verdict : NOT_FROM_ELSEWHERE
  }

  #refuse({ method, url = '' }: IncomingMessage, to: ServerResponse | Socket, refusal: Refusal): true {
    this.#log(refusalLine(method, url, refusal))
    answerRefusal(to, refusal)
    return true
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
