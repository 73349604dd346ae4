import type { ConsoleLevel } from '../line-limit.js'
import type { ProgramRuntime } from './runtimes.js'

/** The events of a hosted program. Those that a hosted page has as well mean the same. */
export type ProgramEvent =
  /** The program was started, for the first time or again. */
  | { readonly event: 'program'; readonly pid: number; readonly runtime: ProgramRuntime }
  /** The program has called `ready()`, or has brought its GameServer beyond it; ms since it was started. */
  | { readonly event: 'booted'; readonly ms: number }
  /** One line of the program's stdout (info) or stderr (error), or what there is to say of left out lines (warning). */
  | { readonly event: 'console'; readonly level: ConsoleLevel; readonly text: string }
  | { readonly event: 'crash'; readonly reason: string }
  | { readonly event: 'warning'; readonly text: string }
  | { readonly event: 'shutdown'; readonly signal: string }
  | { readonly event: 'exit'; readonly code: number }
