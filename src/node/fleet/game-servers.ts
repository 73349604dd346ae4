import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetAction, FleetEvent } from '../../fleet/fleet-state.js'
import type { Beats } from '../../fleet/view.js'
import { isObject } from '../../protocol/is-object.js'
import type { ControlCommand, ControlResult, GameServerManifest } from '../../sidecar/index.js'
import type { StartGame } from './game.js'
import type { PlayersPorts } from './ports.js'
import { ServerRun } from './server.js'
import type { RestartPolicy, ServerEvents } from './server.js'

/** What all GameServers of a Fleet have in common. */
export interface GameServersOptions {
  readonly fleet: string
  readonly platform: string
  readonly ports: PlayersPorts
  readonly startGame: StartGame
  /** ms from SIGTERM to SIGKILL; undefined for the template's. */
  readonly graceMs: number | undefined
  /** Folder of the recordings. */
  readonly record: string | undefined
  readonly allowOrigins: readonly string[]
  dispatch(event: FleetEvent): void
  onOutput(server: string, line: Parameters<ServerEvents['onOutput']>[0]): void
  onWarning(text: string, server?: string): void
  /** The first game can't be started, or there is no port for it. */
  onStartFailure(error: Error): void
  /** A game was started. */
  onStarted(): void
}

/** Milliseconds between two looks for a free port. */
const PORT_MS = 1_000
/** Kubernetes' default of `terminationGracePeriodSeconds`. */
const GRACE_S = 30

/** A GameServer, from the Fleet's decision to create it. */
interface Slot {
  /** Undefined until its sidecar listens. */
  run?: ServerRun
  /** Commands that came before. */
  readonly waiting: ControlCommand[]
  isEnding: boolean
}

/** The GameServers of a Fleet: carries out what the model decides, and tells it what happens. */
export class GameServers {
  readonly #options: GameServersOptions
  readonly #slots = new Map<string, Slot>()
  readonly #closing = new AbortController()
  #isReminded = false
  /** All work of GameServers that hasn't ended. */
  readonly #work = new Set<Promise<void>>()

  constructor(options: GameServersOptions) {
    this.#options = options
  }

