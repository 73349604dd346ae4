import { constants } from 'node:os'
import { stripVTControlCharacters } from 'node:util'
import { variablePrefix } from '../../gateway/sidecar-url.js'
import { createLocalSidecar } from '../../local/local-sidecar.js'
import type { LocalSidecar } from '../../local/local-sidecar.js'
import { HOST_EXIT_CODES } from '../host-error.js'
import { tellSafely } from '../host-events.js'
import type { HostExit, Tell } from '../host-events.js'
import { createLineLimit, plainLines } from '../lines.js'
import type { LineLimit } from '../lines.js'
import {
  describeUnhealthy,
  endWithGameServer,
  isToEnd,
  replaceGameServer,
  replaces,
  withReplacement,
} from '../local-kubelet.js'
import { watchForKills } from '../supervision/memory-limit.js'
import { observeLocal, watchGameServer } from './game-server-sight.js'
import type { GameServerSight } from './game-server-sight.js'
import { resolveProgramOptions } from './program-options.js'
import type { ProgramHostOptions, ProgramSettings } from './program-options.js'
import { describeCrash, startProgram } from './program-process.js'
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
  const emit = tellSafely(options.onEvent)
  const warn = options.onWarning ?? ((text: string): void => emit({ event: 'warning', text }))
  const local =
    settings.local &&
    (await createLocalSidecar(withReplacement({ onWarning: warn, onLog: warn, ...settings.local }, settings.grace)))
  const host = new ProgramRun(settings, local, emit, warn)
  try {
    await host.start()
  } catch (error) {
    await host.release()
    throw error
  }
  const close = (signal?: string): Promise<HostExit> => host.close(signal)
  return { exited: host.exited, local, close, [Symbol.asyncDispose]: async () => void (await close()) }
}

class ProgramRun {
  readonly local: LocalSidecar | undefined
  readonly exited: Promise<HostExit>
  readonly #settings: ProgramSettings
  readonly #emit: Tell
  readonly #warn: (text: string) => void
  readonly #url: URL
  readonly #lines: LineLimit
  readonly #leaveKubelet: (() => void) | undefined
  #exit!: (exit: HostExit) => void
  #sight: GameServerSight
  #program!: ProgramProcess
  #whyKilled = watchForKills()
  #startedAt = 0
  #restarted = 0
  /** The pause before a new start. */
  #pause: NodeJS.Timeout | undefined
  #starting = Promise.resolve()
  #closing: Promise<HostExit> | undefined
  #isOver = false

