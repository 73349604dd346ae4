import { setTimeout as sleep } from 'node:timers/promises'
import type { Beats, FleetAction, FleetEvent, ServerProcess } from '../../platform/fleet.js'
import {
  isMarked,
  type Change,
  type ControlCommand,
  type ControlResult,
  type GameServerManifest,
} from '../../platform/sidecar.js'
import { BEFORE_READY } from '../../protocol/game-server.js'
import { isObject } from '../../protocol/is-object.js'
import { longestTimer } from '../../protocol/names.js'
import { GameLife, type Game, type Next } from '../game/game-life.js'
import { endGameServer, gameVariables, KUBELET_MS } from '../game/kubelet.js'
import type { ConsoleLine, FleetGame, GameExit, StartGame } from '../game/program-game.js'
import { startLocalSidecar, type LocalSidecar } from '../sidecar/local-sidecar.js'
import type { PlayersPorts } from './ports.js'

/** What all GameServers of a Fleet have in common, and where they tell what happens. */
export interface FleetContext {
  readonly platform: string
  readonly startGame: StartGame
  /** ms from SIGTERM to SIGKILL; undefined for the template's. */
  readonly graceMs: number | undefined
  readonly allowOrigins: readonly string[]
  readonly ports: PlayersPorts
  dispatch(event: FleetEvent): void
  onOutput(server: string, line: ConsoleLine): void
  onWarning(text: string, server?: string): void
  /** A game can't be started, or there is no port for it. */
  onStartFailure(error: Error, server: string): void
  /** A game runs and doesn't call `ready()`. */
  onNotReady(text: string, server: string): void
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
/** Milliseconds between two looks for a free port. */
const PORT_MS = 1_000
/** After this time a person wonders why a server isn't Ready. */
const NOT_READY_MS = 10_000
/** The sidecar answers on while the game has its grace period, and a little longer. */
const RESERVE_MS = 5_000
/** What a timer can wait, beside what the sidecar waits longer. */
const LONGEST_GRACE_MS = longestTimer - KUBELET_MS - RESERVE_MS

const limited = (graceMs: number): number => Math.min(graceMs, LONGEST_GRACE_MS)

/** What a GameServer has while its sidecar listens. */
interface Running {
  readonly local: LocalSidecar
  readonly life: GameLife<GameExit>
  /** Tells that the GameServer is deleted, so that its sidecar isn't needed once the game has ended. */
  onDeleted(): void
}

/** A GameServer of a Fleet with its ports, its sidecar and its game. */
export class FleetGameServer {
  /** Resolves when the game has ended, the sidecar is closed and the ports are free. */
  readonly gone: Promise<void>
  readonly #context: FleetContext
  readonly #name: string
  readonly #manifest: GameServerManifest
  readonly #pod: Pod
  /** Aborted when the GameServer ends before it runs. */
  readonly #over = new AbortController()
  /** Commands that came before the sidecar listened. */
  readonly #waiting: ControlCommand[] = []
  #running: Running | undefined
  #game: FleetGame | undefined
  #restarts = 0

  constructor(context: FleetContext, { server, manifest }: Extract<FleetAction, { type: 'create' }>) {
    this.#context = context
    this.#name = server
    this.#manifest = manifest
    this.#pod = podOf(manifest)
    this.gone = this.#live().catch((error: unknown) => context.onStartFailure(error as Error, server))
  }

