import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createAccess } from '../node/gateway/forward/access.js'
import { CONFIG_PATH, configScript, sendConfigScript, SIDECAR_PREFIX } from '../node/gateway/config-script.js'
import { createForwarder } from '../node/gateway/forward/forwarder.js'
import { createSidecarHandler } from '../node/gateway/forward/sidecar-handler.js'
import type { SidecarHandler } from '../node/gateway/forward/sidecar-handler.js'
import { Watches } from '../node/gateway/forward/watches.js'
import { isLoopback } from '../node/http/authority.js'
import { createLineLog, refusalLine } from '../node/http/line-log.js'
import { answerRefusal, refuseRaw } from '../node/http/raw-response.js'
import { forbidden } from '../node/http/refusal.js'
import type { Refusal } from '../node/http/refusal.js'
import { createGuard } from '../node/http/request-guard.js'
import type { Admission } from '../node/http/request-guard.js'
import { createLocalSidecar } from '../node/local/local-sidecar.js'
import { likeHttp1 } from './like-http1.js'
import { resolvePluginOptions } from './plugin-options.js'
import type { GameserverSidecarOptions, ViteLogger } from './plugin-types.js'

/** The sidecar's part of a server that is Vite's. */
export interface DevSidecar {
  /** Makes the local sidecar, if there is to be one, and says where it is. A failure is told, and then by every answer. */
  start(): Promise<void>
  /** Answers what is for the sidecar, its script included; resolves with false, nothing sent, for all else. */
  serve(message: IncomingMessage, reply: ServerResponse): Promise<boolean>
  /** The same for an upgrade. */
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer): Promise<boolean>
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

const isForSidecar = (target: string): boolean => target.startsWith(`${SIDECAR_PREFIX}/`)
const isOwn = (target: string): boolean => isForSidecar(target) || target.split('?')[0] === CONFIG_PATH

/** @throws TypeError for an option that makes no sense or isn't one */
export function createDevSidecar(
  options: GameserverSidecarOptions,
  scheme: 'http' | 'https',
  logger: ViteLogger,
): DevSidecar {
  const settings = resolvePluginOptions(options, (message) => logger.warn(`gameserver-sidecar: ${message}`))
  const { allowHosts, allowOrigins, exposed, platform, token } = settings
  const guard = createGuard({ allowHosts, allowOrigins, scheme, isPage: (target) => !isOwn(target) })
  const access = createAccess({ token, exposed, scheme })
  const script = configScript({ platform, autoHealth: options.autoHealth })
  const log = createLineLog((line) => logger.warn(`gameserver-sidecar: ${line}`))
  const onRefused = (...request: Parameters<typeof refusalLine>): void => log(refusalLine(...request))

  const run = async (): Promise<Running> => {
    const local = settings.local === undefined ? undefined : await createLocalSidecar(settings.local)
    const sidecar = settings.sidecar ?? new URL(local!.url)
    const watches = new Watches(() => log('A watch was ended whose reader had taken nothing for five seconds'))
    const forwarder = createForwarder({ sidecar, timeout: settings.timeout, watches })
    const isStopping = (): boolean => closing !== undefined
    const { denied } = settings
    const onWatch = (): void => undefined
    const { host } = sidecar
    const handler = createSidecarHandler({ forwarder, host, access, denied, watches, isStopping, onWatch, onRefused })
    const kind = local === undefined ? 'Sidecar' : `Local sidecar (${local.mode} mode)`
    logger.info(`  ${kind} at ${sidecar.href.replace(/\/$/, '')}, for pages at ${SIDECAR_PREFIX}`)
    if (token !== undefined) logger.info(`  Pages get its token by ?token=${token}`)
    return {
      handler,
      async close() {
        watches.stop('')
        forwarder.close()
        await local?.close()
      },
    }
  }

  let running: Promise<Running | Refusal> | undefined
  let closing: Promise<void> | undefined
  const start = (): Promise<Running | Refusal> => {
    if (closing !== undefined) return Promise.resolve(CLOSED)
    running ??= run().catch((error: unknown) => {
      const message = `The sidecar could not be started: ${error instanceof Error ? error.message : String(error)}`
      logger.error(`gameserver-sidecar: ${message}`)
      return { status: 503, code: 14, message }
    })
    return running
  }

  /** What may go on, and with what, or why it may not. */
  const admit = (message: IncomingMessage): Admission | Refusal => {
    const { refusal, ...admission } = guard(message)
    if (refusal !== undefined) return refusal
    return exposed || isLoopback(message.socket.remoteAddress ?? '') ? (admission as Admission) : NOT_FROM_ELSEWHERE
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
      const message = likeHttp1(given)
      const refuse = (refusal: Refusal): true => {
        onRefused(message.method, target, refusal)
        answerRefusal(reply, refusal)
        return true
      }
      const admission = admit(message)
      if ('status' in admission) return refuse(admission)
      if (!isOwn(target)) {
        const entered = access.enter(message, reply, admission)
        return typeof entered === 'boolean' ? entered : refuse(entered)
      }
      if (!isForSidecar(target)) {
        sendConfigScript(reply, script, message.method === 'HEAD')
        return true
      }
      const started = await start()
      if ('status' in started) return refuse(started)
      await started.handler.serve(message, reply, admission)
      return true
    },

    async upgrade(message, socket, head) {
      const target = message.url ?? ''
      if (!isForSidecar(target)) return false
      socket.on('error', () => socket.destroy())
      const refuse = (refusal: Refusal): true => {
        onRefused(message.method, target, refusal)
        refuseRaw(socket, refusal)
        return true
      }
      const admission = admit(message)
      if ('status' in admission) return refuse(admission)
      const started = await start()
      if ('status' in started) return refuse(started)
      await started.handler.upgrade(message, socket, head, admission)
      return true
    },

    close() {
      closing ??= (async () => {
        const started = await running
        if (started !== undefined && 'close' in started) await started.close()
      })()
      return closing
    },
  }
}
