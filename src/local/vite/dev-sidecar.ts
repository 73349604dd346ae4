import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CONFIG_PATH, createAccess, isRead } from '../gateway/forward/access.js'
import { SidecarHandler } from '../gateway/forward/sidecar-handler.js'
import type { SidecarHandlerOptions } from '../gateway/forward/sidecar-handler.js'
import { isForSidecar, SIDECAR_PREFIX } from '../gateway/forward/sidecar-route.js'
import { resolveGatewayOptions } from '../gateway/gateway-options.js'
import type { GatewaySettings } from '../gateway/gateway-options.js'
import { variablePrefix } from '../gateway/sidecar-url.js'
import { isLoopback } from '../http/address.js'
import { createLineLog, refusalLine } from '../http/line-log.js'
import { answerRefusal, hasClosed } from '../http/raw-response.js'
import { forbidden } from '../http/refusal.js'
import type { Refusal } from '../http/refusal.js'
import { createGuard } from '../http/request-guard.js'
import type { Admission } from '../http/request-guard.js'
import { dashboardUrl } from '../sidecar/dashboard-route.js'
import { createLocalSidecar, followReplacements } from '../sidecar/local-sidecar.js'
import { checkPluginOptions } from '../../platform/schema.js'
import type { GameserverSidecarOptions, ViteLogger } from './plugin-types.js'

/** The sidecar that one of Vite's servers serves. */
export interface DevSidecar {
  /**
   * Starts the local sidecar, if the options ask for one, and logs its address. After a failure, every answer says why.
   */
  start(): Promise<void>
  /**
   * Answers requests for the sidecar and for its script. Resolves with false, without an answer, for all other
   * requests.
   */
  serve(message: IncomingMessage, reply: ServerResponse): Promise<boolean>
  /** Answers upgrades for the sidecar and ignores all others. */
  upgrade(message: IncomingMessage, socket: Socket): Promise<void>
  /** Ends every watch and the local sidecar. Idempotent. */
  close(): Promise<void>
}

interface Running {
  readonly handler: SidecarHandler
  close(): Promise<void>
}

const NOT_FROM_ELSEWHERE = forbidden(
  'Only this machine may use the sidecar; if others should, give the plugin expose: true',
)
const CLOSED: Refusal = { status: 503, code: 14, message: 'The server is closed' }

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

/** Starts the local sidecar, if there is one, and logs the sidecar's address. */
async function run(
  settings: GatewaySettings,
  shared: Pick<SidecarHandlerOptions, 'access' | 'log'>,
  logger: ViteLogger,
): Promise<Running> {
  const { timeout, denied, token } = settings
  const onWarning = (message: string): void => logger.warn(`gameserver-sidecar: ${message}`)
  const local = settings.local && (await createLocalSidecar({ onWarning, ...settings.local }))
  const sidecar = settings.sidecar ?? new URL(local!.url)
  const handler = new SidecarHandler({ sidecar, timeout, denied, ...shared })
  const kind = local === undefined ? 'Sidecar' : `Local sidecar (${local.mode} mode)`
  logger.info(`  ${kind} at ${sidecar.href.replace(/\/$/, '')}, for pages at ${SIDECAR_PREFIX}`)
  if (local !== undefined) {
    followReplacements(local, (sentence) => logger.info(`gameserver-sidecar: ${sentence}`))
    if (settings.local?.dashboard !== false) logger.info(`  Dashboard at ${dashboardUrl(local)}`)
  }
  if (token !== undefined) logger.info(`  Pages get its token by ?token=${token}`)
  return {
    handler,
    async close() {
      handler.stopWatches('')
      handler.close()
      await local?.close()
    },
  }
}

/** Creates the sidecar of a server with this scheme. */
export function createDevSidecar(settings: GatewaySettings, scheme: 'http' | 'https', logger: ViteLogger): DevSidecar {
  const { allowHosts, allowOrigins, exposed, token } = settings
  const guard = createGuard({ allowHosts, allowOrigins, scheme, isPage: (target) => !isOwn(target) })
  const access = createAccess(settings, scheme)
  const log = createLineLog((line) => logger.warn(`gameserver-sidecar: ${line}`))

  const state: { running?: Promise<Running | Refusal>; closing?: Promise<void> } = {}
  const start = (): Promise<Running | Refusal> => {
    if (state.closing !== undefined) return Promise.resolve(CLOSED)
    state.running ??= run(settings, { access, log }, logger).catch((error: unknown) => {
      const message = `The sidecar could not be started: ${error instanceof Error ? error.message : String(error)}`
      logger.error(`gameserver-sidecar: ${message}`)
      return { status: 503, code: 14, message }
    })
    return state.running
  }

  const refuserOf = (message: IncomingMessage, to: ServerResponse | Socket) => (refusal: Refusal) => {
    log(refusalLine(message.method, message.url ?? '', refusal))
    answerRefusal(to, refusal)
  }
  /** Admits a request of this machine, or of any machine if the server is exposed. Otherwise returns the refusal. */
  const admit = (message: IncomingMessage): Admission | Refusal => {
    const verdict = guard(message)
    if (verdict.refusal !== undefined) return verdict.refusal
    return exposed || isLoopback(message.socket.remoteAddress ?? '') ? verdict : NOT_FROM_ELSEWHERE
  }

  return {
    async start() {
      await start()
    },

    async serve(given, reply) {
      const target = given.url ?? ''
      const mayEnter = token !== undefined && isRead(given) && /[?&]token=/.test(target)
      if (!isOwn(target) && !mayEnter) return false
      const message = 'stream' in given ? likeHttp1(given) : given
      const refuse = refuserOf(message, reply)
      const admission = admit(message)
      if ('status' in admission) refuse(admission)
      else if (isForSidecar(target)) {
        const started = await start()
        if (hasClosed(reply)) return true
        if ('status' in started) refuse(started)
        else await started.handler.serve(message, reply, admission)
      } else {
        const answered = access.serve(message, reply, admission)
        if (typeof answered === 'boolean') return answered
        refuse(answered)
      }
      return true
    },

    async upgrade(message, socket) {
      if (!isForSidecar(message.url ?? '')) return
      socket.on('error', () => socket.destroy())
      const refuse = refuserOf(message, socket)
      const admission = admit(message)
      if ('status' in admission) return refuse(admission)
      const started = await start()
      if (socket.destroyed) return
      if ('status' in started) return refuse(started)
      await started.handler.upgrade(message, socket, admission)
    },

    close() {
      state.closing ??= (async () => {
        const started = await state.running
        if (started !== undefined && 'close' in started) await started.close()
      })()
      return state.closing
    },
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