  /** The beats that its sidecar has counted; undefined without a sidecar. */
  get beats(): Beats | undefined {
    if (this.#running === undefined) return undefined
    // Leaves out the time of the last beat, which would change the view each second.
    const { disabled, failures, failureThreshold } = this.#running.local.sidecar.snapshot().health
    return { disabled, failures, failureThreshold }
  }

  /** Carries out a command, at once or when the sidecar is there. */
  control(command: ControlCommand): ControlResult {
    if (this.#running !== undefined) {
      const { local } = this.#running
      return command.type === 'delete' ? this.#delete(this.#running, command.graceMs) : local.control(command)
    }
    // Where a cluster would delete the object, there is only a wait for a port to end.
    if (command.type === 'delete' || (command.type === 'setState' && command.state === 'Shutdown')) this.#over.abort()
    this.#waiting.push(command)
    return { ok: true }
  }

  kill(): void {
    this.#game?.kill()
  }

  /** Ends the game at once, without the time that a kubelet takes to hear of a deletion. */
  close(): Promise<void> {
    this.#over.abort()
    if (this.#running !== undefined) {
      const { local, life, onDeleted } = this.#running
      local.control({ type: 'delete', graceMs: life.graceMs + RESERVE_MS })
      onDeleted()
      life.hasten()
    }
    return this.gone
  }

  async #live(): Promise<void> {
    const asked = this.#manifest.spec?.ports ?? []
    // The platform's default is one port of that name.
    const named = asked.length === 0 ? [{ name: 'default' }] : asked
    const taken = await this.#takePorts(named.length)
    try {
      if (this.#over.signal.aborted) return
      const ports = named.map((port, i) => ({ ...port, hostPort: taken[i]! }))
      await this.#run({ ...this.#manifest, spec: { ...this.#manifest.spec, ports } }, taken[0]!)
    } finally {
      for (const port of taken) this.#context.ports.release(port)
    }
  }

  /** Waits for free ports, as a GameServer in a cluster does; at the start of a Fleet their lack is a failure. */
  async #takePorts(count: number): Promise<number[]> {
    const { ports, onStartFailure, onWarning } = this.#context
    const { signal } = this.#over
    const taken: number[] = []
    let isTold = false
    while (taken.length < count && !signal.aborted) {
      try {
        taken.push(await ports.take())
      } catch (error) {
        if (!isTold && ports.held === 0) onStartFailure(error as Error, this.#name)
        else if (!isTold) onWarning((error as Error).message)
        isTold = true
        await sleep(PORT_MS, undefined, { signal }).catch(() => undefined)
      }
    }
    return taken
  }

  /** @param port the first of the players' ports, the game's `PORT` */
  async #run(gameServer: GameServerManifest, port: number): Promise<void> {
    const { platform, allowOrigins, graceMs, onWarning } = this.#context
    const { terminationGracePeriodSeconds = GRACE_S } = this.#pod
    const name = this.#name
    const warn = (text: string): void => onWarning(`${name}: ${text}`, name)
    const local = await startLocalSidecar({ gameServer, platform, allowOrigins, onWarning: warn }, LOG)
    if (this.#over.signal.aborted) return local.close()
    let onDeleted!: () => void
    const deleted = new Promise<void>((resolve) => (onDeleted = resolve))
    this.#tell(local, { state: 'starting' })
    this.#observe(local)
    const life = new GameLife<GameExit>({
      local,
      graceMs: limited(graceMs ?? terminationGracePeriodSeconds * 1000),
      start: (signal, grace) => this.#start(local, port, signal, grace),
      next: (exit, hasEnded, restarts) => this.#next(local, exit, hasEnded, restarts),
      onKill: (_, ms) =>
        onWarning(
          `${name} still runs ${ms / 1000} s after SIGTERM: SIGKILL. Handle the signal, or raise --grace.`,
          name,
        ),
    })
    const running = { local, life, onDeleted }
    this.#running = running
    const leave = local.sidecar.log.subscribe(({ changes }) => this.#follow(running, changes))
    for (const command of this.#waiting) this.control(command)
    try {
      await life.ended
      await deleted
    } finally {
      leave()
      await local.close()
    }
  }

  /** Sets the deletion timestamp; SIGTERM follows as in a pod, SIGKILL after the grace period. */
  #delete({ local, life }: Running, asked = life.graceMs): ControlResult {
    const graceMs = limited(asked)
    life.graceMs = graceMs
    const result = local.control({ type: 'delete', graceMs: KUBELET_MS + graceMs + RESERVE_MS })
    if (graceMs === 0) life.hasten()
    return result
  }

  #follow({ local, life, onDeleted }: Running, changes: readonly Change[]): void {
    if (changes.length === 0) return
    // A sidecar alone takes a fresh GameServer in place of a lost one; in a Fleet, the Fleet creates it.
    if (changes.some(({ type }) => type === 'gone' || type === 'replaced')) {
      onDeleted()
      life.graceMs = 0
      return life.hasten()
    }
    if (isMarked(local.sidecar.snapshot().gameServer)) onDeleted()
    this.#observe(local)
  }

  #observe({ sidecar }: LocalSidecar): void {
    this.#context.dispatch({ type: 'observed', server: this.#name, gameServer: sidecar.snapshot().gameServer })
  }

  /** Tells what became of the process; `text` is for the timeline. */
  #tell({ url }: LocalSidecar, change: Pick<ServerProcess, 'state' | 'pid' | 'exitCode'>, text?: string): void {
    const { dispatch } = this.#context
    const server = this.#name
    dispatch({ type: 'process', server, process: { ...change, restarts: this.#restarts, sidecarUrl: url } })
    if (text !== undefined) dispatch({ type: 'note', entry: { type: 'process', server, text: `${server} ${text}.` } })
  }

  async #start(local: LocalSidecar, port: number, signal: AbortSignal, graceMs: number): Promise<Game<GameExit>> {
    const { platform, startGame, onOutput, onStartFailure } = this.#context
    const tellEnd = (exit: GameExit): GameExit => {
      const { exitCode, how } = exit
      const pid = this.#game && { pid: this.#game.pid }
      this.#game = undefined
      this.#tell(local, { state: 'ended', ...pid, exitCode }, `ended with ${how}`)
      return exit
    }
    try {
      const game = await startGame({
        ...{ platform, signal, graceMs, port, sidecarUrl: local.url },
        variables: gameVariables(local, platform),
        onOutput: (line) => onOutput(this.#name, line),
      })
      this.#game = game
      this.#tell(local, { state: 'running', pid: game.pid }, `started as process ${game.pid}`)
      const reminder = setTimeout(() => this.#remind(local), NOT_READY_MS).unref()
      return { ...game, exited: game.exited.finally(() => clearTimeout(reminder)).then(tellEnd) }
    } catch (error) {
      if (!signal.aborted) onStartFailure(error as Error, this.#name)
      const exit = tellEnd({ exitCode: 127, how: (error as Error).message })
      return { exited: Promise.resolve(exit), terminate: () => undefined, kill: () => undefined }
    }
  }

  /** Starts the game again if the pod's restart policy says so. Otherwise its GameServer ends with it. */
  #next(local: LocalSidecar, { exitCode }: GameExit, hasEnded: boolean, restarts: number): Next {
    if (hasEnded) return 'nothing'
    const { restartPolicy = 'Never' } = this.#pod
    if (restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0)) {
      this.#restarts = restarts + 1
      this.#tell(local, { state: 'starting' }, 'starts again, as its restartPolicy says')
      return 'again'
    }
    endGameServer(local, exitCode)
    return 'nothing'
  }

  #remind({ sidecar }: LocalSidecar): void {
    if (!BEFORE_READY.includes(sidecar.snapshot().gameServer.status.state)) return
    this.#context.onNotReady(
      `${this.#name} has run for ${NOT_READY_MS / 1000} s without calling ready(), so no player is sent to it. ` +
        'Call createClient({ autoHealth: true }).ready() when the game can take players.',
      this.#name,
    )
  }
}
