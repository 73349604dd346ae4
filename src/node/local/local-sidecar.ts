import type { AddressInfo } from 'node:net'
import { createSidecar } from '../../sidecar/index.js'
import type { ControlCommand, ControlResult, Sidecar, SidecarEnvironment, SidecarMode } from '../../sidecar/index.js'
import { isLoopback } from '../http/authority.js'
import { createLineLog, refusalLine } from '../http/line-log.js'
import { listen, ownHosts, urlHost } from '../http/listen-address.js'
import { createGuard } from '../http/request-guard.js'
import { createToken } from '../http/token.js'
import { listOption } from '../unknown-option.js'
import { followGameServerFile } from './game-server-reload.js'
import { resolveServerOptions } from './local-sidecar-options.js'
import type { LocalSidecarOptions } from './local-sidecar-options.js'
import { createSidecarServer } from './sidecar-server.js'

/** Longest time that a timer knows. */
const MOST_MS = 0x7fff_ffff

export interface RestartOptions {
  /** Milliseconds during which nothing listens on the port. Default 0. */
  readonly downMs?: number
}

/** A sidecar on this machine that listens until it is closed. */
export interface LocalSidecar {
  /** Where it listens, such as `http://127.0.0.1:9358`. */
  readonly url: string
  readonly port: number
  readonly mode: SidecarMode
  /** The sidecar itself: its state, its event log, its watches. */
  readonly sidecar: Sidecar
  /** What the control interface asks for beyond loopback; undefined on loopback. */
  readonly controlToken: string | undefined
  /** Does what the rest of a cluster could do, or breaks something on purpose. */
  control(command: ControlCommand): ControlResult
  /** Drops every connection as if the process had died, and is there again on the same port. */
  restart(options?: RestartOptions): Promise<void>
  /** Ends every connection, timer and watch and frees the port. Can be called again. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a local sidecar and resolves when it listens.
 *
 * @throws TypeError for an option that makes no sense or isn't one
 * @throws GameServerFileError for a file that can't be read or used
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function createLocalSidecar(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const { port, address, lineLimit, onWarning } = resolveServerOptions(options)
  const token = isLoopback(address) ? undefined : createToken()
  const guard = createGuard({
    allowHosts: [...listOption('allowHosts', options.allowHosts), ...ownHosts(address)],
    allowOrigins: listOption('allowOrigins', options.allowOrigins),
  })
  const file = options.file === undefined ? undefined : await followGameServerFile(options.file, onWarning)

  const { mode, platform, quirks, featureGates, conformance } = options
  const config = {
    mode,
    platform,
    quirks,
    featureGates,
    conformance,
    gameServer: file?.gameServer ?? options.gameServer,
  }
  const sidecar = createSidecar(withoutUndefined(config), environment)
  const control = (command: ControlCommand): ControlResult => {
    const { downMs } = command as { downMs?: unknown }
    if (command.type !== 'restart' || downMs === undefined) return sidecar.control(command)
    if (typeof downMs !== 'number' || !(downMs >= 0 && downMs <= MOST_MS)) {
      return { ok: false, message: 'downMs must be a number of milliseconds' }
    }
    restart({ downMs }).catch((error: Error) => onWarning(`The sidecar could not start again: ${error.message}`))
    return { ok: true }
  }
  const onFault = (error: unknown): void => onWarning(`A request failed inside the sidecar: ${String(error)}`)
  const log = createLineLog(options.onLog)
  const { server, dropConnections, destroyConnections } = createSidecarServer({
    target: { sidecar, control },
    guard,
    token,
    lineLimit,
    onRefused: ({ method, url = '' }, refusal) => log(refusalLine(method, url, refusal)),
    onFault,
  })
  const stopDropping = sidecar.onDisconnect(dropConnections)

  const listenOn = (on: number): Promise<void> => listen(server, on, address)

  try {
    await listenOn(port)
  } catch (error) {
    file?.stop()
    sidecar.close()
    throw error
  }
  const bound = (server.address() as AddressInfo).port
  file?.start((gameServer) => {
    const result = sidecar.control({ type: 'reload', gameServer })
    if (!result.ok) onWarning(`${options.file} was not loaded again: ${result.message}`)
  })
  if (token !== undefined) {
    onWarning(`Listening on ${address}: other machines that reach it can shut the game server down`)
  }

  let closing: Promise<void> | undefined
  let wake: (() => void) | undefined
  let down: Promise<void> | undefined
  const beDown = async (ms: number): Promise<void> => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    if (closing === undefined) await listenOn(bound)
  }
  const restart = async ({ downMs = 0 }: RestartOptions = {}): Promise<void> => {
    // One that is down already comes back once, when it was to.
    if (closing !== undefined || down !== undefined) return down
    if (downMs > 0) server.close()
    sidecar.control({ type: 'restart' })
    if (downMs <= 0) return
    down = beDown(downMs).finally(() => (down = undefined))
    return down
  }
  const end = async (): Promise<void> => {
    wake?.()
    file?.stop()
    stopDropping()
    sidecar.close()
    destroyConnections()
    // It may just be about to listen again.
    await down?.catch(() => undefined)
    if (!server.listening) return
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      destroyConnections()
    })
  }
  const close = (): Promise<void> => (closing ??= end())

  return {
    url: `http://${urlHost(address)}:${bound}`,
    port: bound,
    mode: sidecar.snapshot().mode,
    sidecar,
    controlToken: token,
    control,
    restart,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const environment: SidecarEnvironment = {
  now: () => Date.now(),
  setTimer(ms, fire) {
    const timer = setTimeout(fire, ms)
    return () => clearTimeout(timer)
  },
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

const withoutUndefined = <T extends object>(value: T): Partial<Defined<T>> =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Partial<Defined<T>>
