import { readAllocation } from '../../schema/allocation.js'
import { commandProblem } from '../../schema/control-command.js'
import { readGameServer } from '../../schema/game-server.js'
import { allocateGameServer, callSafely, createSidecar, replaceAfterOf } from '../../sidecar/index.js'
import type {
  AnsweredAllocation,
  ControlCommand,
  ControlResult,
  GameServerAllocation,
  Sidecar,
  SidecarConfig,
  SidecarMode,
} from '../../sidecar/index.js'
import { isLoopback } from '../http/authority.js'
import { createLineLog, refusalLine } from '../http/line-log.js'
import { ownHosts, urlHost } from '../http/listen-address.js'
import { createGuard } from '../http/request-guard.js'
import { createToken } from '../http/token.js'
import { plainText } from '../plain-text.js'
import { listOption } from '../unknown-option.js'
import { frameOrigins, isDashboard, isEmbedded } from './dashboard-route.js'
import { followGameServerFile } from './game-server-reload.js'
import { createLocalClock } from './local-clock.js'
import { resolveServerOptions, warnProcess } from './local-sidecar-options.js'
import type { LocalSidecarOptions } from './local-sidecar-options.js'
import type { Recorder } from './recorder.js'
import { startListening } from './pausable-listener.js'
import { createSidecarServer } from './sidecar-server.js'

export interface RestartOptions {
  /** Milliseconds during which nothing listens on the port. Default 0. */
  readonly downMs?: number
}

