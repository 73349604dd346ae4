import { constants } from 'node:os'
import { stripVTControlCharacters } from 'node:util'
import { variablePrefix } from '../../gateway/sidecar-url.js'
import { createLocalSidecar } from '../../local/local-sidecar.js'
import type { LocalSidecar } from '../../local/local-sidecar.js'
import { HOST_EXIT_CODES } from '../host-error.js'
import type { HostExit } from '../host-events.js'
import { createLineLimit } from '../line-limit.js'
import {
  describeUnhealthy,
  endWithGameServer,
  isToEnd,
  replaceGameServer,
  replaces,
  withReplacement,
} from '../local-kubelet.js'
import { plainLines } from '../plain-lines.js'
import { tellSafely } from '../tell.js'
import { watchForKills } from '../supervision/memory-limit.js'
import { describeCrash } from './crash.js'
import { observeLocal, watchGameServer } from './game-server-sight.js'
import type { GameServerSight } from './game-server-sight.js'
import { resolveProgramOptions } from './program-options.js'
import type { ProgramHostOptions } from './program-options.js'
import { startProgram } from './program-process.js'
import type { ProgramEnd, ProgramProcess } from './program-process.js'
import { programCommand, startError } from './runtimes.js'

/** Part of the grace period that is kept for the host: to call `shutdown()`, and to end what hasn't ended. */
const OWN_SHARE_MS = 2_000
/** Longest wait for the sidecar to take `shutdown()`. */
const SHUTDOWN_MS = 1_000
/** Pause before a program is started again; each is twice the one before. */
const RESTART_MS = 250
const MAX_RESTART_MS = 10_000
const { CRASHED } = HOST_EXIT_CODES

