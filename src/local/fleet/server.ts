import type { FleetEvent, ServerProcess } from '../../platform/fleet.js'
import { BEFORE_READY, type GameServer } from '../../protocol/game-server.js'
import { longestTimer } from '../../protocol/names.js'
import { isObject } from '../../protocol/is-object.js'
import {
  isMarked,
  type Change,
  type ControlCommand,
  type ControlResult,
  type GameServerManifest,
} from '../../platform/sidecar.js'
import { GameLife, type Game, type Next } from '../game/game-life.js'
import { endGameServer, gameVariables, KUBELET_MS } from '../game/kubelet.js'
import { startLocalSidecar, type LocalSidecar } from '../sidecar/local-sidecar.js'
import type { ConsoleLine, FleetGame, GameExit, StartGame } from '../game/program-game.js'

/** What all GameServers of a Fleet have in common, and where they tell what happens. */
export interface ServerContext {
  readonly platform: string
  readonly startGame: StartGame
  /** ms from SIGTERM to SIGKILL; undefined for the template's. */
  readonly graceMs: number | undefined
  readonly allowOrigins: readonly string[]
  dispatch(event: FleetEvent): void
  onOutput(server: string, line: ConsoleLine): void
  onWarning(text: string, server?: string): void
  /** A game can't be started, or there is no port for it. */
  onStartFailure(error: Error, server: string): void
}

export interface ServerOptions extends ServerContext {
  readonly name: string
  readonly manifest: GameServerManifest
  /** The players' ports; the first one is the game's `PORT`. */
  readonly ports: readonly [number, ...number[]]
  /** Its game runs and doesn't call `ready()`. */
  onNotReady(text: string): void
}

/** The fields of the pod template that a Fleet without containers can follow. */
interface Pod {
  readonly restartPolicy?: 'Never' | 'OnFailure' | 'Always'
  readonly terminationGracePeriodSeconds?: number
}

function podOf({ spec }: GameServerManifest): Pod {
  const template = (spec as { readonly template?: unknown } | undefined)?.template
  return isObject(template) && isObject(template['spec']) ? template['spec'] : {}
}

/** Kubernetes' default of `terminationGracePeriodSeconds`. */
const GRACE_S = 30
/** Limits of a sidecar's log. A Fleet has many sidecars, so each keeps less than one alone does. */
const LOG = { logEntries: 1_000, logSize: 2 * 1024 * 1024 }
/** After this time a person wonders why a server isn't Ready. */
const NOT_READY_MS = 10_000
/** The sidecar answers on while the game has its grace period, and a little longer. */
const RESERVE_MS = 5_000
/** What a timer can wait, beside what the sidecar waits longer. */
const LONGEST_GRACE_MS = longestTimer - KUBELET_MS - RESERVE_MS

const limited = (graceMs: number): number => Math.min(graceMs, LONGEST_GRACE_MS)

/** A GameServer with its sidecar and its game, from its creation until it is gone. */
export class ServerRun {
  readonly local: LocalSidecar
  /** Resolves when the game has ended and the sidecar's port is free. */
  readonly ended: Promise<void>
  readonly #options: ServerOptions
  readonly #life: GameLife<GameExit>
  readonly #restartPolicy: NonNullable<Pod['restartPolicy']>
  #onDeleted!: () => void
  readonly #deleted = new Promise<void>((resolve) => (this.#onDeleted = resolve))
  #restarts = 0
  #game: FleetGame | undefined

  static async start(options: ServerOptions): Promise<ServerRun> {
    const { name, manifest, platform, allowOrigins } = options
    const onWarning = (text: string): void => options.onWarning(`${name}: ${text}`, name)
    const local = await startLocalSidecar({ gameServer: manifest, platform, allowOrigins, onWarning }, LOG)
    return new ServerRun(options, local)
  }

  private constructor(options: ServerOptions, local: LocalSidecar) {
    const { name, manifest, onWarning } = options
    this.#options = options
    this.local = local
    const { restartPolicy = 'Never', terminationGracePeriodSeconds = GRACE_S } = podOf(manifest)
    this.#restartPolicy = restartPolicy
    const leave = local.sidecar.log.subscribe(({ changes }) => this.#follow(changes))
    this.#tell({ state: 'starting' })
    this.#observe()
    this.#life = new GameLife<GameExit>({
      local,
      graceMs: limited(options.graceMs ?? terminationGracePeriodSeconds * 1000),
      start: (signal, graceMs) => this.#start(signal, graceMs),
      next: (exit, hasEnded, restarts) => this.#next(exit, hasEnded, restarts),
      onKill: (_, ms) =>
        onWarning(
          `${name} still runs ${ms / 1000} s after SIGTERM: SIGKILL. Handle the signal, or raise --grace.`,
          name,
        ),
    })
    this.ended = this.#life.ended
      .then(() => this.#deleted)
      .finally(() => {
        leave()
        return local.close()
      })
  }

