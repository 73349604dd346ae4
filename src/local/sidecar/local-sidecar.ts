import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAllocation, commandProblem, checkLocalSidecarOptions } from '../../platform/schema.js'
import {
  allocateGameServer,
  callSafely,
  createSidecar,
  replaceAfterOf,
  replacementSentence,
  type AnsweredAllocation,
  type ControlCommand,
  type ControlResult,
  type GameServerAllocation,
  type GameServerManifest,
  type Sidecar,
  type SidecarConfig,
  type SidecarMode,
} from '../../platform/sidecar.js'
import { isLoopback, listen, ownHosts, urlHost } from '../http/address.js'
import { createLineLog, refusalLine } from '../http/refusal.js'
import { createGuard, createToken } from '../http/request-guard.js'
import { plainText } from '../../protocol/plain-text.js'
import { isDashboard } from './dashboard-route.js'
import { followFiles, type TextFile } from '../files/follow-file.js'
import { parseGameServer, readText } from '../files/game-server-file.js'
import { LocalClock } from './local-clock.js'
import { warnProcess, type LocalSidecarOptions } from './local-sidecar-options.js'
import { createSidecarServer } from './sidecar-server.js'

/** The real sidecar's port, which clients and commands try by default. */
const USUAL_PORT = 9358

export interface RestartOptions {
  /** Milliseconds during which nothing listens on the port. Default 0. */
  readonly downMs?: number
}

