import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CONFIG_PATH, configScript, sendConfigScript } from '../node/gateway/config-script.js'
import { createAccess } from '../node/gateway/forward/access.js'
import type { Access } from '../node/gateway/forward/access.js'
import { createSidecarHandler } from '../node/gateway/forward/sidecar-handler.js'
import type { SidecarHandler } from '../node/gateway/forward/sidecar-handler.js'
import { isForSidecar, SIDECAR_PREFIX } from '../node/gateway/forward/sidecar-route.js'
import { resolveGatewayOptions } from '../node/gateway/gateway-options.js'
import type { GatewaySettings } from '../node/gateway/gateway-options.js'
import { variablePrefix } from '../node/gateway/sidecar-url.js'
import { isLoopback } from '../node/http/authority.js'
import { createLineLog, refusalLine } from '../node/http/line-log.js'
import type { LineLog } from '../node/http/line-log.js'
import { answerRefusal, hasClosed, refuseRaw } from '../node/http/raw-response.js'
import { forbidden } from '../node/http/refusal.js'
import type { Refusal } from '../node/http/refusal.js'
import { createGuard } from '../node/http/request-guard.js'
import type { GuardOptions, Verdict } from '../node/http/request-guard.js'
import { dashboardUrl } from '../node/local/dashboard-route.js'
import { createLocalSidecar, followReplacements } from '../node/local/local-sidecar.js'
import { checkPluginOptions } from '../schema/gateway.js'
import type { GameserverSidecarOptions, ViteLogger } from './plugin-types.js'

/** The sidecar's part of one of Vite's servers. */
export interface DevSidecar {
  /** Starts the local sidecar, if one runs inside, and logs its address. If that fails, every answer says why. */
  start(): Promise<void>
  /** Answers requests for the sidecar and for its script. Resolves with false, nothing sent, for all others. */
  serve(message: IncomingMessage, reply: ServerResponse): Promise<boolean>
  /** Answers upgrades for the sidecar and leaves all others alone. */
  upgrade(message: IncomingMessage, socket: Socket): Promise<void>
  /** Ends every watch and the local sidecar. Can be called again. */
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
 * Checks the options as the gateway does. A local sidecar is the default if neither an option nor the environment names
 * one.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
 */
export function resolvePluginOptions(
  options: GameserverSidecarOptions,
  onWarning: (message: string) => void,
): GatewaySettings {
  checkPluginOptions(options)
  const { platform = 'agones', sidecar, expose } = options
  const { local = sidecar === undefined && !process.env[`${variablePrefix(platform)}PORT`] } = options
  return resolveGatewayOptions({
    ...options,
    local: local && { onWarning, replace: true, port: 'usual', ...(local === true ? {} : local) },
    // Vite chooses its own address. This one only tells whether it may be reachable for others.
    host: expose === true ? '0.0.0.0' : '127.0.0.1',
    onWarning,
  })
}

/** Starts the local sidecar, if one runs inside, and tells where it is. */
async function run(settings: GatewaySettings, access: Access, log: LineLog, logger: ViteLogger): Promise<Running> {
  const { timeout, denied, token } = settings
  const local = settings.local === undefined ? undefined : await createLocalSidecar(settings.local)
  const sidecar = settings.sidecar ?? new URL(local!.url)
  const handler = createSidecarHandler({ sidecar, timeout, access, denied, log })
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

/** @throws TypeError for an unknown option or a value that makes no sense */
export function createDevSidecar(
  options: GameserverSidecarOptions,
  scheme: 'http' | 'https',
  logger: ViteLogger,
): DevSidecar {
  const settings = resolvePluginOptions(options, (message) => logger.warn(`gameserver-sidecar: ${message}`))
  const { allowHosts, allowOrigins, exposed, platform, token } = settings
  const admit = createAdmission({ allowHosts, allowOrigins, scheme, isPage: (target) => !isOwn(target) }, exposed)
  const access = createAccess({ token, exposed, scheme })
  const script = configScript(platform, options.autoHealth)
  const log = createLineLog((line) => logger.warn(`gameserver-sidecar: ${line}`))

  const state: { running?: Promise<Running | Refusal>; closing?: Promise<void> } = {}
  const start = (): Promise<Running | Refusal> => {
    if (state.closing !== undefined) return Promise.resolve(CLOSED)
    state.running ??= run(settings, access, log, logger).catch((error: unknown) => {
      const message = `The sidecar could not be started: ${error instanceof Error ? error.message : String(error)}`
      logger.error(`gameserver-sidecar: ${message}`)
      return { status: 503, code: 14, message }
    })
    return state.running
  }

  return {
    async start() {
      await start()
    },

    async serve(given, reply) {
      const target = given.url ?? ''
      const isRead = given.method === 'GET' || given.method === 'HEAD'
      const mayEnter = token !== undefined && isRead && /[?&]token=/.test(target)
      if (!isOwn(target) && !mayEnter) return false
      const message = 'stream' in given ? likeHttp1(given) : given
      const refuse = (refusal: Refusal): true => {
        log(refusalLine(message.method, target, refusal))
        answerRefusal(reply, refusal)
        return true
      }
      const admission = admit(message)
      if (admission.refusal !== undefined) return refuse(admission.refusal)
      if (!isOwn(target)) return access.enter(message, reply, admission, refuse)
      if (!isForSidecar(target)) {
        sendConfigScript(reply, script, message.method === 'HEAD')
        return true
      }
      const started = await start()
      if (hasClosed(reply)) return true
      if ('status' in started) return refuse(started)
      await started.handler.serve(message, reply, admission)
      return true
    },

    async upgrade(message, socket) {
      const target = message.url ?? ''
      if (!isForSidecar(target)) return
      socket.on('error', () => socket.destroy())
      const refuse = (refusal: Refusal): void => {
        log(refusalLine(message.method, target, refusal))
        refuseRaw(socket, refusal)
      }
      const admission = admit(message)
      if (admission.refusal !== undefined) return refuse(admission.refusal)
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

/** The guard, which admits requests of this machine alone unless the server is exposed. */
function createAdmission(options: GuardOptions, exposed: boolean): (message: IncomingMessage) => Verdict {
  const guard = createGuard(options)
  return (message) => {
    const isFromHere = isLoopback(message.socket.remoteAddress ?? '')
    const verdict = guard(message)
    return verdict.refusal === undefined && !exposed && !isFromHere ? { refusal: NOT_FROM_ELSEWHERE } : verdict
  }
}

/** Gives an HTTP/2 request, as Vite gets them over TLS, the headers that it would have over HTTP/1. */
function likeHttp1(message: IncomingMessage): IncomingMessage {
  const { ':authority': host = '', ...others } = message.headers as Record<string, string>
  const headers = Object.fromEntries(Object.entries({ ...others, host }).filter(([name]) => !name.startsWith(':')))
  const isRead = message.method === 'GET' || message.method === 'HEAD'
  // Over HTTP/1, this header announces a body of unknown length.
  if (!isRead && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
  return Object.defineProperty(message, 'headers', { value: headers, writable: true })
}
