import type { GameServer } from '../../../protocol/game-server.js'
import type { OperationName } from '../../../protocol/operations.js'
import { initialObject } from './initial-game-server.js'
import type { Change, SidecarConfig, WarningCode, WatchEnd } from '../../sidecar.js'

/** A counter's changes that wait to be written. */
export interface PendingCounter {
  readonly capacity?: string
  readonly count?: string
  readonly diff: string
}

/** A list's changes that wait to be written. */
export interface PendingList {
  readonly capacity?: string
  readonly remove: readonly string[]
  readonly add: readonly string[]
}

export type WriteKind = 'state' | 'labels' | 'annotations' | 'counters' | 'lists'

/** What the sidecar process itself remembers, and forgets when it restarts. */
export interface ProcessState {
  /** When each kind of write is due. */
  readonly due: Readonly<Partial<Record<WriteKind, number>>>
  /** The state asked for last, '' for none. */
  readonly wantedState: string
  /** Milliseconds of the reservation asked for last, undefined for none or for ever. */
  readonly reserveFor: number | undefined
  /** When the present reservation's timer fires. */
  readonly reserveEnds: number | undefined
  /**
   * All labels and annotations ever set through the SDK, by key without prefix: each write repeats them
   * all.
   */
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly counters: Readonly<Record<string, PendingCounter>>
  readonly lists: Readonly<Record<string, PendingList>>
  readonly health: HealthState
  /** The limit of a list's capacity as the process learnt it, where bugs are reproduced; '0' before. */
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

export interface DelayFault {
  readonly ms: number
  readonly operations: readonly OperationName[] | undefined
  readonly when: 'before' | 'after'
}

export interface FailureFault {
  readonly status: number
  readonly message: string
  readonly operations: readonly OperationName[] | undefined
  readonly remaining: number | undefined
  readonly drop: boolean
  readonly apply: boolean
}

export interface FaultState {
  readonly delays: readonly DelayFault[]
  readonly failures: readonly FailureFault[]
  /** Whether watchers are stalled, and until when if that is known. */
  readonly stalled: boolean
  readonly stalledUntil: number | undefined
  readonly ignoreBeats: boolean
}

export interface ConformanceState {
  readonly received: readonly string[]
  readonly problems: readonly string[]
}

/** Everything a sidecar is at one moment. Never changed in place; two states share what is equal. */
export interface SidecarState {
  readonly config: SidecarConfig
  readonly startedAt: number
  readonly restarts: number
  /** The GameServer as the API server holds it, or in local mode the only copy there is. */
  readonly object: GameServer
  /** Where the reservation that the object carries ends. */
  readonly reservedUntil: number | undefined
  readonly gone: boolean
  readonly goneAt: number | undefined
  /** When the controller turns RequestReady into Ready. */
  readonly readyAt: number | undefined
  readonly process: ProcessState
  readonly faults: FaultState
  readonly watchers: readonly number[]
  readonly conformance: ConformanceState
  readonly warned: Readonly<Partial<Record<WarningCode, number>>>
}

/** What the host has to do after an event. */
export type Effect =
  | {
      readonly type: 'reply'
      readonly status: number
      readonly body: unknown
      /** Cut the connection instead of answering. */
      readonly drop: boolean
    }
  /** A new version for every watcher. */
  | { readonly type: 'publish'; readonly gameServer: GameServer }
  /** The first message of a watcher. */
  | { readonly type: 'greet'; readonly id: number; readonly gameServer: GameServer }
  /** The watch can't be opened. */
  | { readonly type: 'refuse-watch'; readonly id: number; readonly status: number; readonly body: unknown }
  | { readonly type: 'end-watchers'; readonly reason: WatchEnd }
  /** Every connection is lost. */
  | { readonly type: 'disconnect'; readonly reason: 'crash' | 'restart' }
  /** The process is dead until the host reports `crashed`. */
  | { readonly type: 'crash'; readonly message: string }
  | { readonly type: 'control-result'; readonly ok: boolean; readonly message: string }
  | { readonly type: 'change'; readonly change: Change }
  | { readonly type: 'warn'; readonly code: WarningCode; readonly message: string; readonly times: number }
  /** Nothing happens by itself before this time. */
  | { readonly type: 'wake'; readonly at: number }

/** The state of a sidecar that starts now. */
export function createState(config: SidecarConfig, now: number): SidecarState {
  const object = initialObject(config, now)
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
    watchers: [],
    conformance: { received: [], problems: [] },
    warned: {},
  }
}

export const noFaults: FaultState = {
  delays: [],
  failures: [],
  stalled: false,
  stalledUntil: undefined,
  ignoreBeats: false,
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

/** The bookkeeping of a process that reads its health settings from the object now. */
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
