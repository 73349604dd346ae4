import { createListeners, throwLater } from '../sidecar/listeners.js'
import { Newest } from '../sidecar/newest.js'
import type { ControlResult } from '../sidecar.js'
import { answer, choose } from './allocate.js'
import type {
  AutoscalerManifest,
  FleetAction,
  FleetCommand,
  FleetEffect,
  FleetEntry,
  FleetEvent,
  FleetManifest,
  FleetResult,
  FleetState,
  ObjectChange,
  RunningFleet,
} from './types.js'
import type { FleetStep } from './fleet-step.js'
import { gameServerObject } from './platform-json.js'
import { initialState, reduce, replicasProblem } from './reduce.js'

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
  const { fleet, max = 20, platform = 'agones', now, run } = options
  const namespace = options.namespace || fleet.metadata?.namespace || 'default'
  let state = initialState(fleet, { platform, namespace, max }, now())
  const outbox = createOutbox(options)
  const { entries } = outbox

  /** Takes the next state at once, and leaves the effects to the outbox. */
  function take<T>(change: (step: FleetStep) => T): T {
    const step: FleetStep = { state, effects: outbox.effects, now: now() }
    const result = change(step)
    state = step.state
    return result
  }

  function dispatch(event: FleetEvent): void {
    if (event.type === 'time') outbox.forgetWake()
    take((step) => reduce(step, event))
    outbox.drain()
  }

  return {
    start: () => dispatch({ type: 'start', fleet, autoscaler: options.autoscaler }),
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
    onChange: outbox.onChange,
    onEntry: outbox.onEntry,
    // Sequence numbers grow by 1, so the place of each is known.
    entries: (since = 0) => entries.slice(Math.max(0, since + 1 - (entries[0]?.sequence ?? 1))),
    allocate(manifest, batch) {
      const choice = take((step) => choose(step, manifest, batch))
      const { server } = choice
      // The sidecar decides at once, even if this call comes from a listener.
      const command = { type: 'allocate', manifest } as const
      const result = server === undefined ? undefined : run({ type: 'control', server, command })
      const allocation = take((step) =>
        answer(step, manifest, choice, result?.ok === false ? result.message : undefined),
      )
      outbox.drain()
      return allocation
    },
    perform(command) {
      const problem = problemOf(state, command)
      if (problem !== undefined) return problem
      switch (command.type) {
        case 'control': {
          const result = run(command)
          return result?.ok === false ? { ok: false, status: 400, message: result.message } : { ok: true }
        }
        case 'delete':
        case 'makeUnhealthy': {
          const { server, ...own } = command
          // As in a cluster, a GameServer that is being deleted may be deleted again.
          run({ type: 'control', server, command: own })
          break
        }
        case 'kill':
          run(command)
          break
        default:
          dispatch(command)
      }
      return { ok: true }
    },
  }
}

/** Carries out effects in order. Events that arrive meanwhile add theirs to the end. */
function createOutbox({ run, report = throwLater }: FleetModelOptions) {
  const effects: FleetEffect[] = []
  const kept = new Newest<FleetEntry>(KEPT_ENTRIES)
  const changed = createListeners<ObjectChange>(report)
  const entryListeners = createListeners<FleetEntry>(report)
  let isDraining = false
  let wakesAt: number | undefined

  function carryOut(effect: FleetEffect): void {
    if (effect.type === 'entry') {
      kept.push(effect.entry)
      entryListeners.call(effect.entry)
    } else if (effect.type === 'change') changed.call(effect.change)
    else if (effect.type !== 'wake') run(effect)
    else {
      if (effect.at !== wakesAt) run(effect)
      wakesAt = effect.at
    }
  }

  return {
    effects,
    entries: kept.items,
    onChange: changed.add,
    onEntry: entryListeners.add,
    forgetWake: (): void => (wakesAt = undefined),
    drain(): void {
      if (isDraining) return
      isDraining = true
      try {
        for (let effect = effects.shift(); effect !== undefined; effect = effects.shift()) carryOut(effect)
      } finally {
        isDraining = false
      }
    },
  }
}

/** Why a command can't be carried out; undefined if it can. */
function problemOf({ config, servers }: FleetState, command: FleetCommand): FleetResult | undefined {
  const message = command.type === 'scale' ? replicasProblem(command.replicas, config) : undefined
  if (message !== undefined) return { ok: false, status: 400, message }
  if (!('server' in command) || servers.some(({ name }) => name === command.server)) return undefined
  return { ok: false, status: 404, message: `gameservers.${config.platform}.dev "${command.server}" not found` }
}
