import type { OperationName } from '../../protocol/operations.js'
import type { ControlCommand, CounterAction, GameServerAllocation, GameServerManifest } from '../../sidecar/index.js'
import type { ControlResult, ListAction, LogEntry, Sidecar, WarningCode } from '../../sidecar/index.js'

/** A scenario as in its file, checked by `src/schema/scenario.ts`. */
export interface Scenario {
  readonly name?: string
  /** A path, or the GameServer itself. */
  readonly gameServer?: string | GameServerManifest
  /** `real` (default), `virtual`, or a speed such as `x10`. */
  readonly time?: string
  readonly steps: readonly Step[]
}

/** One step: exactly one of the actions is there. Durations look like `500ms`, `20s` or `2m`. */
export interface Step {
  /** Replaces the step's own title in reports. */
  readonly name?: string
  /** When the step begins: `30s` after the start, `+30s` after the step before has ended. */
  readonly at?: string
  /** True if the command or the allocation must be refused. */
  readonly refused?: boolean
  readonly expect?: Expectation
  readonly control?: ControlCommand
  readonly allocate?: Allocation
  readonly fault?: string | ControlCommand
  readonly advance?: string
  readonly wait?: string
  readonly terminate?: string | { readonly graceMs?: number }
}

/** What must be true at one moment, at the latest after `within`. */
export interface Expectation {
  /** Default `5s`; for `noCall` 0. */
  readonly within?: string
  readonly state?: string
  /** A call since the last step that did something; each call meets one expectation. */
  readonly call?: OperationName
  /** No such call since the last step that did something, until the end of `within`. */
  readonly noCall?: OperationName
  readonly with?: Readonly<Record<string, string | number | readonly string[]>>
  readonly status?: number
  readonly label?: Readonly<Record<string, string | null>>
  readonly annotation?: Readonly<Record<string, string | null>>
  readonly counter?: Readonly<Record<string, string | number | CounterExpectation>>
  readonly list?: Readonly<Record<string, readonly string[] | ListExpectation>>
  readonly watchers?: number
  /** A warning since the last step that did something. */
  readonly warning?: WarningCode
  /** The exit code of the game's command. */
  readonly exit?: number
}

export interface CounterExpectation {
  readonly count?: string | number
  readonly capacity?: string | number
}

export interface ListExpectation {
  readonly contains?: readonly string[]
  readonly lacks?: readonly string[]
  readonly size?: number
  readonly capacity?: string | number
}

/** A short form with what the allocation changes, or a GameServerAllocation. */
export interface Allocation extends GameServerAllocation {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly counters?: Readonly<Record<string, CounterAction>>
  readonly lists?: Readonly<Record<string, ListAction>>
}

/** The sidecar that a scenario plays with, and its time. */
export interface Target {
  readonly sidecar: Pick<Sidecar, 'snapshot' | 'log'>
  /** Lets its time advance by `ms`; ends early when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  control(command: ControlCommand): ControlResult
  advance(ms: number): ControlResult | Promise<ControlResult>
  /** How the game's command ends; undefined without a command. */
  readonly gameEnd?: Promise<{ readonly exitCode: number }> | undefined
}

export interface StepResult {
  /** From 1. */
  readonly number: number
  readonly title: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** When the step began, and how long it took, in milliseconds of the target's time. */
  readonly at: number
  readonly ms: number
  readonly failure?: Failure
}

export interface Failure {
  readonly expected: string
  readonly actual: string
}

export interface ScenarioResult {
  readonly name: string
  readonly ok: boolean
  readonly ms: number
  readonly steps: readonly StepResult[]
  /** The log up to the failed step. */
  readonly entries: readonly LogEntry[]
}