/** A sidecar on this machine that listens until it is closed. */
export interface LocalSidecar {
  /** Its address, such as `http://127.0.0.1:9358`. */
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
   * Allocates the GameServer by a GameServerAllocation's manifest and answers as a cluster does that has no other server:
   * with `status.state` UnAllocated, and the `reason` beside it, where no selector matches.
   *
   * @throws TypeError for a manifest that a cluster refuses, or with a field that there isn't
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
 * @throws RecordingError for a recording that can't be written
 * @throws GameServerFileError for a file that can't be read or holds no GameServer
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export const createLocalSidecar = (options: LocalSidecarOptions = {}): Promise<LocalSidecar> =>
  startLocalSidecar(options, {})

/** The same with settings of the sidecar that are no options. */
export async function startLocalSidecar(
  options: LocalSidecarOptions,
  settings: Partial<SidecarConfig>,
): Promise<LocalSidecar> {
  const { port, address, lineLimit, ...callbacks } = resolveServerOptions(options)
  /** What a listener throws ends nobody, and the listener of warnings itself may be the one. */
  const onWarning = (message: string): void =>
    callSafely(callbacks.onWarning, plainText(message), (error) =>
      warnProcess(plainText(`onWarning threw: ${textOf(error)}`)),
    )
  const report = (error: unknown): void => onWarning(`A listener threw: ${textOf(error)}`)
  const onLog = (line: string): void => {
    if (options.onLog !== undefined) callSafely(options.onLog, line, report)
  }
  const token = isLoopback(address) ? undefined : createToken()
  const allowOrigins = listOption('allowOrigins', options.allowOrigins)
  const dashboard = options.dashboard !== false && { frames: frameOrigins(allowOrigins) }
  const guard = createGuard({
    allowHosts: [...listOption('allowHosts', options.allowHosts), ...ownHosts(address)],
    allowOrigins,
    isPage: (target) => dashboard !== false && isDashboard(target),
    isFrame: (target) => dashboard !== false && dashboard.frames.length > 0 && isEmbedded(target),
  })
  const file = options.file === undefined ? undefined : await followGameServerFile(options.file, onWarning, onLog)

  const { mode, platform, featureGates, conformance, replace } = options
  const config = {
    ...settings,
    mode,
    platform,
    featureGates,
    conformance,
    replaceAfter: replaceAfterOf(replace),
    gameServer: file?.gameServer ?? (options.gameServer && readGameServer(options.gameServer)),
  }
  const clock = createLocalClock()
  let isRecording = (): boolean => false
  const recording = (): string | undefined => (isRecording() ? options.record : undefined)
  const sidecar = createSidecar(withoutUndefined(config), { ...clock, report, recording })
  const recorder = await startRecording(sidecar, withoutUndefined(config), options, onWarning).catch(
    (error: unknown) => {
      file?.stop()
      sidecar.close()
      throw error
    },
  )
  isRecording = () => recorder?.isOn === true
  const control = (command: ControlCommand): ControlResult => {
    const message = commandProblem(command)
    if (message !== undefined) return { ok: false, message }
    const downMs = command.type === 'restart' ? command.downMs : undefined
    // It is part of the restart that is under way.
    if (command.type === 'restart' && downMs !== undefined && command.fresh !== true && isPaused()) return { ok: true }
    if (command.type === 'setClock') clock.setSpeed(command.speed)
    const result = sidecar.control(command)
    // The sidecar knows of the time that is skipped before it is.
    if (result.ok && command.type === 'advanceClock') clock.advance(command.ms)
    if (result.ok && downMs !== undefined && downMs > 0 && !isPaused()) {
      listener
        .pauseFor(downMs)
        .catch((error: unknown) => onWarning(`The sidecar could not start again: ${(error as Error).message}`))
    }
    return result
  }
  const allocate = (manifest: GameServerAllocation): AnsweredAllocation =>
    allocateGameServer(sidecar, control, readAllocation(manifest, sidecar.config.featureGates))
  const log = createLineLog(onLog)
  const { server, dropConnections, destroyConnections } = createSidecarServer({
    target: { sidecar, control },
    guard,
    token,
    dashboard,
    lineLimit,
    onRefused: ({ method, url = '' }, refusal) => log(refusalLine(method, url, refusal)),
    onFault: (error) => onWarning(`A request failed inside the sidecar: ${textOf(error)}`),
  })
  const stopDropping = sidecar.onDisconnect(dropConnections)

  const listener = await startListening(server, port, address).catch(async (error: unknown) => {
    file?.stop()
    sidecar.close()
    await recorder?.close()
    throw error
  })
  file?.start((gameServer) => {
    const result = sidecar.control({ type: 'reload', gameServer })
    if (!result.ok) onWarning(`${options.file} was not loaded again: ${result.message}`)
  })
  if (token !== undefined) {
    onWarning(`Listening on ${address}: other machines that reach it can shut the game server down`)
  }

  let closing: Promise<void> | undefined
  const isPaused = (): boolean => closing !== undefined || listener.pause !== undefined
  const restart = async ({ downMs = 0 }: RestartOptions = {}): Promise<void> => {
    // A restart during a pause is part of the one that is under way.
    if (isPaused()) return listener.pause
    const pause = downMs > 0 ? listener.pauseFor(downMs) : undefined
    sidecar.control({ type: 'restart' })
    return pause
  }
  const end = async (): Promise<void> => {
    file?.stop()
    stopDropping()
    sidecar.close()
    destroyConnections()
    await listener.close(destroyConnections)
    await recorder?.close()
  }
  const close = (): Promise<void> => (closing ??= end())

  return {
    url: `http://${urlHost(address)}:${listener.port}`,
    port: listener.port,
    mode: sidecar.snapshot().mode,
    sidecar,
    controlToken: token,
    control,
    allocate,
    restart,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Anything that was thrown, as text: some values have none. */
function textOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return typeof error
  }
}

/** Records a sidecar, if that is asked for. */
async function startRecording(
  sidecar: Sidecar,
  config: Partial<SidecarConfig>,
  { record, redact }: LocalSidecarOptions,
  onWarning: (message: string) => void,
): Promise<Recorder | undefined> {
  if (record === undefined) return undefined
  const { openRecorder } = await import('./recorder.js')
  const recorder = await openRecorder(record, listOption('redact', redact), onWarning)
  recorder.follow(sidecar, config)
  return recorder
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

const withoutUndefined = <T extends object>(value: T): Partial<Defined<T>> =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Partial<Defined<T>>
