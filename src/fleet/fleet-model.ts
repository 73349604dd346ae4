import { callEach, throwLater } from '../sidecar/listeners.js'
import type { ControlResult } from '../sidecar/index.js'
import type { AutoscalerManifest, FleetAction, FleetEffect, FleetEvent, FleetManifest } from './fleet-state.js'
import { gameServerObject } from './platform-json.js'
import { initialState, reduce } from './reduce.js'
import type { FleetAllocation, FleetCommand, FleetEntry, FleetResult, ObjectChange, RunningFleet } from './types.js'

/** The entries that the timeline keeps. */
const KEPT_ENTRIES = 5_000

export interface FleetModelOptions {
  readonly fleet: FleetManifest
  readonly autoscaler?: AutoscalerManifest
  /** The most GameServers that the Fleet may be scaled to. Default 20. */
  readonly max?: number
  /** Default: the Fleet's, else `default`. */
  readonly namespace?: string
  /** Default `agones`. */
  readonly platform?: string
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Names derive from it. Default 1. */
  readonly seed?: number
  /** Carries out an effect. May dispatch events at once. Only the results of `control` are read. */
  run(action: FleetAction): ControlResult | undefined
  /** Takes errors that a listener threw. Default: rethrows them as uncaught. */
  report?(error: unknown): void
}

/** A Fleet without processes: its owner runs the actions and dispatches what happens. */
export interface FleetModel extends RunningFleet {
  /** Creates the GameServers. Call it once. */
  start(): void
  dispatch(event: FleetEvent): void
}

export function createFleetModel(options: FleetModelOptions): FleetModel {
  const { fleet, max = 20, platform = 'agones', seed = 1, now, run, report = throwLater } = options
  const namespace = options.namespace || fleet.metadata?.namespace || 'default'
  let state = initialState(fleet, { platform, namespace, max }, seed, now())
  const entries: FleetEntry[] = []
  const changeListeners = new Set<(change: ObjectChange) => void>()
  const entryListeners = new Set<(entry: FleetEntry) => void>()
  const queue: FleetEffect[] = []
  let isDraining = false
  let wakesAt: number | undefined

  /** Takes the next state at once, and leaves the effects to the queue. */
  function take(event: FleetEvent): readonly FleetEffect[] {
    const next = reduce(state, event, now())
    state = next.state
    queue.push(...next.effects)
    return next.effects
  }

  /** Carries out effects in order. Events that arrive meanwhile add theirs to the end. */
  function drain(): void {
    if (isDraining) return
    isDraining = true
    try {
      for (let effect = queue.shift(); effect !== undefined; effect = queue.shift()) perform(effect)
    } finally {
      isDraining = false
    }
  }

  function perform(effect: FleetEffect): void {
    switch (effect.type) {
      case 'entry':
        entries.push(effect.entry)
        if (entries.length > KEPT_ENTRIES) entries.shift()
        callEach(entryListeners, effect.entry, report)
        return
      case 'change':
        callEach(changeListeners, effect.change, report)
        return
      case 'wake':
        if (effect.at !== wakesAt) run(effect)
        wakesAt = effect.at
        return
      case 'choice':
      case 'allocation':
        return
      default:
        run(effect)
    }
  }

  function dispatch(event: FleetEvent): void {
    if (event.type === 'time') wakesAt = undefined
    take(event)
    drain()
  }

  return {
    start() {
      if (options.autoscaler !== undefined) take({ type: 'autoscaler', manifest: options.autoscaler })
      dispatch({ type: 'start' })
    },
    dispatch,
    snapshot() {
      const { fleet, sets, autoscaler, servers } = state
      return { now: now(), fleet, sets, ...(autoscaler ? { autoscaler } : {}), servers }
    },
    objects: (plural) =>
      ({
        fleets: () => [state.fleet],
        gameserversets: () => state.sets,
        gameservers: () => state.servers.map((server) => gameServerObject(state, server)),
        fleetautoscalers: () => (state.autoscaler ? [state.autoscaler] : []),
      })[plural](),
    get resourceVersion() {
      return String(state.version)
    },
    onChange: (listener) => listen(changeListeners, listener),
    onEntry: (listener) => listen(entryListeners, listener),
    entries: (since = 0) => entries.filter(({ sequence }) => sequence > since),
    allocate(manifest, batch): FleetAllocation {
      const chosen = take({ type: 'allocate', manifest, ...(batch === undefined ? {} : { batch }) })
      const { choice } = chosen.find((effect) => effect.type === 'choice')!
      // The sidecar decides at once, even if this call comes from a listener.
      const result = choice.server === undefined ? undefined : run(commandOf(choice.server, manifest))
      const refusal = result?.ok === false ? { refusal: result.message } : {}
      const answered = take({ type: 'allocated', manifest, choice, ...refusal })
      drain()
      return answered.find((effect) => effect.type === 'allocation')!.allocation
    },
    perform: (command) => carryOut(command),
  }

  function carryOut(command: FleetCommand): FleetResult {
    const problem = problemOf(command)
    if (problem !== undefined) return problem
    if (command.type === 'control') {
      const result = run(command)
      return result?.ok === false ? { ok: false, status: 400, message: result.message } : { ok: true }
    }
    dispatch(eventOf(command))
    return { ok: true }
  }

  function problemOf(command: FleetCommand): FleetResult | undefined {
    if (command.type === 'scale' && command.replicas > max) {
      const message = `The Fleet may have at most ${max} GameServers; start it with --max ${command.replicas} for more.`
      return { ok: false, status: 400, message }
    }
    if (!('server' in command) || state.servers.some(({ name }) => name === command.server)) return undefined
    return { ok: false, status: 404, message: `gameservers.${platform}.dev "${command.server}" not found` }
  }
}

const commandOf = (server: string, manifest: FleetAllocation['manifest']): FleetAction => ({
  type: 'control',
  server,
  command: { type: 'allocate', manifest },
})

/** A checked command as an event. */
function eventOf(command: Exclude<FleetCommand, { readonly type: 'control' }>): FleetEvent {
  if (command.type === 'autoscaler') {
    return { type: 'autoscaler', manifest: command.manifest as AutoscalerManifest | null }
  }
  if (command.type !== 'update') return command
  return command.fleet === undefined ? { type: 'update' } : { type: 'applied', fleet: command.fleet as FleetManifest }
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
