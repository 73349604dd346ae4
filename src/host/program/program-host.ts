import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { CommandEnd } from '../../local/game.js'
import { sidecarVariables } from '../../local/gateway.js'
import { createLocalSidecar } from '../../local/sidecar.js'
import type { LocalSidecar } from '../../local/sidecar.js'
import { HOST_EXIT_CODES } from '../host-error.js'
import { tellSafely } from '../host-events.js'
import type { HostExit, Tell } from '../host-events.js'
import { HostFigures, openMetrics } from '../host-metrics.js'
import { createLineLimit, plainLines } from '../../local/game.js'
import type { LineLimit } from '../../local/game.js'
import { replaces, withReplacement } from '../local-kubelet.js'
import { Supervisor } from '../supervise.js'
import type { GameEnd, GameRun } from '../supervise.js'
import type { MetricsServer } from '../../deploy/metrics.js'
import { createGroupMemory } from '../supervision/memory.js'
import { watchForKills } from '../supervision/memory-limit.js'
import { observeLocal, watchGameServer } from './game-server-sight.js'
import type { GameServerSight } from './game-server-sight.js'
import { resolveProgramOptions } from './program-options.js'
import type { ProgramHostOptions, ProgramSettings } from './program-options.js'
import { describeProgramEnd, startProgram } from './program-process.js'
import type { ProgramProcess } from './program-process.js'
import { programCommand, startError } from './runtimes.js'

/** Part of the grace period reserved for the host: to call `shutdown()`, and to kill remaining processes. */
const OWN_SHARE_MS = 2_000
/** Longest wait for the sidecar to take `shutdown()`. */
const SHUTDOWN_MS = 1_000
/** Pause before a program is started again; each is twice the one before. */
const RESTART_MS = 250
const MAX_RESTART_MS = 10_000

/** A program that runs as a game server, until it ends or is told to. */
export interface ProgramHost {
  /** Resolves when the program and the host have ended. Never rejects. */
  readonly exited: Promise<HostExit>
  /** The address of the metrics, with `metricsPort`. */
  readonly metricsUrl: string | undefined
  /** The local sidecar, if one runs inside. */
  readonly local: LocalSidecar | undefined
  /**
   * Hands the signal on to the program, waits for its end within the grace period, makes
   * sure that `shutdown()` is called, and resolves when all has ended. Can be called again.
   */
  close(signal?: string): Promise<HostExit>
}

/**
 * Runs a program for Node, Deno or Bun as a game server: with the signals, exit codes and events of a hosted page.
 * Resolves when it was started.
 *
 * @throws TypeError for a sidecar that can't be used
 * @throws HostError `NO_BUILD` if there is no such file, `NO_RUNTIME` if nothing is installed to run it
 */
export async function createProgramHost(options: ProgramHostOptions): Promise<ProgramHost> {
  const settings = resolveProgramOptions(options)
  const figures = new HostFigures()
  const tell = figures.follow(tellSafely(options.onEvent))
  const warn = (text: string): void => tell({ event: 'warning', text })
  const local =
    settings.local &&
    (await createLocalSidecar(withReplacement({ onWarning: warn, onLog: warn, ...settings.local }, settings.grace)))
  const game = new ProgramGame(settings, local, tell, warn)
  let metrics: MetricsServer | undefined
  const release = async (): Promise<void> => {
    await Promise.all([game.release(), metrics?.close()])
  }
  try {
    metrics = await openMetrics(options, {
      figures,
      sidecarUrl: game.sidecarUrl,
      platform: settings.platform,
      local,
      tell,
    })
    const start = async (): Promise<ProgramRun> => {
      const run = await game.start()
      figures.memory = createGroupMemory(run.program.pid)
      return run
    }
    const supervision = new Supervisor({
      game: 'program',
      settings,
      local,
      replaces: replaces(settings.local),
      first: await start(),
      async start(signal, failures) {
        const pause = failures === 0 ? 0 : Math.min(RESTART_MS * 2 ** (failures - 1), MAX_RESTART_MS)
        await sleep(pause, undefined, { signal })
        return start()
      },
      isFresh: () => game.isFresh(),
      endInOrder: (run, signal) => game.endInOrder(run, signal as NodeJS.Signals),
      onReplaced: () => game.watchAgain(),
      async release(run) {
        await run.close()
        await release()
      },
      tell,
    })
    return {
      exited: supervision.exited,
      metricsUrl: metrics?.url,
      local,
      close: (signal = 'SIGTERM') => supervision.close(signal in constants.signals ? signal : 'SIGTERM'),
    }
  } catch (error) {
    await release()
    throw error
  }
}

