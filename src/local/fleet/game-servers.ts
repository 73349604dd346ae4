import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetAction, Beats } from '../../platform/fleet.js'
import type { ControlCommand, ControlResult, GameServerManifest } from '../../platform/sidecar.js'
import type { PlayersPorts } from './ports.js'
import { ServerRun, type ServerContext } from './server.js'

/** Milliseconds between two looks for a free port. */
const PORT_MS = 1_000

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
  readonly #options: ServerContext
  readonly #ports: PlayersPorts
  readonly #slots = new Map<string, Slot>()
  readonly #closing = new AbortController()
  #isReminded = false
  /** All work of GameServers that hasn't ended. */
  readonly #work = new Set<Promise<void>>()

  constructor(options: ServerContext, ports: PlayersPorts) {
    this.#options = options
    this.#ports = ports
  }

  create({ server, manifest }: Extract<FleetAction, { type: 'create' }>): void {
    const slot: Slot = { waiting: [], isEnding: false }
    this.#slots.set(server, slot)
    const work = this.#live(server, manifest, slot)
      .catch((error: unknown) => this.#options.onStartFailure(error as Error, server))
      .finally(() => {
        this.#slots.delete(server)
        this.#work.delete(work)
        this.#options.dispatch({ type: 'gone', server })
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
    // Leaves out the time of the last beat, which would change the view each second.
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
    const taken = await this.#takePorts(name, manifest.spec?.ports?.length ?? 1, slot)
    try {
      if (slot.isEnding || this.#closing.signal.aborted) return
      const run = await ServerRun.start({
        ...{ ...this.#options, name, manifest: withPorts(manifest, taken), ports: taken as [number, ...number[]] },
        onNotReady: (text) => {
          // What one game doesn't do, none of them does.
          if (!this.#isReminded) this.#options.onWarning(text, name)
          this.#isReminded = true
        },
      })
      slot.run = run
      if (this.#closing.signal.aborted) void run.close()
      for (const command of slot.waiting) perform(run, command)
      await run.ended
    } finally {
      for (const port of taken) this.#ports.release(port)
    }
  }

  /** Waits for free ports, as a GameServer in a cluster does; at the start of a Fleet their lack is a failure. */
  async #takePorts(name: string, count: number, slot: Slot): Promise<number[]> {
    const { onStartFailure, onWarning } = this.#options
    const taken: number[] = []
    let isTold = false
    while (taken.length < Math.max(1, count) && !slot.isEnding && !this.#closing.signal.aborted) {
      try {
        taken.push(await this.#ports.take())
      } catch (error) {
        if (!isTold && this.#ports.held === 0) onStartFailure(error as Error, name)
        else if (!isTold) onWarning((error as Error).message)
        isTold = true
        await sleep(PORT_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined)
      }
    }
    return taken
  }
}

function perform(run: ServerRun, command: ControlCommand): ControlResult {
  return command.type === 'delete' ? run.delete(command.graceMs) : run.control(command)
}

/** The manifest with its host ports. The platform's default is one port of that name. */
function withPorts(manifest: GameServerManifest, taken: readonly number[]): GameServerManifest {
  const ports = manifest.spec?.ports ?? []
  const asked = ports.length === 0 ? [{ name: 'default' }] : ports
  return { ...manifest, spec: { ...manifest.spec, ports: asked.map((port, i) => ({ ...port, hostPort: taken[i]! })) } }
}