  constructor(settings: ProgramSettings, local: LocalSidecar | undefined, emit: Tell, warn: (text: string) => void) {
    this.#settings = settings
    this.local = local
    this.#emit = emit
    this.#warn = warn
    this.#url = local === undefined ? settings.sidecar! : new URL(local.url)
    this.#lines = createLineLimit((line) => emit({ event: 'console', ...line }))
    this.exited = new Promise((resolve) => (this.#exit = resolve))
    const { platform } = settings
    this.#sight =
      local === undefined
        ? watchGameServer({ url: this.#url.origin, platform, onBooted: this.#onBooted, onWarning: warn })
        : observeLocal(local, this.#onBooted)
    this.#leaveKubelet =
      local &&
      endWithGameServer(local, (state) => {
        if (state === 'Unhealthy') warn(describeUnhealthy(local))
        void (this.#isReplaced() ? this.#replace(local) : this.close())
      })
  }

  close(signal = 'SIGTERM'): Promise<HostExit> {
    if (this.#isOver) return this.exited
    return (this.#closing ??= this.#end(signal in constants.signals ? (signal as NodeJS.Signals) : 'SIGTERM'))
  }

  /** @throws HostError if the runtime can't be started */
  async start(): Promise<void> {
    const { runtime, file, args, runtimeArgs, platform } = this.#settings
    this.#startedAt = performance.now()
    this.#whyKilled = watchForKills()
    const prefix = variablePrefix(platform)
    const env = {
      ...process.env,
      [`${prefix}PORT`]: this.#url.port || '80',
      [`${prefix}HOST`]: this.#url.hostname.replace(/^\[(.*)]$/, '$1'),
    }
    try {
      this.#program = await startProgram(programCommand(runtime, file, args, runtimeArgs), env, (level, line) =>
        this.#lines.write({ level, text: plainLines(stripVTControlCharacters(line)) }),
      )
    } catch (error) {
      throw startError(runtime, error as NodeJS.ErrnoException)
    }
    this.#emit({ event: 'program', pid: this.#program.pid, runtime, sidecar: this.#url.origin })
    void this.#program.ended.then((end) => this.#onEnded(end))
  }

  async release(): Promise<void> {
    this.#lines.flush()
    this.#sight.close()
    this.#leaveKubelet?.()
    await this.local?.close()
  }

  readonly #onBooted = (): void => this.#emit({ event: 'booted', ms: Math.round(performance.now() - this.#startedAt) })

  #isReplaced(): boolean {
    return this.local !== undefined && replaces(this.#settings.local) && isToEnd(this.local)
  }

  async #finish(result: HostExit): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.release()
    this.#emit({ event: 'exit', ...result })
    this.#exit(result)
  }

  #startAgain(): void {
    this.#pause = undefined
    this.#starting = this.start()
    this.#starting.catch((error: unknown) => void this.#finish({ code: CRASHED, reason: (error as Error).message }))
  }

  /** The program has ended. If it was told to, `#end` waits for that and sees to the rest. */
  async #onEnded(end: ProgramEnd): Promise<void> {
    const { restarts } = this.#settings
    // Once its GameServer has come to its end, a program ends as well, and a fresh one takes its place.
    if (this.#closing !== undefined || this.#isReplaced()) return
    if (end.code === 0) return this.#finish({ code: 0, reason: 'The program has ended.' })
    const { sentence, details } = describeCrash(end, this.#whyKilled())
    this.#emit({ event: 'crash', reason: [sentence, ...details].join('\n') })
    const mayRestart = this.#restarted < restarts && (await this.#sight.isFresh())
    // It may have been told to end meanwhile.
    if (this.#closing !== undefined) return
    if (!mayRestart) return this.#finish({ code: CRASHED, reason: sentence })
    this.#restarted += 1
    const text = `The program is started again (${this.#restarted} of ${restarts}): nobody was sent to it yet`
    this.#emit({ event: 'warning', text })
    this.#pause = setTimeout(
      () => this.#startAgain(),
      Math.min(RESTART_MS * 2 ** (this.#restarted - 1), MAX_RESTART_MS),
    )
  }

  async #end(signal: NodeJS.Signals): Promise<HostExit> {
    await this.#endProgram(signal)
    await this.#finish({ code: 0, reason: `The host was told to end by ${signal}.` })
    return this.exited
  }

  /** Hands the signal on, waits for the program's end, and sees to `shutdown()`. */
  async #endProgram(signal: NodeJS.Signals): Promise<void> {
    const { grace } = this.#settings
    this.#emit({ event: 'shutdown', signal })
    clearTimeout(this.#pause)
    await this.#starting.catch(() => undefined)
    this.#program.signal(signal)
    const share = Math.max(grace - OWN_SHARE_MS, grace / 2)
    const timer = setTimeout(() => {
      const more = 'Raise the grace period if it needs more.'
      this.#warn(`The program has not ended within ${share} ms of ${signal}, and is killed. ${more}`)
      this.#program.kill()
    }, share)
    await this.#program.ended
    clearTimeout(timer)
    await this.#sight.shutDown(Math.min(SHUTDOWN_MS, grace / 4)).catch(() => {
      // In a pod that is deleted, the sidecar may have ended before.
    })
  }

  /** Ends the program as a kubelet does, and starts it for a fresh GameServer. */
  async #replace(local: LocalSidecar): Promise<void> {
    await this.#endProgram('SIGTERM')
    if (this.#closing !== undefined) return
    this.#sight.close()
    const text = replaceGameServer(local)
    this.#sight = observeLocal(local, this.#onBooted)
    this.#restarted = 0
    this.#emit({ event: 'replaced', text })
    this.#startAgain()
  }
}
