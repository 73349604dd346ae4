import type { GameServer } from '../../../protocol/game-server.js'
import { CONTROLLER_MS, type SidecarConfig } from './config.js'
import type { EndReason, WarningCode } from './events.js'
import { noFaults, type FaultState } from './faults.js'
import { initialGameServer } from './initial-game-server.js'

/** Changes of a counter that wait to be written. */
export interface PendingCounter {
  readonly capacity?: string
  readonly count?: string
  readonly diff: string
}

/** Changes of a list that wait to be written. */
export interface PendingList {
  readonly capacity?: string
  readonly remove: readonly string[]
  readonly add: readonly string[]
}

export type WriteKind = 'state' | 'labels' | 'annotations' | 'counters' | 'lists'

/** The memory of the sidecar process, which a restart clears. */
export interface ProcessState {
  /** When each kind of write is due. */
  readonly due: Readonly<Partial<Record<WriteKind, number>>>
  /** The state that the game asked for last, '' for none. */
  readonly wantedState: string
  /** The queued Ready is older than an allocation, which it will undo. */
  readonly undoesAllocation: boolean
  /** Milliseconds of the last reservation that the game asked for; undefined for none, or for one without an end. */
  readonly reserveFor: number | undefined
  /** When the present reservation's timer fires. */
  readonly reserveEnds: number | undefined
  /** All labels ever set through the SDK, by key without prefix: each write repeats them all. */
  readonly labels: Readonly<Record<string, string>>
  /** The same for annotations. */
  readonly annotations: Readonly<Record<string, string>>
  readonly counters: Readonly<Record<string, PendingCounter>>
  readonly lists: Readonly<Record<string, PendingList>>
  readonly health: HealthState
  /** The highest capacity of a list, which local mode reads from the list `players` once; '0' before that. */
  readonly listLimit: string
}

/** What the platform does about a GameServer that has ended. */
export interface EndingState {
  readonly reason: EndReason
  /** When the platform takes its next step: from Unhealthy to Shutdown, from Shutdown to the deletion timestamp. */
  readonly nextAt: number | undefined
  /** When a fresh GameServer replaces the ended one; undefined if none does. */
  readonly replacesAt: number | undefined
}

/** The beats that were counted. What is expected of them stands in the object's spec. */
export interface HealthState {
  readonly lastBeat: number
  readonly beats: number
  /** The time of the first beat. */
  readonly beatsSince: number | undefined
  readonly failures: number
  /** Undefined until the clock starts, and if nothing is counted. */
  readonly nextCheck: number | undefined
}

export interface ConformanceState {
  readonly received: readonly string[]
  readonly problems: readonly string[]
}

/** The whole sidecar at one moment. It is immutable: states share the parts that are equal. */
export interface SidecarState {
  readonly config: SidecarConfig
  readonly startedAt: number
  /**
   * A game has called this GameServer's sidecar. In a pod the kubelet's first probe starts the health clock; here the
   * first call does, so that a sidecar without a game doesn't become Unhealthy.
   */
  readonly gameCalled: boolean
  /** The GameServer as the API server holds it, or in local mode the only copy there is. */
  readonly object: GameServer
  /** When the reservation that the object carries ends. */
  readonly reservedUntil: number | undefined
  /** The object is no longer in the cluster. */
  readonly gone: boolean
  /** When the grace period of a deletion ends. */
  readonly goneAt: number | undefined
  /** When the platform's controller turns RequestReady into Ready. */
  readonly readyAt: number | undefined
  /** Undefined until the GameServer has ended. */
  readonly ending: EndingState | undefined
  readonly process: ProcessState
  /**
   * When the API server, which neither the sidecar nor the platform's controllers reach,
   * comes back. Infinity: only a command brings it back. Undefined: it is reachable.
   */
  readonly apiServerBackAt: number | undefined
  readonly faults: FaultState
  readonly conformance: ConformanceState
  readonly warned: Readonly<Partial<Record<WarningCode, number>>>
}

/** The state of a sidecar that starts now. */
export function createState(config: SidecarConfig, now: number): SidecarState {
  return {
    config,
    startedAt: now,
    ...stateOfNew(config, initialGameServer(config, now), now),
    apiServerBackAt: undefined,
    faults: noFaults,
    conformance: { received: [], problems: [] },
    warned: {},
  }
}

/** What begins anew with each GameServer, which no game has called yet. */
export function stateOfNew(config: SidecarConfig, object: GameServer, now: number) {
  const isRequested = object.status.state === 'RequestReady' && config.mode === 'production'
  return {
    object,
    gameCalled: false,
    reservedUntil: undefined,
    gone: false,
    goneAt: undefined,
    readyAt: isRequested ? now + CONTROLLER_MS : undefined,
    ending: undefined,
    process: createProcess(config, object, now, false),
  }
}

/** A process that has just started. If a game has called before, its health clock runs at once. */
export function createProcess(
  config: SidecarConfig,
  object: GameServer,
  now: number,
  gameCalled: boolean,
): ProcessState {
  return {
    due: {},
    wantedState: '',
    undoesAllocation: false,
    reserveFor: undefined,
    reserveEnds: undefined,
    labels: {},
    annotations: {},
    counters: {},
    lists: {},
    health: createHealth(config, object, now, gameCalled),
    listLimit: '0',
  }
}

/** What is expected of a game's beats. */
export function healthSpecOf({ spec }: GameServer) {
  const { disabled = false, period_seconds, failure_threshold, initial_delay_seconds } = spec?.health ?? {}
  return {
    disabled,
    periodSeconds: period_seconds ?? 0,
    failureThreshold: failure_threshold ?? 0,
    initialDelaySeconds: initial_delay_seconds ?? 0,
  }
}

/** The health state of a process that starts now. Its clock runs if a game has called. */
export function createHealth(config: SidecarConfig, object: GameServer, now: number, gameCalled: boolean): HealthState {
  const { disabled, periodSeconds, initialDelaySeconds } = healthSpecOf(object)
  const counted = config.mode === 'production' && !disabled && periodSeconds > 0 && gameCalled
  const nextCheck = counted ? now + initialDelaySeconds * 1000 : undefined
  return { lastBeat: now, beats: 0, beatsSince: undefined, failures: 0, nextCheck }
}
