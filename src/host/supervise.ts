import { setTimeout as sleep } from 'node:timers/promises'
import { endGameServer, GameLife, KUBELET_MS, type Game, type Next } from '../local/game.js'
import type { LocalSidecar, LocalSidecarOptions } from '../local/sidecar.js'
import { HOST_EXIT_CODES, HostError } from './host-error.js'
import type { HostExit, EmitEvent } from './host-events.js'

/** How a game has ended by itself. */
export interface GameEnd extends HostExit {
  /** The stack of its busy script. */
  readonly stack?: string
  readonly mayStartAgain?: boolean
}

/** Whether the game has called `ready()` in its present GameServer: the platform may have sent players to it. */
export interface Readiness {
  wasReady: boolean
}

/** One life of a game, from a start to its end. */
export interface GameRun {
  /** Resolves when the game fails or ends by itself, never after `close()`. */
  readonly ended: Promise<GameEnd>
  /** Tells the game to end by a signal, and waits for its end within the grace period. The browser stays open. */
  end(signal: string): Promise<void>
  /** Ends the browser; after a failure, at once. Idempotent. */
  close(atOnce?: boolean): Promise<void>
}

export interface SuperviseOptions {
  readonly settings: { readonly grace: number; readonly restarts: number }
  readonly local: LocalSidecar | undefined
  /** Whether the game is started again for a fresh GameServer when its own has ended. */
  readonly replaces: boolean
  readonly readiness: Readiness
  readonly first: GameRun
  /** Starts the game again, unless the signal aborts. */
  start(signal: AbortSignal): Promise<GameRun>
  /** Called before the browser of a game that starts again is closed. */
  onStartAgain(): void
  /** Ends everything, including the game. */
  release(run: GameRun, hasFailed: boolean): Promise<void>
  readonly emit: EmitEvent
}

/** Restarts a failed game as long as no player can have been sent to it, then ends everything, by itself or on request. */
export class Supervisor {
  readonly exited: Promise<HostExit>
  readonly #options: SuperviseOptions
  readonly #life: GameLife<GameEnd>
  #run: GameRun
  #hasStarted = false
  #restarts = 0
  /** The signal by which the host was told to stop. */
  #signal: string | undefined
  /** Whether the present game was told to end. */
  #isTold = false
  #onLate!: () => void
  /** Resolves when the grace period of the host's end is over. */
  readonly #late = new Promise<undefined>((resolve) => (this.#onLate = () => resolve(undefined)))

