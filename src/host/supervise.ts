import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalSidecar } from '../local/sidecar.js'
import { HOST_EXIT_CODES, HostError } from './host-error.js'
import type { HostExit, Tell } from './host-events.js'
import { endWithGameServer, isToEnd } from '../local/game.js'
import { describeUnhealthy, replaceGameServer } from './local-kubelet.js'

/** How a game has ended by itself. */
export interface GameEnd {
  readonly reason: string
  /** The exit code for this end; 0 is no failure. */
  readonly code: number
  /** More lines about a crash. */
  readonly details?: readonly string[]
  /** The stack of its busy script. */
  readonly stack?: string
  readonly mayStartAgain?: boolean
}

/** One life of a game, from a start to its end. */
export interface GameRun {
  /** Resolves when the game fails or ends by itself, never after `close()`. */
  readonly ended: Promise<GameEnd>
  /** Ends the browser or process; after a failure, at once. */
  close(atOnce?: boolean): Promise<void>
}

export interface SuperviseOptions<Run extends GameRun> {
  readonly settings: { readonly grace: number; readonly restarts: number }
  readonly local: LocalSidecar | undefined
  /** Whether the game is started again for a fresh GameServer when its own has ended. */
  readonly replaces: boolean
  readonly first: Run
  /** Starts the game again after so many failures, unless the signal aborts. */
  readonly start: (signal: AbortSignal, failures: number) => Promise<Run>
  /** Whether the platform can't have sent players to the game yet. */
  readonly isFresh: () => boolean | Promise<boolean>
  /** Tells a game to end, and waits for its end within the grace period. */
  readonly endInOrder: (run: Run, signal: string) => Promise<void>
  readonly onStartAgain?: () => void
  /** Called once a fresh GameServer exists, before its game is started. */
  readonly onReplaced: () => void
  /** Ends everything, including the game. */
  readonly release: (run: Run, hasFailed: boolean) => Promise<void>
  readonly tell: Tell
}

/** Restarts a failed game as long as no player can have been sent to it, then ends everything, by itself or on request. */
export class Supervisor<Run extends GameRun> {
  readonly exited: Promise<HostExit>
  readonly #options: SuperviseOptions<Run>
  readonly #givingUp = new AbortController()
  readonly #leaveKubelet: (() => void) | undefined
  #onExit!: (exit: HostExit) => void
  #run: Run
  #starting: Promise<Run> | undefined
  #failures = 0
  #gameServerEnds = gate()
  #ending: Promise<HostExit> | undefined

  constructor(options: SuperviseOptions<Run>) {
    const { first, local, replaces } = options
    this.#options = options
    this.#run = first
    this.exited = new Promise((resolve) => (this.#onExit = resolve))
    this.#leaveKubelet =
      local &&
      endWithGameServer(local, (state) => {
        if (state === 'Unhealthy') this.#warn(describeUnhealthy(local))
        if (replaces) this.#gameServerEnds.open()
        else void this.close()
      })
    void this.#untilEnded().then(({ code, reason }) => this.#end(() => Promise.resolve({ code, reason }), true))
  }

  /** Whether a game that failed now would be started again if it is fresh. */
  mayStartAgain(): boolean {
    return this.#failures < this.#options.settings.restarts && this.#ending === undefined
  }

  close(signal = 'SIGTERM'): Promise<HostExit> {
    return this.#end(async () => {
      await this.#endRun(signal)
      return { code: 0, reason: `It was told to stop by ${signal}` }
    }, false)
  }

  readonly #warn = (text: string): void => this.#options.tell({ event: 'warning', text })

  /** Ends everything, once. `prepare` resolves with how it ends. */
  #end(prepare: () => Promise<HostExit>, hasFailed: boolean): Promise<HostExit> {
    return (this.#ending ??= this.#endOnce(prepare, hasFailed))
  }

  async #endOnce(prepare: () => Promise<HostExit>, hasFailed: boolean): Promise<HostExit> {
    const { settings, release, tell } = this.#options
    const until = performance.now() + settings.grace
    // Abort a start that is in flight.
    this.#givingUp.abort()
    const exit = await prepare()
    this.#leaveKubelet?.()
    const closeAll = async (): Promise<void> => {
      await this.#starting?.catch(() => undefined)
      await release(this.#run, hasFailed)
    }
    await Promise.race([closeAll(), sleep(Math.max(0, until - performance.now()), undefined, { ref: false })])
    tell({ event: 'exit', ...exit })
    this.#onExit(exit)
    return exit
  }

  #endRun(signal: string): Promise<void> {
    const { tell, endInOrder } = this.#options
    tell({ event: 'shutdown', signal })
    return endInOrder(this.#run, signal)
  }

  /** Restarts the game; resolves with the failure if the restart fails. */
  async #startRun(): Promise<GameEnd | undefined> {
    try {
      this.#starting = this.#options.start(this.#givingUp.signal, this.#failures)
      this.#run = await this.#starting
      return undefined
    } catch (error) {
      const code = error instanceof HostError ? error.exitCode : HOST_EXIT_CODES.CRASHED
      return { reason: (error as Error).message, code }
    }
  }

  /** Ends the game as a kubelet does, and starts it for a fresh GameServer. Resolves with the start's failure. */
  async #replace(local: LocalSidecar): Promise<GameEnd | undefined> {
    const { settings, onStartAgain, onReplaced, tell } = this.#options
    this.#gameServerEnds = gate()
    await Promise.race([this.#endRun('SIGTERM'), sleep(settings.grace, undefined, { ref: false })])
    await this.#run.close()
    if (this.#givingUp.signal.aborted) return { reason: 'It was told to stop', code: 0 }
    onStartAgain?.()
    const text = replaceGameServer(local)
    onReplaced()
    this.#failures = 0
    tell({ event: 'replaced', text })
    return this.#startRun()
  }

  /** Restarts a failed game, if that is allowed. Otherwise resolves with the way it ended. */
  async #restart(end: GameEnd): Promise<GameEnd | undefined> {
    const { settings, isFresh, onStartAgain, tell } = this.#options
    const { reason, details = [], stack, code } = end
    if (code === 0) return end
    tell(stack ? { event: 'hang', reason, stack } : { event: 'crash', reason: [reason, ...details].join('\n') })
    const isAllowed = end.mayStartAgain && this.mayStartAgain() && (await isFresh())
    if (!isAllowed || !this.mayStartAgain()) return end
    this.#failures += 1
    const count = `${this.#failures} of ${settings.restarts}`
    this.#warn(`The page is started again (${count}), since it has never been Ready`)
    onStartAgain?.()
    await this.#run.close()
    return this.#givingUp.signal.aborted ? end : this.#startRun()
  }

  /** Resolves with the end after which the game isn't restarted. */
  async #untilEnded(): Promise<GameEnd> {
    const { local, replaces } = this.#options
    for (;;) {
      const end = await Promise.race([this.#run.ended, this.#gameServerEnds.opened])
      // A game whose GameServer is ending may end by itself.
      const isToBeReplaced = local !== undefined && replaces && (end === undefined || isToEnd(local))
      if (isToBeReplaced) await this.#gameServerEnds.opened
      const last = isToBeReplaced ? await this.#replace(local) : await this.#restart(end!)
      if (last !== undefined) return last
    }
  }
}

/** A promise that is resolved from outside. */
function gate(): { readonly opened: Promise<undefined>; open(): void } {
  let open!: () => void
  const opened = new Promise<undefined>((resolve) => (open = () => resolve(undefined)))
  return { opened, open }
}