interface ProgramRun extends GameRun {
  readonly program: ProgramProcess
  /** From now on, the program's end isn't reported as a crash. */
  expectEnd(): void
}

/** A program beside its GameServer. */
class ProgramGame {
  readonly #settings: ProgramSettings
  readonly #local: LocalSidecar | undefined
  readonly #tell: Tell
  readonly #warn: (text: string) => void
  readonly #url: URL
  readonly #lines: LineLimit
  #sight: GameServerSight
  #startedAt = 0

  constructor(settings: ProgramSettings, local: LocalSidecar | undefined, tell: Tell, warn: (text: string) => void) {
    this.#settings = settings
    this.#local = local
    this.#tell = tell
    this.#warn = warn
    this.#url = local === undefined ? settings.sidecar! : new URL(local.url)
    this.#lines = createLineLimit((line) => tell({ event: 'console', ...line }))
    this.#sight = this.#watch()
  }

  #watch(): GameServerSight {
    const { platform } = this.#settings
    const onBooted = (): void => this.#tell({ event: 'booted', ms: Math.round(performance.now() - this.#startedAt) })
    return this.#local === undefined
      ? watchGameServer({ url: this.#url.origin, platform, onBooted, onWarning: this.#warn })
      : observeLocal(this.#local, onBooted)
  }

  get sidecarUrl(): string {
    return this.#url.origin
  }

  /** Watches the fresh GameServer in place of the former one. */
  watchAgain(): void {
    this.#sight.close()
    this.#sight = this.#watch()
  }

  isFresh(): Promise<boolean> {
    return this.#sight.isFresh()
  }

  /** @throws HostError if the runtime can't be started */
  async start(): Promise<ProgramRun> {
    const { runtime, platform } = this.#settings
    this.#startedAt = performance.now()
    const whyKilled = watchForKills()
    const env = { ...process.env, ...sidecarVariables(platform, this.#url) }
    const program = await startProgram(programCommand(this.#settings), env, (level, line) =>
      this.#lines.write({ level, text: plainLines(stripVTControlCharacters(line)) }),
    ).catch((error: unknown) => {
      throw startError(runtime, (error as Error).cause as NodeJS.ErrnoException)
    })
    this.#tell({ event: 'program', pid: program.pid, runtime, sidecar: this.#url.origin })
    let isExpected = false
    return {
      program,
      ended: new Promise((resolve) => {
        void program.exited.then((end) => {
          if (!isExpected) resolve(describeEnd(end, program.lastErrors, whyKilled()))
        })
      }),
      expectEnd: () => (isExpected = true),
      async close() {
        isExpected = true
        await program.kill()
      },
    }
  }

  /** Passes the signal on, waits for the program's end, and makes sure that `shutdown()` is called. */
  async endInOrder({ program, expectEnd }: ProgramRun, signal: NodeJS.Signals): Promise<void> {
    const { grace } = this.#settings
    expectEnd()
    program.signal(signal)
    const share = Math.max(grace - OWN_SHARE_MS, grace / 2)
    const timer = setTimeout(() => {
      const more = 'Raise the grace period if it needs more.'
      this.#warn(`The program has not ended within ${share} ms of ${signal}, and is killed. ${more}`)
      void program.kill()
    }, share)
    await program.exited
    clearTimeout(timer)
    await this.#sight.shutDown(Math.min(SHUTDOWN_MS, grace / 4)).catch(() => {
      // In a pod that is deleted, the sidecar may have ended before.
    })
  }

  async release(): Promise<void> {
    this.#lines.flush()
    this.#sight.close()
    await this.#local?.close()
  }
}

function describeEnd(end: CommandEnd, lastErrors: readonly string[], whyKilled: string): GameEnd {
  if (end.code === 0) return { code: 0, reason: 'The program has ended.' }
  const { sentence, details } = describeProgramEnd(end, lastErrors, whyKilled)
  return { code: HOST_EXIT_CODES.CRASHED, reason: sentence, details, mayStartAgain: true }
}