  constructor(options: SuperviseOptions) {
    const { first, local, settings, replaces, emit } = options
    this.#options = options
    this.#run = first
    this.#life = new GameLife<GameEnd>({
      ...{ local, graceMs: settings.grace, kubelet: replaces ? 'ends game' : 'ends life' },
      start: (signal) => this.#start(signal),
      next: (end, hasEnded) => this.#next(end, hasEnded),
      onGameServerEnd: (state) => {
        if (state === 'Unhealthy') this.#warn(describeUnhealthy(local!))
        if (!replaces) this.#stopBy('SIGTERM')
      },
      onReplaced: (text) => {
        options.readiness.wasReady = false
        emit({ event: 'replaced', text })
      },
    })
    this.exited = this.#exit()
  }

  /** Whether the host would restart a game that fails now. */
  mayStartAgain(): boolean {
    const { settings, readiness } = this.#options
    return this.#restarts < settings.restarts && !readiness.wasReady && !this.#life.isEnding
  }

  close(signal = 'SIGTERM'): Promise<HostExit> {
    if (!this.#life.isEnding) {
      this.#stopBy(signal)
      this.#life.end(signal)
    }
    return this.exited
  }

  readonly #warn = (text: string): void => this.#options.emit({ event: 'warning', text })

  #stopBy(signal: string): void {
    this.#signal = signal
    this.#limit()
  }

  #limit(): void {
    void sleep(this.#options.settings.grace, undefined, { ref: false }).then(this.#onLate)
  }

  async #start(signal: AbortSignal): Promise<Game<GameEnd>> {
    if (this.#hasStarted) this.#run = await this.#options.start(signal)
    this.#hasStarted = true
    this.#isTold = false
    const run = this.#run
    let end!: (end: GameEnd) => void
    const exited = new Promise<GameEnd>((resolve) => (end = resolve))
    void run.ended.then((failure) => this.#isTold || end(failure))
    return {
      exited,
      terminate: (name) => {
        if (!this.#isTold) void this.#endRun(name).then(() => end(TOLD))
      },
      kill() {
        void run.close(true)
        end(TOLD)
      },
    }
  }

  #endRun(signal: string): Promise<void> {
    this.#isTold = true
    this.#options.emit({ event: 'shutdown', signal })
    return this.#run.end(signal)
  }

  /** Starts a failed game again if that is allowed, and an ended one for a fresh GameServer. */
  async #next({ code, reason, stack, mayStartAgain }: GameEnd, hasEnded: boolean): Promise<Next> {
    const { local, settings, replaces, emit } = this.#options
    if (this.#signal !== undefined) return 'nothing'
    const isReplaced = hasEnded && replaces
    if (!isReplaced) {
      emit(stack ? { event: 'hang', reason, stack } : { event: 'crash', reason })
      if (!mayStartAgain || !this.mayStartAgain()) {
        if (local !== undefined && !hasEnded) endGameServer(local, code)
        return 'nothing'
      }
      this.#restarts += 1
      this.#warn(`The page is started again (${this.#restarts} of ${settings.restarts}), since it has never been Ready`)
    }
    if (isReplaced) this.#restarts = 0
    this.#options.onStartAgain()
    await this.#run.close()
    return isReplaced ? 'fresh' : 'again'
  }

  /** Ends everything once the game's life has ended. */
  async #exit(): Promise<HostExit> {
    const { emit } = this.#options
    const failure = await Promise.race([this.#life.ended, this.#late]).catch((error: unknown) => ({
      reason: (error as Error).message,
      code: error instanceof HostError ? error.exitCode : HOST_EXIT_CODES.CRASHED,
    }))
    const { code, reason } =
      this.#signal === undefined ? failure! : { code: 0, reason: `It was told to stop by ${this.#signal}` }
    if (this.#signal === undefined) this.#limit()
    else if (!this.#isTold) await Promise.race([this.#endRun(this.#signal), this.#late])
    this.#life.end()
    await Promise.race([this.#options.release(this.#run, code !== 0), this.#late])
    emit({ event: 'exit', code, reason })
    return { code, reason }
  }
}

/** The end of a game that was told to end. */
const TOLD: GameEnd = { code: 0, reason: 'The game was told to end' }

/** Longest wait, beyond the grace period, for the supervised game's end. */
const LATEST_MS = 60_000

/** Why an Unhealthy GameServer is ended, and how to avoid that for the next one. */
function describeUnhealthy({ sidecar }: LocalSidecar): string {
  const { failures, periodSeconds, failureThreshold } = sidecar.snapshot().health
  const sentence = 'The GameServer is Unhealthy, so the platform would end it now'
  if (failures < failureThreshold) return sentence
  const seconds = periodSeconds * failureThreshold
  return `${sentence}: no beat has come for ${seconds} s. createClient({ autoHealth: true }) sends them`
}

/**
 * The options of a local sidecar whose GameServer the host replaces when its game has ended. If the host never does, the
 * sidecar replaces it long after the grace period.
 */
export function withReplacement(options: LocalSidecarOptions, grace: number): LocalSidecarOptions {
  return replaces(options) ? { ...options, replace: KUBELET_MS + 2 * grace + LATEST_MS } : options
}

/** Whether a host starts its game again for a fresh GameServer. */
export const replaces = (local: boolean | LocalSidecarOptions | undefined): boolean =>
  typeof local === 'object' && local.replace === true