/** A program that runs as a game server, until it ends or is told to. */
export interface ProgramHost {
  /** Resolves when the program has ended and nothing of the host is left. It never rejects. */
  readonly exited: Promise<HostExit>
  /** The local sidecar, if one runs inside. */
  readonly local: LocalSidecar | undefined
  /**
   * Hands the signal on to the program, waits for its end within the grace period, sees to `shutdown()`, and resolves
   * when nothing is left. Can be called again.
   */
  close(signal?: string): Promise<HostExit>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Runs a program for Node, Deno or Bun as a game server: with the signals, exit codes and events of a hosted page.
 * Resolves when it was started.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
 * @throws HostError `NO_BUILD` if there is no such file, `NO_RUNTIME` if nothing is installed to run it
 */
export async function createProgramHost(options: ProgramHostOptions): Promise<ProgramHost> {
  const settings = resolveProgramOptions(options)
  const { platform, runtime, grace, restarts } = settings
  const emit = tellSafely(options.onEvent)
  const warn = options.onWarning ?? ((text: string): void => emit({ event: 'warning', text }))
  const lines = createLineLimit((line) => emit({ event: 'console', ...line }))

  const local =
    settings.local &&
    (await createLocalSidecar(withReplacement({ onWarning: warn, onLog: warn, ...settings.local }, grace)))
  const url = local === undefined ? settings.sidecar! : new URL(local.url)
  const prefix = variablePrefix(platform)
  const env = {
    ...process.env,
    [`${prefix}PORT`]: url.port || '80',
    [`${prefix}HOST`]: url.hostname.replace(/^\[(.*)]$/, '$1'),
  }

  let program: ProgramProcess
  let whyKilled = watchForKills()
  let startedAt = 0
  let restarted = 0
  let restart: { readonly cancel: () => void } | undefined
  let starting = Promise.resolve()
  let closing: Promise<HostExit> | undefined
  let isOver = false
  let exit!: (exit: HostExit) => void
  const exited = new Promise<HostExit>((resolve) => (exit = resolve))

  const onBooted = (): void => emit({ event: 'booted', ms: Math.round(performance.now() - startedAt) })
  let sight: GameServerSight =
    local === undefined
      ? watchGameServer({ url: url.origin, platform, onBooted, onWarning: warn })
      : observeLocal(local, onBooted)
  const isReplaced = (): boolean => local !== undefined && replaces(settings.local) && isToEnd(local)
  const leaveKubelet =
    local &&
    endWithGameServer(local, (state) => {
      if (state === 'Unhealthy') warn(describeUnhealthy(local))
      void (isReplaced() ? replace(local) : close())
    })

  const release = async (): Promise<void> => {
    lines.flush()
    sight.close()
    leaveKubelet?.()
    await local?.close()
  }

  const finish = async (result: HostExit): Promise<void> => {
    if (isOver) return
    isOver = true
    await release()
    emit({ event: 'exit', ...result })
    exit(result)
  }

  const start = async (): Promise<void> => {
    startedAt = performance.now()
    whyKilled = watchForKills()
    const command = programCommand(runtime, settings.file, settings.args, settings.runtimeArgs)
    try {
      program = await startProgram(command, env, (level, line) =>
        lines.write({ level, text: plainLines(stripVTControlCharacters(line)) }),
      )
    } catch (error) {
      throw startError(runtime, error as NodeJS.ErrnoException)
    }
    emit({ event: 'program', pid: program.pid, runtime, sidecar: url.origin })
    void program.ended.then(onEnded)
  }

  /** The program has ended. If it was told to, `end` waits for that and sees to the rest. */
  const onEnded = async (end: ProgramEnd): Promise<void> => {
    // Once its GameServer has come to its end, a program ends as well, and a fresh one takes its place.
    if (closing !== undefined || isReplaced()) return
    if (end.code === 0) return finish({ code: 0, reason: 'The program has ended.' })
    const { sentence, details } = describeCrash(end, whyKilled())
    emit({ event: 'crash', reason: [sentence, ...details].join('\n') })
    const mayRestart = restarted < restarts && (await sight.isFresh())
    // It may have been told to end meanwhile.
    if (closing !== undefined) return
    if (!mayRestart) return finish({ code: CRASHED, reason: sentence })
    restarted += 1
    emit({
      event: 'warning',
      text: `The program is started again (${restarted} of ${restarts}): nobody was sent to it yet`,
    })
    restart = afterPause(Math.min(RESTART_MS * 2 ** (restarted - 1), MAX_RESTART_MS), () => {
      restart = undefined
      starting = start()
      starting.catch((error: unknown) => void finish({ code: CRASHED, reason: (error as Error).message }))
    })
  }

  const end = async (signal: NodeJS.Signals): Promise<HostExit> => {
    emit({ event: 'shutdown', signal })
    restart?.cancel()
    await starting.catch(() => undefined)
    await endProgram(signal)
    await finish({ code: 0, reason: `The host was told to end by ${signal}.` })
    return exited
  }

  /** Hands the signal on, waits for the program's end, and sees to `shutdown()`. */
  const endProgram = async (signal: NodeJS.Signals): Promise<void> => {
    program.signal(signal)
    const share = Math.max(grace - OWN_SHARE_MS, grace / 2)
    const timer = setTimeout(() => {
      warn(
        `The program has not ended within ${share} ms of ${signal}, and is killed. Raise the grace period if it needs more.`,
      )
      program.kill()
    }, share)
    await program.ended
    clearTimeout(timer)
    await sight.shutDown(Math.min(SHUTDOWN_MS, grace / 4)).catch(() => {
      // In a pod that is deleted, the sidecar may have ended before.
    })
  }

  /** Ends the program as a kubelet does, and starts it for a fresh GameServer. */
  const replace = async (local: LocalSidecar): Promise<void> => {
    emit({ event: 'shutdown', signal: 'SIGTERM' })
    restart?.cancel()
    await starting.catch(() => undefined)
    await endProgram('SIGTERM')
    if (closing !== undefined) return
    sight.close()
    const text = replaceGameServer(local)
    sight = observeLocal(local, onBooted)
    restarted = 0
    emit({ event: 'replaced', text })
    starting = start()
    starting.catch((error: unknown) => void finish({ code: CRASHED, reason: (error as Error).message }))
  }

  const close = (signal = 'SIGTERM'): Promise<HostExit> => {
    if (isOver) return exited
    return (closing ??= end(signal in constants.signals ? (signal as NodeJS.Signals) : 'SIGTERM'))
  }

  try {
    await start()
  } catch (error) {
    await release()
    throw error
  }
  return {
    exited,
    local,
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  }
}

function afterPause(ms: number, run: () => void): { readonly cancel: () => void } {
  const timer = setTimeout(run, ms)
  return { cancel: () => clearTimeout(timer) }
}
