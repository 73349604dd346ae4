import { setTimeout as sleep } from 'node:timers/promises'
import { longestTimer } from '../../protocol/names.js'
import type { LocalSidecar } from '../sidecar/local-sidecar.js'
import { endWithGameServer, hasGameServerEnded, replaceGameServer } from './kubelet.js'

/** A running game: a program, or a page in its browser. It stands for the container of a pod. */
export interface Game<End> {
  readonly exited: Promise<End>
  /** Asks the game to end, by a signal such as SIGTERM. */
  terminate(signal: string): void
  kill(): void
}

/** What follows a game: nothing, the game again in the same GameServer, or the game in a fresh one. */
export type Next = 'nothing' | 'again' | 'fresh'

export interface GameLifeOptions<End> {
  /** The sidecar beside the game; undefined if it isn't on this machine, and its kubelet ends the game. */
  readonly local: LocalSidecar | undefined
  /** Default time in ms from a signal to SIGKILL. Longer than a timer can wait, it is no limit. */
  readonly graceMs: number
  /** What the kubelet does to a game whose GameServer has ended. Default: it ends the life. */
  readonly kubelet?: 'ends life' | 'ends game' | 'ignores it'
  /** Starts the game with its grace period. The signal gives up the start: the life ends. */
  start(signal: AbortSignal, graceMs: number): Promise<Game<End>>
  /**
   * Decides what follows a game, unless the life ends.
   *
   * @param hasEnded whether the GameServer or the life has ended
   * @param restarts how often the game was started again in its GameServer
   */
  next(end: End, hasEnded: boolean, restarts: number): Next | Promise<Next>
  /** Called with the state when the GameServer has ended, before a game that still runs is terminated. */
  onGameServerEnd?(state: string, isTerminated: boolean): void
  /** Called with a sentence when a fresh GameServer is there, before its game is started. */
  onReplaced?(sentence: string): void
  /** Called when a game has outlived its grace period, before it is killed. */
  onKill?(signal: string, graceMs: number): void
}

/** Pauses before a game starts again, shorter than the kubelet's 10 s to 5 min: here a person waits. */
const RESTART_MS = { first: 250, most: 10_000 }

/** A game's life beside its sidecar: it is started, ended with its GameServer, killed, and started again. */
export class GameLife<End> {
  /** Resolves with the end of the last game. Rejects if a game can't be started. */
  readonly ended: Promise<End>
  graceMs: number
  readonly #options: GameLifeOptions<End>
  readonly #over = new AbortController()
  #runs = false
  #game: Game<End> | undefined
  /** The last call of `terminate()` for the present game, which may still be starting. */
  #termination: readonly [signal: string, graceMs: number] | undefined
  /** Whether the GameServer of the present game has ended, even if a fresh one has taken its place. */
  #hasGameServerEnded = false
  #limits: NodeJS.Timeout[] = []

  constructor(options: GameLifeOptions<End>) {
    const { local, kubelet } = options
    this.#options = options
    this.graceMs = options.graceMs
    const leave =
      local && kubelet !== 'ignores it' ? endWithGameServer(local, (state) => this.#followGameServer(state)) : undefined
    this.ended = this.#live().finally(leave)
  }

  get isEnding(): boolean {
    return this.#over.signal.aborted
  }

  /** Sends the game a signal, and SIGKILL if it still runs after the grace period. */
  terminate(signal = 'SIGTERM', graceMs = this.graceMs): void {
    if (!this.#runs) return
    this.#termination = [signal, graceMs]
    this.#game?.terminate(signal)
    this.#killAfter(graceMs, signal)
  }

  /** Terminates the game, and lets none follow. */
  end(signal?: string, graceMs?: number): void {
    this.#over.abort()
    this.terminate(signal, graceMs)
  }

  /** Ends the life like `end()`. A game that was told to end gets no second signal, only the present grace period. */
  hasten(): void {
    if (this.#termination === undefined) return this.end()
    const [signal] = this.#termination
    this.#over.abort()
    this.#termination = [signal, this.graceMs]
    this.#killAfter(this.graceMs, signal)
  }

  #killAfter(graceMs: number, signal: string): void {
    const game = this.#game
    if (game === undefined || graceMs > longestTimer) return
    const kill = (): void => {
      if (graceMs > 0) this.#options.onKill?.(signal, graceMs)
      game.kill()
    }
    this.#limits.push(setTimeout(kill, graceMs))
  }

  #followGameServer(state: string): void {
    const { kubelet, onGameServerEnd } = this.#options
    const [, limit = Infinity] = this.#termination ?? []
    // A signal without a time limit, as of Ctrl-C, leaves SIGTERM and SIGKILL to the kubelet.
    const isTerminated = this.#runs && limit > longestTimer
    this.#hasGameServerEnded = this.#runs
    onGameServerEnd?.(state, isTerminated)
    if (kubelet !== 'ends game') this.#over.abort()
    if (isTerminated) this.terminate()
  }

  async #live(): Promise<End> {
    const { local, kubelet, next, onReplaced } = this.#options
    const { signal } = this.#over
    for (let restarts = 0; ;) {
      const end = await this.#play()
      let following = await next(end, await this.#hasEnded(), restarts)
      if (following === 'again' && !signal.aborted) {
        const pause = Math.min(RESTART_MS.first * 2 ** restarts, RESTART_MS.most)
        restarts += 1
        await sleep(pause, undefined, { signal }).catch(() => undefined)
        if (await this.#hasEnded()) following = kubelet === 'ends game' ? await next(end, true, restarts) : 'nothing'
      }
      if (following === 'nothing' || signal.aborted) return end
      if (following === 'fresh') {
        restarts = 0
        const sentence = replaceGameServer(local!)
        onReplaced?.(sentence)
      }
    }
  }

  async #hasEnded(): Promise<boolean> {
    const { local } = this.#options
    if (this.#hasGameServerEnded) return true
    // Waited for in a life that ends, too: the last line about a game names its state.
    return (local !== undefined && (await hasGameServerEnded(local))) || this.isEnding
  }

  async #play(): Promise<End> {
    this.#runs = true
    this.#hasGameServerEnded = false
    try {
      this.#game = await this.#options.start(this.#over.signal, this.graceMs)
      if (this.#termination !== undefined) this.terminate(...this.#termination)
      return await this.#game.exited
    } finally {
      this.#runs = false
      this.#game = this.#termination = undefined
      for (const limit of this.#limits.splice(0)) clearTimeout(limit)
    }
  }
}
