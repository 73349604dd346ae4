import type { AddressInfo } from 'node:net'
import {
  createFleetModel,
  type AutoscalerManifest,
  type FleetAction,
  type FleetEntry,
  type FleetEvent,
  type FleetManifest,
  type FleetModel,
  type RunningFleet,
} from '../../platform/fleet.js'
import { readAutoscaler, readFleet } from '../../platform/schema.js'
import { callSafely, type ControlResult } from '../../platform/sidecar.js'
import { listen } from '../http/address.js'
import { LocalClock } from '../sidecar/local-clock.js'
import { warnProcess } from '../sidecar/local-sidecar-options.js'
import { plainText } from '../../protocol/plain-text.js'
import type { ConsoleLevel, StartGame } from '../game/program-game.js'
import { followFiles, type TextFile } from '../files/follow-file.js'
import { BUILT_IN, parseFleetFiles, readFleetFiles, writeKubeconfig, type FleetSource } from './fleet-file.js'
import { createFleetServer } from './fleet-server.js'
import { FleetGameServer, type FleetContext } from './game-server.js'
import { createPlayersPorts, type PortRange } from './ports.js'
import { askWebhook } from './webhook.js'

/** What happens to a Fleet on this machine. */
export type FleetRunEvent =
  | { readonly event: 'listening'; readonly url: string; readonly fleet: string }
  /** A line of the Fleet's timeline, which tells warnings too. */
  | { readonly event: 'entry'; readonly entry: FleetEntry }
  /** A line that the game of a GameServer wrote. */
  | { readonly event: 'output'; readonly server: string; readonly level: ConsoleLevel; readonly text: string }

/** What a Fleet on this machine needs beside its games. */
export interface FleetSettings {
  /** The Fleet, as in its file. Default: one with a port and nothing else. */
  readonly fleet?: FleetManifest | undefined
  /** The FleetAutoscaler, as in its file. */
  readonly autoscaler?: AutoscalerManifest | undefined
  /**
   * Paths of YAML or JSON files with the Fleet, or a GameServer to make one of, and a FleetAutoscaler. A changed file is a
   * rolling update.
   */
  readonly file?: string | readonly string[] | undefined
  /** How many GameServers to begin with. Default: the Fleet's, else 2. */
  readonly replicas?: number | undefined
  /** The most GameServers, whatever an autoscaler wants. Default 20. */
  readonly max?: number | undefined
  /** Port of the API and the dashboard. Default 0: any free one. `'usual'` takes 9350 if that is free, as the command does. */
  readonly port?: number | 'usual' | undefined
  /** Range of the players' ports. Default 7000 to 8000. */
  readonly ports?: PortRange | undefined
  /** First part of the prefix of labels and variables. Default `agones`. */
  readonly platform?: string | undefined
  /** ms from SIGTERM to SIGKILL. Default: the template's `terminationGracePeriodSeconds`, else 30,000. */
  readonly grace?: number | undefined
  /** Path of a kubeconfig to write, with which kubectl and other clients find the API. `close()` removes it. */
  readonly kubeconfig?: string | undefined
  /** Host names served beside localhost, 127.0.0.1 and [::1]. */
  readonly allowHosts?: readonly string[] | undefined
  /** Origins of pages that may use the API beside the dashboard, such as `http://localhost:5173`. */
  readonly allowOrigins?: readonly string[] | undefined
  /** Takes each event. Without it, `process.emitWarning` tells warnings. */
  readonly onEvent?: ((event: FleetRunEvent) => void) | undefined
}

/** The settings of a Fleet, and how each of its games is started. */
export interface FleetRunOptions extends FleetSettings {
  readonly startGame: StartGame
}