  create({ server, manifest }: Extract<FleetAction, { type: 'create' }>): void {
    const slot: Slot = { waiting: [], isEnding: false }
    this.#slots.set(server, slot)
    const work = this.#live(server, manifest, slot)
      .catch((error: unknown) => this.#fail(error as Error, server))
      .finally(() => {
        this.#slots.delete(server)
        this.#work.delete(work)
        if (!this.#closing.signal.aborted) this.#options.dispatch({ type: 'gone', server })
      })
    this.#work.add(work)
  }

  /** Carries out a command, at once or when the sidecar is there. */
  control(server: string, command: ControlCommand): ControlResult {
    const slot = this.#slots.get(server)
    if (slot === undefined) return { ok: false, message: 'the GameServer is gone' }
    if (slot.run !== undefined) return perform(slot.run, command)
    // Where a cluster would delete the object, there is only a wait for a port to end.
    slot.isEnding ||= command.type === 'delete' || (command.type === 'setState' && command.state === 'Shutdown')
    slot.waiting.push(command)
    return { ok: true }
  }

  kill(server: string): void {
    this.#slots.get(server)?.run?.kill()
  }

  /** The beats that its sidecar has counted; undefined without a sidecar. */
  beatsOf(server: string): Beats | undefined {
    const health = this.#slots.get(server)?.run?.local.sidecar.snapshot().health
    if (health === undefined) return undefined
    // Without the time of the last beat, which would be news each second.
    const { disabled, failures, failureThreshold } = health
    return { disabled, failures, failureThreshold }
  }

  /** Ends every game, with its grace period. */
  async close(): Promise<void> {
    this.#closing.abort()
    for (const { run } of this.#slots.values()) if (run !== undefined) void run.close()
    await Promise.all(this.#work)
  }

  async #live(name: string, manifest: GameServerManifest, slot: Slot): Promise<void> {
    const taken = await this.#takePorts(manifest.spec?.ports?.length ?? 1, slot)
    try {
      if (slot.isEnding || this.#closing.signal.aborted) return
      const [first, ...others] = taken as [number, ...number[]]
      const run = await ServerRun.start(this.#serverOptions(name, withPorts(manifest, taken), [first, ...others]))
      slot.run = run
      if (this.#closing.signal.aborted) void run.close()
      for (const command of slot.waiting) perform(run, command)
      await run.ended
    } finally {
      for (const port of taken) this.#options.ports.release(port)
    }
  }

  /** Waits for free ports, as a GameServer in a cluster does; at the start of a Fleet their lack is a failure. */
  async #takePorts(count: number, slot: Slot): Promise<number[]> {
    const { ports, onStartFailure, onWarning } = this.#options
    const taken: number[] = []
    let isTold = false
    while (taken.length < Math.max(1, count) && !slot.isEnding && !this.#closing.signal.aborted) {
      try {
        taken.push(await ports.take())
      } catch (error) {
        if (ports.held === 0) onStartFailure(error as Error)
        if (!isTold) onWarning((error as Error).message)
        isTold = true
        await sleep(PORT_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined)
      }
    }
    return taken
  }

  #serverOptions(name: string, manifest: GameServerManifest, ports: readonly [number, ...number[]]) {
    const { fleet, platform, graceMs, record, startGame, allowOrigins, dispatch } = this.#options
    const { onOutput, onWarning, onStarted } = this.#options
    const pod = podOf(manifest)
    return {
      ...{ name, fleet, manifest, platform, ports, startGame, allowOrigins },
      restartPolicy: pod.restartPolicy ?? 'Never',
      graceMs: graceMs ?? (pod.terminationGracePeriodSeconds ?? GRACE_S) * 1000,
      record: record === undefined ? undefined : join(record, `${name}.ndjson`),
      onGameServer: (gameServer) => this.#tell({ type: 'observed', server: name, gameServer }),
      onProcess: (process, text) => {
        if (process.state === 'running') onStarted()
        this.#tell({ type: 'process', server: name, process })
        if (text !== '') dispatch({ type: 'note', entry: { type: 'process', server: name, text: `${name} ${text}.` } })
      },
      onOutput: (line) => onOutput(name, line),
      onWarning: (text) => onWarning(text, name),
      onNotReady: (text) => {
        // What one game doesn't do, none of them does.
        if (!this.#isReminded) onWarning(text, name)
        this.#isReminded = true
      },
      onStartFailure: (error) => this.#fail(error, name),
    } satisfies Parameters<typeof ServerRun.start>[0]
  }

  #tell(event: FleetEvent): void {
    if (!this.#closing.signal.aborted) this.#options.dispatch(event)
  }

  #fail(error: Error, server: string): void {
    this.#options.onStartFailure(error)
    this.#options.onWarning(`${server} can't start: ${error.message}`, server)
  }
}

function perform(run: ServerRun, command: ControlCommand): ControlResult {
  return command.type === 'delete' ? run.delete(command.graceMs) : run.control(command)
}

interface Pod {
  readonly restartPolicy?: RestartPolicy
  readonly terminationGracePeriodSeconds?: number
}

/** The fields of the pod template that a Fleet without containers can follow. */
function podOf({ spec }: GameServerManifest): Pod {
  const template = (spec as { readonly template?: unknown } | undefined)?.template
  return isObject(template) && isObject(template['spec']) ? template['spec'] : {}
}

/** The manifest with its host ports. The platform's default is one port of that name. */
function withPorts(manifest: GameServerManifest, taken: readonly number[]): GameServerManifest {
  const ports = manifest.spec?.ports ?? []
  const asked = ports.length === 0 ? [{ name: 'default' }] : ports
  return { ...manifest, spec: { ...manifest.spec, ports: asked.map((port, i) => ({ ...port, hostPort: taken[i]! })) } }
}
