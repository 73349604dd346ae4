import type { GameServer } from '../../../protocol/game-server.js'
import type { SidecarConfig } from './config.js'
import type { WarningCode } from './effect.js'
import { noFaults } from './faults.js'
import type { FaultState } from './faults.js'
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
  /** The state that was asked for last, '' for none. */
  readonly wantedState: string
  /** Milliseconds of the reservation that was asked for last; undefined for none, or for one without an end. */
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
  /** Highest capacity of a list as the process learnt it from the list `players`; '0' before that. */
  readonly listLimit: string
}

export interface HealthState {
  readonly disabled: boolean
  readonly period: number
  readonly threshold: number
  readonly initialDelay: number
  readonly lastBeat: number
  readonly beats: number
  readonly failures: number
  readonly nextCheck: number | undefined
}

export interface ConformanceState {
  readonly received: readonly string[]
  readonly problems: readonly string[]
}

/** The whole sidecar at one moment. Never changed in place: states share the parts that are equal. */
export interface SidecarState {
  readonly config: SidecarConfig
  readonly startedAt: number
  readonly restarts: number
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
  readonly process: ProcessState
  readonly faults: FaultState
  /** The generator of the random numbers by which calls fail. */
  readonly random: number
  readonly watchers: readonly number[]
  readonly conformance: ConformanceState
  readonly warned: Readonly<Partial<Record<WarningCode, number>>>
}

/** The state of a sidecar that starts now. */
export function createState(config: SidecarConfig, now: number): SidecarState {
  const object = initialGameServer(config, now)
  return {
    config,
    startedAt: now,
    restarts: 0,
    object,
    reservedUntil: undefined,
    gone: false,
    goneAt: undefined,
    readyAt:
      object.status.state === 'RequestReady' && config.mode === 'production' ? now + config.controllerDelay : undefined,
    process: createProcess(config, object, now),
    faults: noFaults,
    random: config.seed | 0,
    watchers: [],
    conformance: { received: [], problems: [] },
    warned: {},
  }
}

/** A process that has just started and remembers nothing. */
export function createProcess(config: SidecarConfig, object: GameServer, now: number): ProcessState {
  return {
    due: {},
    wantedState: '',
    reserveFor: undefined,
    reserveEnds: undefined,
    labels: {},
    annotations: {},
    counters: {},
    lists: {},
    health: createHealth(config, object, now),
    listLimit: '0',
  }
}

/** The health bookkeeping of a process that reads its settings from the object now. */
export function createHealth(config: SidecarConfig, object: GameServer, now: number): HealthState {
  const spec = object.spec?.health
  const period = (spec?.period_seconds ?? 0) * 1000
  const initialDelay = (spec?.initial_delay_seconds ?? 0) * 1000
  const disabled = spec?.disabled ?? false
  const counted = config.mode === 'production' && !disabled && period > 0
  return {
    disabled,
    period,
    threshold: spec?.failure_threshold ?? 0,
    initialDelay,
    lastBeat: now,
    beats: 0,
    failures: 0,
    nextCheck: counted ? now + initialDelay : undefined,
  }
}