/** A sidecar on this machine that listens until it is closed. */
export interface LocalSidecar {
  /** The sidecar's address, such as `http://127.0.0.1:9358`. */
  readonly url: string
  readonly port: number
  readonly mode: SidecarMode
  /** The sidecar itself, with its state, event log and watches. */
  readonly sidecar: Sidecar
  /** The token that the control interface requires beyond loopback; undefined on loopback. */
  readonly controlToken: string | undefined
  /** Carries out a control command: a change by the rest of a cluster, or a fault. */
  control(command: ControlCommand): ControlResult
  /**
   * Allocates the GameServer by the manifest of a GameServerAllocation, and answers as a cluster with this one GameServer
   * does. Where no selector matches, `status.state` is UnAllocated, with the `reason` beside it.
   *
   * @throws TypeError for a manifest that a cluster refuses, and for an unknown field
   */
  allocate(manifest: GameServerAllocation): AnsweredAllocation
  /** Drops every connection as if the process had died, and starts again on the same port. */
  restart(options?: RestartOptions): Promise<void>
  /** Ends every connection, timer and watch and frees the port. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a local sidecar and resolves when it listens.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
 * @throws GameServerFileError for a file that can't be read or holds no GameServer
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export const createLocalSidecar = (options: LocalSidecarOptions = {}): Promise<LocalSidecar> =>
  startLocalSidecar(options, {})

/** Like `createLocalSidecar()`, with settings of the sidecar that are no options. */
export async function startLocalSidecar(
  options: LocalSidecarOptions,
  settings: Partial<SidecarConfig>,
): Promise<LocalSidecar> {
  checkLocalSidecarOptions(options)
  const { port = 0, address = '127.0.0.1', wsLimit = 65_536, allowOrigins = [] } = options
  const { onWarning, onLog, report } = listenersOf(options)
  const token = isLoopback(address) ? undefined : createToken()
  const dashboard = options.dashboard !== false
  const guard = createGuard({
    allowHosts: [...(options.allowHosts ?? []), ...ownHosts(address)],
    allowOrigins,
    isPage: (target) => dashboard && isDashboard(target),
  })
  const { file } = options
  const files = file === undefined ? [] : [{ path: file, text: await readText(file) }]
  const config = configOf(options, settings, await parseFirst(files))
  const clock = new LocalClock()
  const sidecar = createSidecar(config, { ...clock, report })
  const control = (command: ControlCommand): ControlResult => carryOut(command, sidecar, clock, listener.pauseFor)
  const log = createLineLog(onLog)
  const server = createSidecarServer({
    target: { sidecar, control },
    guard,
    token,
    dashboard,
    lineLimit: wsLimit === 0 ? Infinity : wsLimit,
    onRefused: (message, refusal) => log(refusalLine(message, refusal)),
    onFault: (error) => onWarning(`A request failed inside the sidecar: ${String(error)}`),
  })
  sidecar.onDisconnect(server.dropConnections)
  const listener = createListener(server, address, onWarning)
  let unfollow = (): void => undefined
  let closing: Promise<void> | undefined
  const end = (): Promise<void> => {
    unfollow()
    sidecar.close()
    return listener.close()
  }
  try {
    await listener.listen(port)
  } catch (error) {
    await end()
    throw error
  }
  const reload = (gameServer: GameServerManifest | undefined): void => {
    const result = sidecar.control({ type: 'reload', gameServer: gameServer! })
    if (!result.ok) onWarning(`${file} was not loaded again: ${result.message}`)
  }
  unfollow = followFiles(files, parseFirst, reload, onWarning)
  if (token !== undefined) {
    onWarning(`Listening on ${address}: other machines that reach it can shut the game server down`)
  }
  const close = (): Promise<void> => (closing ??= end())
  return {
    url: `http://${urlHost(address)}:${listener.port}`,
    port: listener.port,
    mode: config.mode ?? 'production',
    sidecar,
    controlToken: token,
    control,
    allocate: (manifest) => allocateGameServer(sidecar, control, readAllocation(manifest)),
    async restart({ downMs = 0 } = {}) {
      control({ type: 'restart', ...(downMs > 0 ? { downMs } : {}) })
      return listener.pause
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** What the file of a GameServer holds, if there is one. @throws GameServerFileError */
const parseFirst = async ([file]: readonly TextFile[]) => file && parseGameServer(file.path, file.text)

/** The caller's listeners, isolated: a listener that throws is reported, `onWarning` itself by `process.emitWarning`. */
function listenersOf(options: LocalSidecarOptions) {
  const { onWarning: warn = warnProcess, onLog: log } = options
  const onWarning = (message: string): void =>
    callSafely(warn, plainText(message), (error) => warnProcess(plainText(`onWarning threw: ${String(error)}`)))
  const report = (error: unknown): void => onWarning(`A listener threw: ${String(error)}`)
  return { onWarning, report, onLog: log && ((line: string): void => callSafely(log, line, report)) }
}

function configOf(
  options: LocalSidecarOptions,
  settings: Partial<SidecarConfig>,
  ofFile: GameServerManifest | undefined,
): Partial<SidecarConfig> {
  const { mode, platform, featureGates, conformance, replace, gameServer = ofFile } = options
  const replaceAfter = replaceAfterOf(replace)
  const config = { ...settings, mode, platform, featureGates, conformance, replaceAfter, gameServer }
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))
}

function carryOut(
  command: ControlCommand,
  sidecar: Sidecar,
  clock: LocalClock,
  pauseFor: (ms: number) => void,
): ControlResult {
  const message = commandProblem(command)
  if (message !== undefined) return { ok: false, message }
  if (command.type === 'setClock') clock.setSpeed(command.speed)
  const result = sidecar.control(command)
  if (!result.ok) return result
  // The sidecar learns of the skipped time before the clock is put forward.
  if (command.type === 'advanceClock') clock.advance(command.ms)
  if (command.type === 'restart' && (command.downMs ?? 0) > 0) pauseFor(command.downMs!)
  return result
}

/**
 * A listener that can stop listening for a while. Port 0 takes a free port, which stays the same after a pause.
 *
 * @param report called when the server could not listen again after a pause
 */
function createListener(
  { server, close }: ReturnType<typeof createSidecarServer>,
  address: string,
  report: (problem: string) => void,
) {
  const closing = new AbortController()
  let port = 0
  let pause: Promise<void> | undefined

  async function listenAfter(ms: number): Promise<void> {
    server.close()
    await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined)
    if (!closing.signal.aborted) await listen(server, port, address)
  }

  return {
    get port(): number {
      return port
    },
    /** Resolves when the server listens again; rejects if the port was taken meanwhile. Undefined while it listens. */
    get pause(): Promise<void> | undefined {
      return pause
    },
    async listen(asked: number | 'usual'): Promise<void> {
      await listen(server, asked, address, USUAL_PORT)
      port = (server.address() as AddressInfo).port
    },
    /** Stops listening for this many milliseconds, unless the server is paused already. */
    pauseFor(ms: number): void {
      if (pause !== undefined) return
      pause = listenAfter(ms).finally(() => (pause = undefined))
      pause.catch((error: unknown) => report(`The sidecar could not start again: ${(error as Error).message}`))
    },
    /** Stops listening for good, and cuts every connection. */
    async close(): Promise<void> {
      closing.abort()
      // The server may just be about to listen again.
      await pause?.catch(() => undefined)
      await close()
    },
  }
}

/** Calls `tell` with a sentence for each GameServer that replaces another. Returns the function that stops this. */
export function followReplacements({ sidecar }: LocalSidecar, tell: (sentence: string) => void): () => void {
  return sidecar.log.subscribe(({ changes }) => {
    for (const change of changes) if (change.type === 'replaced') tell(plainText(replacementSentence(change), 400))
  })
}