/** A Fleet on this machine, with a sidecar and a game for each GameServer, until it is closed. */
export interface Fleet extends RunningFleet {
  /** Address of the API and of the dashboard at `/_/`, such as `http://127.0.0.1:9350`. */
  readonly url: string
  /** Path of the kubeconfig that was written. */
  readonly kubeconfig: string | undefined
  /**
   * Resolves when so many GameServers are Ready at the same time. Default: as many as the Fleet has replicas.
   *
   * @throws Error, rejected, when the Fleet is closed before
   */
  ready(count?: number): Promise<void>
  /** Ends every game by SIGTERM, after the grace period by SIGKILL, and frees every port. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The port of the API and the dashboard that the command tries. */
const USUAL_PORT = 9350
/** How many GameServers a Fleet has whose file doesn't say it. */
const REPLICAS = 2

const GONE: ControlResult = { ok: false, message: 'the GameServer is gone' }

/** Runs a Fleet until it is closed. Resolves when the first game was started; `createFleet()` says what it throws. */
export async function runFleet(options: FleetRunOptions): Promise<Fleet> {
  const { file } = options
  const paths = file === undefined ? [] : [file].flat()
  const read = paths.length > 0 ? await readFleetFiles(paths) : { source: givenSource(options), files: [] }
  const run = new FleetRun(options, withReplicas(read.source, options.replicas))
  try {
    await run.start()
  } catch (error) {
    await run.close()
    throw error
  }
  run.follow(read.files)
  return run.fleet()
}

const givenSource = ({ fleet, autoscaler }: FleetSettings): FleetSource => ({
  fleet: fleet === undefined ? BUILT_IN : readFleet(fleet),
  autoscaler: autoscaler && readAutoscaler(autoscaler),
})

const withReplicas = ({ fleet, autoscaler }: FleetSource, given: number | undefined): FleetSource => ({
  fleet: { ...fleet, spec: { ...fleet.spec, replicas: given ?? fleet.spec.replicas ?? REPLICAS } },
  autoscaler,
})

class FleetRun {
  readonly #options: FleetRunOptions
  readonly #model: FleetModel
  readonly #context: FleetContext
  readonly #servers = new Map<string, FleetGameServer>()
  readonly #http: ReturnType<typeof createFleetServer>
  readonly #closed = new AbortController()
  #url = ''
  readonly #clock = new LocalClock()
  #cancelWake: (() => void) | undefined
  #unfollow: (() => void) | undefined
  #removeKubeconfig: (() => Promise<void>) | undefined
  #closing: Promise<void> | undefined
  #onStarted!: () => void
  #onStartFailure!: (error: Error) => void
  readonly #started = new Promise<void>((resolve, reject) => {
    this.#onStarted = resolve
    this.#onStartFailure = reject
  })

  constructor(options: FleetRunOptions, { fleet, autoscaler }: FleetSource) {
    const { platform = 'agones', max, allowHosts = [], allowOrigins = [] } = options
    this.#options = options
    this.#started.catch(() => undefined)
    this.#model = createFleetModel({
      ...{ fleet, platform },
      ...(autoscaler === undefined ? {} : { autoscaler }),
      ...(max === undefined ? {} : { max }),
      now: this.#clock.now,
      run: (action) => this.#run(action),
    })
    this.#context = this.#contextOf(options)
    this.#http = createFleetServer({
      ...{ allowHosts, allowOrigins, fleet: this.#model },
      beatsOf: (server) => this.#servers.get(server)?.beats,
      onFault: (error) => this.#warn(`A request failed inside the Fleet: ${String(error)}`),
    })
    this.#model.onEntry((entry) => this.#tell({ event: 'entry', entry }))
  }

  #contextOf(options: FleetRunOptions): FleetContext {
    const { platform = 'agones', startGame, grace, allowOrigins = [], ports = [7_000, 8_000] } = options
    let isReminded = false
    return {
      ...{ platform, startGame, allowOrigins, graceMs: grace, ports: createPlayersPorts(ports) },
      dispatch: (event) => this.#dispatch(event),
      onOutput: (server, line) => this.#tell({ event: 'output', server, ...line }),
      onWarning: (text, server) => this.#warn(text, server),
      onStartFailure: (error, server) => {
        this.#onStartFailure(error)
        this.#warn(`${server} can't start: ${error.message}`, server)
      },
      onNotReady: (text, server) => {
        // What one game doesn't do, none of them does.
        if (!isReminded) this.#warn(text, server)
        isReminded = true
      },
    }
  }

  /** Resolves when the Fleet listens and its first game was started. */
  async start(): Promise<void> {
    const { server } = this.#http
    await listen(server, this.#options.port ?? 0, '127.0.0.1', USUAL_PORT)
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { metadata } = this.#model.snapshot().fleet
    const { kubeconfig } = this.#options
    if (kubeconfig !== undefined) {
      this.#removeKubeconfig = await writeKubeconfig(kubeconfig, this.#url, metadata.namespace)
    }
    this.#tell({ event: 'listening', url: this.#url, fleet: metadata.name })
    this.#model.start()
    if (this.#model.snapshot().servers.length > 0) await this.#started
  }

  follow(files: readonly TextFile[]): void {
    const apply = ({ fleet, autoscaler }: FleetSource): void => {
      // The option stands above the file.
      const now = this.#model.snapshot().fleet.spec.replicas
      const replicas = (this.#options.replicas === undefined ? fleet.spec.replicas : now) ?? now
      this.#model.dispatch({ type: 'update', fleet: { ...fleet, spec: { ...fleet.spec, replicas } } })
      this.#model.dispatch({ type: 'autoscaler', manifest: autoscaler ?? null })
    }
    this.#unfollow = followFiles(files, parseFleetFiles, apply, (problem) => this.#warn(problem))
  }

  fleet(): Fleet {
    const model = this.#model
    const { start: _start, dispatch: _dispatch, ...running } = model
    return {
      ...running,
      get resourceVersion() {
        return model.resourceVersion
      },
      ...{ url: this.#url, kubeconfig: this.#options.kubeconfig },
      ready: (count) => this.#ready(count),
      close: () => this.close(),
      [Symbol.asyncDispose]: () => this.close(),
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end())
  }

  async #end(): Promise<void> {
    this.#closed.abort(new Error('The Fleet was closed'))
    this.#unfollow?.()
    this.#cancelWake?.()
    const ending = [...this.#servers.values()].map((server) => server.close())
    await Promise.all([...ending, this.#removeKubeconfig?.()])
    await this.#http.close()
  }

  /** Takes what a GameServer tells. Once the Fleet ends, only the timeline goes on. */
  #dispatch(event: FleetEvent): void {
    if (event.type === 'process' && event.process.state === 'running') this.#onStarted()
    if (event.type === 'note' || !this.#closed.signal.aborted) this.#model.dispatch(event)
  }

  #run(action: FleetAction): ControlResult | undefined {
    if (this.#closed.signal.aborted) return undefined
    switch (action.type) {
      case 'create':
        return this.#create(action)
      case 'control':
        return this.#servers.get(action.server)?.control(action.command) ?? GONE
      case 'kill':
        return void this.#servers.get(action.server)?.kill()
      case 'wake':
        return this.#wakeAt(action.at)
      case 'review':
        return void askWebhook(action, this.#closed.signal).then((answer) =>
          this.#dispatch({ type: 'reviewed', webhook: action.webhook, answer }),
        )
    }
  }

  #create(action: Extract<FleetAction, { type: 'create' }>): undefined {
    const server = new FleetGameServer(this.#context, action)
    this.#servers.set(action.server, server)
    void server.gone.then(() => {
      this.#servers.delete(action.server)
      this.#dispatch({ type: 'gone', server: action.server })
    })
  }

  #wakeAt(at: number): undefined {
    this.#cancelWake?.()
    this.#cancelWake = this.#clock.setTimer(at - this.#clock.now(), () => this.#model.dispatch({ type: 'time' }))
  }

  #ready(count = this.#model.snapshot().fleet.spec.replicas): Promise<void> {
    const { signal } = this.#closed
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const ready = this.#model.snapshot().servers.filter(({ gameServer }) => gameServer.status.state === 'Ready')
        if (ready.length < count && !signal.aborted) return
        stop()
        signal.removeEventListener('abort', look)
        if (signal.aborted) reject(signal.reason as Error)
        else resolve()
      }
      const stop = this.#model.onChange(look)
      signal.addEventListener('abort', look)
      look()
    })
  }

  /** Writes a warning into the timeline. */
  #warn(text: string, server?: string): void {
    const entry = { type: 'warning', ...(server === undefined ? {} : { server }), text } as const
    this.#model.dispatch({ type: 'note', entry })
    if (this.#options.onEvent === undefined) warnProcess(plainText(text))
  }

  #tell(event: FleetRunEvent): void {
    const { onEvent } = this.#options
    if (onEvent === undefined) return
    callSafely(onEvent, event, (error) => warnProcess(`onEvent threw: ${plainText(String(error))}`))
  }
}