  get gameServer(): GameServer {
    return this.local.sidecar.snapshot().gameServer
  }

  control(command: ControlCommand): ControlResult {
    return this.local.control(command)
  }

  /** Sets the deletion timestamp; SIGTERM follows as in a pod, SIGKILL after the grace period. */
  delete(asked = this.#life.graceMs): ControlResult {
    const graceMs = limited(asked)
    this.#life.graceMs = graceMs
    const result = this.control({ type: 'delete', graceMs: KUBELET_MS + graceMs + RESERVE_MS })
    if (graceMs === 0) this.#life.hasten()
    return result
  }

  kill(): void {
    this.#game?.kill()
  }

  /** Ends the game at once, without the time that a kubelet takes to hear of a deletion. */
  close(): Promise<void> {
    this.control({ type: 'delete', graceMs: this.#life.graceMs + RESERVE_MS })
    this.#onDeleted()
    this.#life.hasten()
    return this.ended
  }

  #follow(changes: readonly Change[]): void {
    if (changes.length === 0) return
    // A sidecar alone takes a fresh GameServer in place of a lost one; in a Fleet, the Fleet creates it.
    if (changes.some(({ type }) => type === 'gone' || type === 'replaced')) {
      this.#onDeleted()
      this.#life.graceMs = 0
      return this.#life.hasten()
    }
    if (isMarked(this.gameServer)) this.#onDeleted()
    this.#observe()
  }

  #observe(): void {
    const { name: server, dispatch } = this.#options
    dispatch({ type: 'observed', server, gameServer: this.gameServer })
  }

  /** Tells what became of the process; `text` is for the timeline. */
  #tell(change: Pick<ServerProcess, 'state' | 'pid' | 'exitCode'>, text?: string): void {
    const { name: server, dispatch } = this.#options
    const process = { ...change, restarts: this.#restarts, sidecarUrl: this.local.url }
    dispatch({ type: 'process', server, process })
    if (text !== undefined) dispatch({ type: 'note', entry: { type: 'process', server, text: `${server} ${text}.` } })
  }

  async #start(signal: AbortSignal, graceMs: number): Promise<Game<GameExit>> {
    const { name, platform, ports, startGame, onOutput, onStartFailure } = this.#options
    const tellEnd = (exit: GameExit): GameExit => {
      const { exitCode, how } = exit
      const pid = this.#game && { pid: this.#game.pid }
      this.#game = undefined
      this.#tell({ state: 'ended', ...pid, exitCode }, `ended with ${how}`)
      return exit
    }
    try {
      const game = await startGame({
        ...{ platform, signal, graceMs, port: ports[0], sidecarUrl: this.local.url },
        variables: gameVariables(this.local, platform),
        onOutput: (line) => onOutput(name, line),
      })
      this.#game = game
      this.#tell({ state: 'running', pid: game.pid }, `started as process ${game.pid}`)
      const reminder = setTimeout(() => this.#remind(), NOT_READY_MS).unref()
      return { ...game, exited: game.exited.finally(() => clearTimeout(reminder)).then(tellEnd) }
    } catch (error) {
      if (!signal.aborted) onStartFailure(error as Error, name)
      const exit = tellEnd({ exitCode: 127, how: (error as Error).message })
      return { exited: Promise.resolve(exit), terminate: () => undefined, kill: () => undefined }
    }
  }

  /** Starts the game again if the pod's restart policy says so. Otherwise its GameServer ends with it. */
  #next({ exitCode }: GameExit, hasEnded: boolean, restarts: number): Next {
    if (hasEnded) return 'nothing'
    const restartPolicy = this.#restartPolicy
    if (restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0)) {
      this.#restarts = restarts + 1
      this.#tell({ state: 'starting' }, 'starts again, as its restartPolicy says')
      return 'again'
    }
    endGameServer(this.local, exitCode)
    return 'nothing'
  }

  #remind(): void {
    if (!BEFORE_READY.includes(this.gameServer.status.state)) return
    this.#options.onNotReady(
      `${this.#options.name} has run for ${NOT_READY_MS / 1000} s without calling ready(), so no player is sent to it. ` +
        'Call createClient({ autoHealth: true }).ready() when the game can take players.',
    )
  }
}
